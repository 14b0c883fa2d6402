// Symmetric and Hermitian matrices of level 2: full, banded and packed ones with a vector, and their updates.
#pragma once

#include <vector>

#include "libraries/cublas/functions/matrices.hpp"

namespace nvmlkit::cublas::functions {

// Where the triangle of a matrix lies in memory.
struct TrianglePlace {
  enum class Kind { full, band, packed } kind;
  bool is_upper;
  std::int64_t n, k, ld;  // k: diagonals of a band beside the main one

  static TrianglePlace full(cublasFillMode_t uplo, std::int64_t n, std::int64_t ld) {
    return {Kind::full, uplo == CUBLAS_FILL_MODE_UPPER, n, n, ld};
  }
  static TrianglePlace band(cublasFillMode_t uplo, std::int64_t n, std::int64_t k, std::int64_t ld) {
    return {Kind::band, uplo == CUBLAS_FILL_MODE_UPPER, n, k, ld};
  }
  static TrianglePlace packed(cublasFillMode_t uplo, std::int64_t n) {
    return {Kind::packed, uplo == CUBLAS_FILL_MODE_UPPER, n, n, 0};
  }

  std::int64_t size() const {
    if (kind == Kind::full) return matrix_size(n, n, ld);
    return kind == Kind::band ? matrix_size(k + 1, n, ld) : n * (n + 1) / 2;
  }
  // Of an element of the triangle.
  std::int64_t at(std::int64_t i, std::int64_t j) const {
    if (kind == Kind::full) return i + j * ld;
    if (kind == Kind::band) return (is_upper ? k + i - j : i - j) + j * ld;
    return is_upper ? i + j * (j + 1) / 2 : i + j * (2 * n - j - 1) / 2;
  }
  // work(row, column, place) for each element of the triangle.
  template <class Work>
  void each(Work work) const {
    for (std::int64_t j = 0; j < n; ++j) {
      const auto first = is_upper ? std::max<std::int64_t>(j - k, 0) : j;
      const auto last = is_upper ? j : std::min(j + k, n - 1);
      for (auto i = first; i <= last; ++i) work(i, j, at(i, j));
    }
  }
};

template <class T>
T without_imaginary_part(T v) {
  return static_cast<T>(std::real(v));
}

// y = alpha * A * x + beta * y. `conjugates`: A is Hermitian.
template <class T>
cublasStatus_t with_vector(const Call& call, bool conjugates, cublasFillMode_t uplo, const TrianglePlace& place,
                           const T* alpha, const T* a, const T* x, std::int64_t incx, const T* beta, T* y,
                           std::int64_t incy) {
  const auto n = place.n;
  const auto rows = place.kind == TrianglePlace::Kind::band ? place.k + 1 : n;
  if (!letter_of(uplo) || !are_sizes({n, place.k}) || incx == 0 || incy == 0 || !alpha || !beta ||
      (place.kind != TrianglePlace::Kind::packed && !is_leading(place.ld, rows)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> by(call, alpha), old(call, beta);
  return call.enqueue(matrix_cost<T>(2 * n * n, n * n / 2 + 3 * n), [=](Running& running) {
    const T factor = by.get(running), before = old.get(running);
    std::vector<Wide<T>> sums(static_cast<std::size_t>(n));
    if (factor != T{}) {
      const T* const from = running.read(a, place.size());
      const auto u = read(running, n, x, incx);
      place.each([&](std::int64_t i, std::int64_t j, std::int64_t at) {
        if (i == j) {
          sums[i] += Wide<T>(conjugates ? without_imaginary_part(from[at]) : from[at]) * Wide<T>(u[i]);
          return;
        }
        sums[i] += Wide<T>(from[at]) * Wide<T>(u[j]);
        sums[j] += Wide<T>(conjugates ? conjugate(from[at]) : from[at]) * Wide<T>(u[i]);
      });
    }
    const auto to = write(running, n, y, incy);
    for (std::int64_t k = 0; k < n; ++k)
      to[k] = factor * static_cast<T>(sums[static_cast<std::size_t>(k)]) + (before == T{} ? T{} : before * to[k]);
  });
}

// A = alpha * x * x' + A; S: T, or of her the real type of its parts.
template <class S, class T>
cublasStatus_t add_square(const Call& call, bool conjugates, cublasFillMode_t uplo, const TrianglePlace& place,
                          const S* alpha, const T* x, std::int64_t incx, T* a) {
  const auto n = place.n;
  if (!letter_of(uplo) || !are_sizes({n}) || incx == 0 || !alpha ||
      (place.kind == TrianglePlace::Kind::full && !is_leading(place.ld, n)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<S> by(call, alpha);
  return call.enqueue(matrix_cost<T>(n * n, n * n + n), [=](Running& running) {
    const S factor = by.get(running);
    if (factor == S{}) return;
    const auto u = read(running, n, x, incx);
    T* const to = running.write(a, place.size());
    place.each([&](std::int64_t i, std::int64_t j, std::int64_t at) {
      to[at] += factor * u[i] * (conjugates ? conjugate(u[j]) : u[j]);
      if (conjugates && i == j) to[at] = without_imaginary_part(to[at]);
    });
  });
}

// A = alpha * x * y' + alpha' * y * x' + A.
template <class T>
cublasStatus_t add_product(const Call& call, bool conjugates, cublasFillMode_t uplo, const TrianglePlace& place,
                           const T* alpha, const T* x, std::int64_t incx, const T* y, std::int64_t incy, T* a) {
  const auto n = place.n;
  if (!letter_of(uplo) || !are_sizes({n}) || incx == 0 || incy == 0 || !alpha ||
      (place.kind == TrianglePlace::Kind::full && !is_leading(place.ld, n)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> by(call, alpha);
  return call.enqueue(matrix_cost<T>(2 * n * n, n * n + 2 * n), [=](Running& running) {
    const T factor = by.get(running), other = conjugates ? conjugate(factor) : factor;
    if (factor == T{}) return;
    const auto u = read(running, n, x, incx), v = read(running, n, y, incy);
    T* const to = running.write(a, place.size());
    const auto turned = [&](T e) { return conjugates ? conjugate(e) : e; };
    place.each([&](std::int64_t i, std::int64_t j, std::int64_t at) {
      to[at] += factor * u[i] * turned(v[j]) + other * v[i] * turned(u[j]);
      if (conjugates && i == j) to[at] = without_imaginary_part(to[at]);
    });
  });
}

#define NVMLKIT_WITH_VECTOR(full_name, band_name, packed_name, conjugates)                                            \
  template <class T>                                                                                                  \
  cublasStatus_t full_name(const Call& call, cublasFillMode_t uplo, std::int64_t n, const T* alpha, const T* a,       \
                           std::int64_t lda, const T* x, std::int64_t incx, const T* beta, T* y, std::int64_t incy) { \
    return with_vector(call, conjugates, uplo, TrianglePlace::full(uplo, n, lda), alpha, a, x, incx, beta, y, incy);  \
  }                                                                                                                   \
  template <class T>                                                                                                  \
  cublasStatus_t band_name(const Call& call, cublasFillMode_t uplo, std::int64_t n, std::int64_t k, const T* alpha,   \
                           const T* a, std::int64_t lda, const T* x, std::int64_t incx, const T* beta, T* y,          \
                           std::int64_t incy) {                                                                       \
    return with_vector(call, conjugates, uplo, TrianglePlace::band(uplo, n, k, lda), alpha, a, x, incx, beta, y,      \
                       incy);                                                                                         \
  }                                                                                                                   \
  template <class T>                                                                                                  \
  cublasStatus_t packed_name(const Call& call, cublasFillMode_t uplo, std::int64_t n, const T* alpha, const T* a,     \
                             const T* x, std::int64_t incx, const T* beta, T* y, std::int64_t incy) {                 \
    return with_vector(call, conjugates, uplo, TrianglePlace::packed(uplo, n), alpha, a, x, incx, beta, y, incy);     \
  }
NVMLKIT_WITH_VECTOR(symv, sbmv, spmv, false)
NVMLKIT_WITH_VECTOR(hemv, hbmv, hpmv, true)
#undef NVMLKIT_WITH_VECTOR

template <class T>
cublasStatus_t syr(const Call& call, cublasFillMode_t uplo, std::int64_t n, const T* alpha, const T* x,
                   std::int64_t incx, T* a, std::int64_t lda) {
  return add_square(call, false, uplo, TrianglePlace::full(uplo, n, lda), alpha, x, incx, a);
}
template <class T>
cublasStatus_t her(const Call& call, cublasFillMode_t uplo, std::int64_t n, const Real<T>* alpha, const T* x,
                   std::int64_t incx, T* a, std::int64_t lda) {
  return add_square(call, true, uplo, TrianglePlace::full(uplo, n, lda), alpha, x, incx, a);
}
template <class T>
cublasStatus_t spr(const Call& call, cublasFillMode_t uplo, std::int64_t n, const T* alpha, const T* x,
                   std::int64_t incx, T* a) {
  return add_square(call, false, uplo, TrianglePlace::packed(uplo, n), alpha, x, incx, a);
}
template <class T>
cublasStatus_t hpr(const Call& call, cublasFillMode_t uplo, std::int64_t n, const Real<T>* alpha, const T* x,
                   std::int64_t incx, T* a) {
  return add_square(call, true, uplo, TrianglePlace::packed(uplo, n), alpha, x, incx, a);
}

#define NVMLKIT_ADD_PRODUCT(full_name, packed_name, conjugates)                                                   \
  template <class T>                                                                                              \
  cublasStatus_t full_name(const Call& call, cublasFillMode_t uplo, std::int64_t n, const T* alpha, const T* x,   \
                           std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {            \
    return add_product(call, conjugates, uplo, TrianglePlace::full(uplo, n, lda), alpha, x, incx, y, incy, a);    \
  }                                                                                                               \
  template <class T>                                                                                              \
  cublasStatus_t packed_name(const Call& call, cublasFillMode_t uplo, std::int64_t n, const T* alpha, const T* x, \
                             std::int64_t incx, const T* y, std::int64_t incy, T* a) {                            \
    return add_product(call, conjugates, uplo, TrianglePlace::packed(uplo, n), alpha, x, incx, y, incy, a);       \
  }
NVMLKIT_ADD_PRODUCT(syr2, spr2, false)
NVMLKIT_ADD_PRODUCT(her2, hpr2, true)
#undef NVMLKIT_ADD_PRODUCT

// A triangle to its packed form and back.
template <class T>
cublasStatus_t trttp(const Call& call, cublasFillMode_t uplo, std::int64_t n, const T* a, std::int64_t lda, T* packed) {
  if (!letter_of(uplo) || !are_sizes({n}) || !is_leading(lda, n)) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(matrix_cost<T>(0, n * n), [=](Running& running) {
    const auto from = TrianglePlace::full(uplo, n, lda), to = TrianglePlace::packed(uplo, n);
    const T* const source = running.read(a, from.size());
    T* const target = running.write(packed, to.size());
    to.each([&](std::int64_t i, std::int64_t j, std::int64_t at) { target[at] = source[from.at(i, j)]; });
  });
}
template <class T>
cublasStatus_t tpttr(const Call& call, cublasFillMode_t uplo, std::int64_t n, const T* packed, T* a, std::int64_t lda) {
  if (!letter_of(uplo) || !are_sizes({n}) || !is_leading(lda, n)) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(matrix_cost<T>(0, n * n), [=](Running& running) {
    const auto from = TrianglePlace::packed(uplo, n), to = TrianglePlace::full(uplo, n, lda);
    const T* const source = running.read(packed, from.size());
    T* const target = running.write(a, to.size());
    from.each([&](std::int64_t i, std::int64_t j, std::int64_t at) { target[to.at(i, j)] = source[at]; });
  });
}

}  // namespace nvmlkit::cublas::functions
