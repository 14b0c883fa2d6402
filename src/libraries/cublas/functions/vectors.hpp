// Level 1: vectors. The sums of single precision are kept in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

#include "libraries/blas/convert.hpp"
#include "libraries/blas/routines.hpp"
#include "libraries/cublas/call.hpp"

namespace nvmlkit::cublas::functions {

using blas::Real;

template <class T>
struct WideOf {
  using Type = double;
};
template <class T>
struct WideOf<std::complex<T>> {
  using Type = DoubleComplex;
};
template <class T>
using Wide = typename WideOf<T>::Type;

// Elements that a vector spans.
inline std::int64_t span_of(std::int64_t n, std::int64_t step) {
  return n > 0 ? 1 + (n - 1) * (step < 0 ? -step : step) : 0;
}

// A vector in memory of the host. With a negative step it begins at its end.
template <class T>
struct Vector {
  T* first;
  std::int64_t step;
  Vector(T* start, std::int64_t n, std::int64_t by) : first(by < 0 ? start - (n - 1) * by : start), step(by) {}
  T& operator[](std::int64_t k) const { return first[k * step]; }
};

template <class T>
Vector<const T> read(Running& running, std::int64_t n, const T* x, std::int64_t step) {
  return {running.read(x, span_of(n, step)), n, step};
}
template <class T>
Vector<T> write(Running& running, std::int64_t n, T* x, std::int64_t step) {
  return {running.write(x, span_of(n, step)), n, step};
}

template <class T>
Cost cost_of(std::int64_t n, double operations, double vectors) {
  return {operations * static_cast<double>(n), vectors * static_cast<double>(n) * sizeof(T)};
}

template <class T>
T conjugate(T v) {
  if constexpr (std::is_same_v<T, Real<T>>)
    return v;
  else
    return std::conj(v);
}

template <bool conjugates, class T>
cublasStatus_t any_dot(const Call& call, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                       T* result) {
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  const Answer<T> answer(call, result);
  return call.enqueue_with_answer(cost_of<T>(n, 2, 2), [=](Running& running) {
    Wide<T> sum{};
    if (n > 0) {
      const auto a = read(running, n, x, incx), b = read(running, n, y, incy);
      for (std::int64_t k = 0; k < n; ++k) sum += Wide<T>(conjugates ? conjugate(a[k]) : a[k]) * Wide<T>(b[k]);
    }
    answer.get(running) = static_cast<T>(sum);
  });
}
template <class T>
cublasStatus_t dot(const Call& call, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                   T* result) {
  return any_dot<false>(call, n, x, incx, y, incy, result);
}
template <class T>
cublasStatus_t dotc(const Call& call, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    T* result) {
  return any_dot<true>(call, n, x, incx, y, incy, result);
}

cublasStatus_t dot_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                      const void* y, cudaDataType type_y, std::int64_t incy, void* result, cudaDataType type_result,
                      cudaDataType sums);
cublasStatus_t dotc_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                       const void* y, cudaDataType type_y, std::int64_t incy, void* result, cudaDataType type_result,
                       cudaDataType sums);
cublasStatus_t axpy_ex(const Call& call, std::int64_t n, const void* alpha, cudaDataType type_alpha, const void* x,
                       cudaDataType type_x, std::int64_t incx, void* y, cudaDataType type_y, std::int64_t incy,
                       cudaDataType sums);
cublasStatus_t scal_ex(const Call& call, std::int64_t n, const void* alpha, cudaDataType type_alpha, void* x,
                       cudaDataType type_x, std::int64_t incx, cudaDataType sums);
cublasStatus_t nrm2_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                       void* result, cudaDataType type_result, cudaDataType sums);
cublasStatus_t asum_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx,
                       void* result, cudaDataType type_result, cudaDataType sums);
cublasStatus_t copy_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type_x, std::int64_t incx, void* y,
                       cudaDataType type_y, std::int64_t incy);
cublasStatus_t swap_ex(const Call& call, std::int64_t n, void* x, cudaDataType type_x, std::int64_t incx, void* y,
                       cudaDataType type_y, std::int64_t incy);
cublasStatus_t rot_ex(const Call& call, std::int64_t n, void* x, cudaDataType type_x, std::int64_t incx, void* y,
                      cudaDataType type_y, std::int64_t incy, const void* c, const void* s, cudaDataType type_factors,
                      cudaDataType sums);
// The place of the largest or smallest element; of 32 or 64 bits.
cublasStatus_t extreme_ex(const Call& call, bool is_largest, std::int64_t n, const void* x, cudaDataType type,
                          std::int64_t incx, void* result, std::size_t size_of_result);
template <class Index>
cublasStatus_t iamax_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type, std::int64_t incx,
                        Index* result) {
  return extreme_ex(call, true, n, x, type, incx, result, sizeof(Index));
}
template <class Index>
cublasStatus_t iamin_ex(const Call& call, std::int64_t n, const void* x, cudaDataType type, std::int64_t incx,
                        Index* result) {
  return extreme_ex(call, false, n, x, type, incx, result, sizeof(Index));
}

template <class T>
cublasStatus_t axpy(const Call& call, std::int64_t n, const T* alpha, const T* x, std::int64_t incx, T* y,
                    std::int64_t incy) {
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<T> factor(call, alpha);
  return call.enqueue(cost_of<T>(n, 2, 3), [=](Running& running) {
    const T by = factor.get(running);
    const auto from = read(running, n, x, incx);
    const auto to = write(running, n, y, incy);
    if (by == T{}) return;  // as BLAS: x may be NaN. CuPy's `eigsh` counts on it
    for (std::int64_t k = 0; k < n; ++k) to[k] += by * from[k];
  });
}

