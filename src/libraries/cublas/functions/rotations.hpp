// Rotations of level 1 that are made, and the modified ones.
#pragma once

#include <array>

#include "libraries/cublas/functions/vectors.hpp"

namespace nvmlkit::cublas::functions {

// What a call reads and writes: of the host, or one element of the device.
template <class T>
T& place_of(Running& running, bool is_of_host, T* at, std::int64_t count = 1) {
  return is_of_host ? *at : *running.write(at, count);
}

// As BLAS makes them: b becomes the number that stands for the rotation.
template <class T>
void make_rotation(T& a, T& b, T& c, T& s) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  const double r = std::copysign(std::hypot(x, y), std::abs(x) > std::abs(y) ? x : y);
  c = static_cast<T>(r == 0 ? 1 : x / r);
  s = static_cast<T>(r == 0 ? 0 : y / r);
  a = static_cast<T>(r);
  b = r == 0 ? T{0} : std::abs(x) > std::abs(y) ? s : c != T{0} ? T{1} / c : T{1};
}
template <class R>
void make_rotation(std::complex<R>& a, std::complex<R>& b, R& c, std::complex<R>& s) {
  const DoubleComplex x(a), y(b);
  const double size = std::abs(x), r = std::hypot(size, std::abs(y));
  const auto direction = size == 0 ? DoubleComplex(1) : x / size;
  c = static_cast<R>(size == 0 ? 0 : size / r);
  s = std::complex<R>(size == 0 ? DoubleComplex(1) : direction * std::conj(y) / r);
  a = std::complex<R>(size == 0 ? y : direction * r);
}

template <class T>
cublasStatus_t rotg(const Call& call, T* a, T* b, Real<T>* c, T* s) {
  if (!a || !b || !c || !s) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_of_host = call.has_host_pointers();
  return call.enqueue_with_answer(cost_of<T>(1, 10, 8), [=](Running& running) {
    make_rotation(place_of(running, is_of_host, a), place_of(running, is_of_host, b), place_of(running, is_of_host, c),
                  place_of(running, is_of_host, s));
  });
}

// A modified rotation: a flag that tells which of four numbers are 1, -1 or 0, and those.
template <class T>
struct ModifiedRotation {
  T flag, h11, h21, h12, h22;

  static ModifiedRotation of(const T* p) {
    const T flag = p[0];
    if (flag == T{-2}) return {flag, 1, 0, 0, 1};
    if (flag == T{0}) return {flag, 1, p[2], p[3], 1};
    if (flag == T{1}) return {flag, p[1], -1, 1, p[4]};
    return {flag, p[1], p[2], p[3], p[4]};
  }
  void store(T* p) const {
    p[0] = flag;
    if (flag == T{-1} || flag == T{1}) p[1] = h11, p[4] = h22;
    if (flag == T{-1} || flag == T{0}) p[2] = h21, p[3] = h12;
  }
  // All four are written out from now on.
  void spell_out() {
    if (flag == T{0}) h11 = h22 = 1;
    if (flag == T{1}) h21 = -1, h12 = 1;
    flag = -1;
  }
};

template <class T>
cublasStatus_t rotm(const Call& call, std::int64_t n, T* x, std::int64_t incx, T* y, std::int64_t incy,
                    const T* parameters) {
  if (!parameters) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  std::array<T, 5> own{};
  const bool is_of_host = call.has_host_pointers();
  if (is_of_host) std::copy_n(parameters, own.size(), own.begin());
  return call.enqueue(cost_of<T>(n, 6, 4), [=](Running& running) {
    const auto h = ModifiedRotation<T>::of(is_of_host ? own.data() : running.read(parameters, 5));
    if (h.flag == T{-2}) return;
    const auto a = write(running, n, x, incx), b = write(running, n, y, incy);
    for (std::int64_t k = 0; k < n; ++k) {
      const T u = a[k], v = b[k];
      a[k] = h.h11 * u + h.h12 * v;
      b[k] = h.h21 * u + h.h22 * v;
    }
  });
}

// One of the two factors within the range in which its square is exact; `first`, `second`: the row of the rotation.
template <class T>
void rescale(ModifiedRotation<T>& h, T& factor, T& first, T& second, T* x) {
  constexpr T kStep = 4096, kHigh = kStep * kStep, kLow = 1 / kHigh;
  while (factor != T{0} && std::isfinite(factor) && (std::abs(factor) <= kLow || std::abs(factor) >= kHigh)) {
    h.spell_out();
    const T by = std::abs(factor) <= kLow ? T{1} / kStep : kStep;
    factor /= by * by;
    first *= by, second *= by;
    if (x) *x *= by;
  }
}

template <class T>
ModifiedRotation<T> make_modified(T& d1, T& d2, T& x1, T y1) {
  ModifiedRotation<T> h{-1, 0, 0, 0, 0};
  const auto refuse = [&] {
    d1 = d2 = x1 = 0;
    return ModifiedRotation<T>{-1, 0, 0, 0, 0};
  };
  if (d1 < T{0}) return refuse();
  const T p2 = d2 * y1;
  if (p2 == T{0}) return {-2, 1, 0, 0, 1};
  const T p1 = d1 * x1, q2 = p2 * y1, q1 = p1 * x1;
  if (std::abs(q1) > std::abs(q2)) {
    h.flag = 0, h.h21 = -y1 / x1, h.h12 = p2 / p1;
    const T u = 1 - h.h12 * h.h21;
    if (!(u > T{0})) return refuse();
    d1 /= u, d2 /= u, x1 *= u;
  } else {
    if (q2 < T{0}) return refuse();
    h.flag = 1, h.h11 = p1 / p2, h.h22 = x1 / y1;
    const T u = 1 + h.h11 * h.h22, before = d1;
    d1 = d2 / u, d2 = before / u, x1 = y1 * u;
  }
  rescale(h, d1, h.h11, h.h12, &x1);
  rescale<T>(h, d2, h.h21, h.h22, nullptr);
  return h;
}

template <class T>
cublasStatus_t rotmg(const Call& call, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  if (!d1 || !d2 || !x1 || !y1 || !parameters) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_of_host = call.has_host_pointers();
  return call.enqueue_with_answer(cost_of<T>(1, 20, 9), [=](Running& running) {
    const T y = is_of_host ? *y1 : *running.read(y1, 1);
    make_modified(place_of(running, is_of_host, d1), place_of(running, is_of_host, d2),
                  place_of(running, is_of_host, x1), y)
        .store(&place_of(running, is_of_host, parameters, 5));
  });
}

}  // namespace nvmlkit::cublas::functions