// S: T, or the real type of its parts.
template <class S, class T>
cublasStatus_t scal(const Call& call, std::int64_t n, const S* alpha, T* x, std::int64_t incx) {
  if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<S> factor(call, alpha);
  return call.enqueue(cost_of<T>(n, 1, 2), [=](Running& running) {
    const S by = factor.get(running);
    const auto to = write(running, n, x, incx);
    for (std::int64_t k = 0; k < n; ++k) to[k] *= by;
  });
}

template <class T>
cublasStatus_t copy(const Call& call, std::int64_t n, const T* x, std::int64_t incx, T* y, std::int64_t incy) {
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(cost_of<T>(n, 0, 2), [=](Running& running) {
    const auto from = read(running, n, x, incx);
    const auto to = write(running, n, y, incy);
    for (std::int64_t k = 0; k < n; ++k) to[k] = from[k];
  });
}

template <class T>
cublasStatus_t swap(const Call& call, std::int64_t n, T* x, std::int64_t incx, T* y, std::int64_t incy) {
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(cost_of<T>(n, 0, 4), [=](Running& running) {
    const auto a = write(running, n, x, incx), b = write(running, n, y, incy);
    for (std::int64_t k = 0; k < n; ++k) std::swap(a[k], b[k]);
  });
}

// Of an element: |re| + |im|, as BLAS measures complex numbers.
template <class T>
double size_of_element(T v) {
  if constexpr (std::is_same_v<T, Real<T>>)
    return std::abs(static_cast<double>(v));
  else
    return std::abs(static_cast<double>(v.real())) + std::abs(static_cast<double>(v.imag()));
}

template <class T>
cublasStatus_t nrm2(const Call& call, std::int64_t n, const T* x, std::int64_t incx, Real<T>* result) {
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  const Answer<Real<T>> answer(call, result);
  return call.enqueue_with_answer(cost_of<T>(n, 2, 1), [=](Running& running) {
    double largest = 0, sum = 0;
    if (n > 0 && incx > 0) {
      const auto a = read(running, n, x, incx);
      for (std::int64_t k = 0; k < n; ++k) largest = std::max(largest, size_of_element(a[k]));
      // Scaled, so that no square is too large or too small.
      const double unit = largest > 0 && std::isfinite(largest) ? largest : 1;
      for (std::int64_t k = 0; k < n; ++k) sum += std::norm(Wide<T>(a[k]) / unit);
      sum = std::sqrt(sum) * unit;
    }
    answer.get(running) = static_cast<Real<T>>(sum);
  });
}

template <class T>
cublasStatus_t asum(const Call& call, std::int64_t n, const T* x, std::int64_t incx, Real<T>* result) {
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  const Answer<Real<T>> answer(call, result);
  return call.enqueue_with_answer(cost_of<T>(n, 1, 1), [=](Running& running) {
    double sum = 0;
    if (n > 0 && incx > 0) {
      const auto a = read(running, n, x, incx);
      for (std::int64_t k = 0; k < n; ++k) sum += size_of_element(a[k]);
    }
    answer.get(running) = static_cast<Real<T>>(sum);
  });
}

// The place of the first element of the extreme size, counted from 1; 0 for no elements.
template <bool is_largest, class T, class Index>
cublasStatus_t extreme(const Call& call, std::int64_t n, const T* x, std::int64_t incx, Index* result) {
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  const Answer<Index> answer(call, result);
  return call.enqueue_with_answer(cost_of<T>(n, 1, 1), [=](Running& running) {
    std::int64_t found = -1;
    if (n > 0 && incx > 0) {
      const auto a = read(running, n, x, incx);
      double best = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        const double size = size_of_element(a[k]);
        if (found >= 0 && (is_largest ? !(size > best) : !(size < best))) continue;
        found = k;
        best = size;
      }
    }
    answer.get(running) = static_cast<Index>(found + 1);
  });
}
template <class T, class Index>
cublasStatus_t iamax(const Call& call, std::int64_t n, const T* x, std::int64_t incx, Index* result) {
  return extreme<true>(call, n, x, incx, result);
}
template <class T, class Index>
cublasStatus_t iamin(const Call& call, std::int64_t n, const T* x, std::int64_t incx, Index* result) {
  return extreme<false>(call, n, x, incx, result);
}

template <class T, class S>
cublasStatus_t rot(const Call& call, std::int64_t n, T* x, std::int64_t incx, T* y, std::int64_t incy, const Real<T>* c,
                   const S* s) {
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  if (!c || !s) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<Real<T>> cosine(call, c);
  const Scalar<S> sine(call, s);
  return call.enqueue(cost_of<T>(n, 6, 4), [=](Running& running) {
    const auto co = cosine.get(running);
    const auto si = sine.get(running);
    const auto a = write(running, n, x, incx), b = write(running, n, y, incy);
    for (std::int64_t k = 0; k < n; ++k) {
      const T u = a[k], v = b[k];
      a[k] = co * u + si * v;
      b[k] = co * v - conjugate(si) * u;
    }
  });
}

}  // namespace nvmlkit::cublas::functions
