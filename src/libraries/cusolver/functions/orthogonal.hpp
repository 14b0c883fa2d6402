// QR factors, and matrices in tridiagonal and bidiagonal form: products of reflectors, applied and as matrices. Of
// complex numbers, the unitary ones. Workspaces are not used.
#pragma once

#include "libraries/cusolver/functions/matrix.hpp"

namespace nvmlkit::cusolver::functions {

template <class T>
cusolverStatus_t orgqr_size(const Call&, int m, int n, int k, const T* a, int lda, const T*, int* size) {
  return tell_size(size, n, k >= 0 && k <= n && n <= m && Matrix<const T>{a, m, n, lda}.has_shape());
}
template <class T>
cusolverStatus_t ormqr_size(const Call&, cublasSideMode_t side, cublasOperation_t t, int m, int n, int k, const T* a,
                            int lda, const T*, const T* c, int ldc, int* size) {
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  return tell_size(size, std::max(m, n),
                   letter_of(side) && letter_of(t) && k <= order && Matrix<const T>{a, order, k, lda}.has_shape() &&
                       Matrix<const T>{c, m, n, ldc}.has_shape());
}
inline cusolverStatus_t gebrd_size(const Call&, int m, int n, int* size) {
  return tell_size(size, std::max(m, n), m >= 0 && n >= 0);
}
template <class T>
cusolverStatus_t orgbr_size(const Call&, cublasSideMode_t side, int m, int n, int, const T* a, int lda, const T*,
                            int* size) {
  return tell_size(size, std::max(m, n), letter_of(side) && Matrix<const T>{a, m, n, lda}.has_shape());
}
template <class T>
cusolverStatus_t sytrd_size(const Call&, cublasFillMode_t uplo, int n, const T* a, int lda, const Real<T>*,
                            const Real<T>*, const T*, int* size) {
  return tell_size(size, n, letter_of(uplo) && square(a, n, lda).has_shape());
}
template <class T>
cusolverStatus_t orgtr_size(const Call&, cublasFillMode_t uplo, int n, const T* a, int lda, const T*, int* size) {
  return tell_size(size, n, letter_of(uplo) && square(a, n, lda).has_shape());
}
template <class T>
cusolverStatus_t ormtr_size(const Call&, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t t, int m,
                            int n, const T* a, int lda, const T*, const T* c, int ldc, int* size) {
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  return tell_size(size, std::max(m, n),
                   letter_of(side) && letter_of(uplo) && letter_of(t) && square(a, order, lda).has_shape() &&
                       Matrix<const T>{c, m, n, ldc}.has_shape());
}

template <class T>
cusolverStatus_t geqrf(const Call& call, std::int64_t m, std::int64_t n, T* a, std::int64_t lda, T* tau, T*, int lwork,
                       int* info) {
  const Matrix<T> matrix{a, m, n, lda};
  const auto least = std::min(m, n);
  if (!matrix.is_right() || !is_array(tau, least) || !info || lwork < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = 2.0 * static_cast<double>(m * n) * static_cast<double>(least);
  return call.enqueue(cost_of<T>(work, m * n), [=](Running& running) {
    *running.write(info, 1) =
        blas::geqrf<T>(matrix.m(), matrix.n(), matrix.write(running), matrix.ld(), running.write(tau, least));
  });
}

template <class T>
cusolverStatus_t orgqr(const Call& call, int m, int n, int k, T* a, int lda, const T* tau, T*, int lwork, int* info) {
  const Matrix<T> matrix{a, m, n, lda};
  if (!matrix.is_right() || n > m || k < 0 || k > n || !is_array(tau, k) || !info || lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto size = std::int64_t{m} * n;
  return call.enqueue(cost_of<T>(2.0 * static_cast<double>(size) * k, size), [=](Running& running) {
    *running.write(info, 1) = blas::orgqr<T>(m, n, k, matrix.write(running), lda, running.read(tau, k));
  });
}

// A transpose of a product of complex reflectors is none that LAPACK has.
template <class T>
char letter_for(cublasOperation_t t) {
  const char letter = letter_of(t);
  if (blas::is_complex(blas::kTypeOf<T>)) return letter == 'T' ? '\0' : letter;
  return letter == 'C' ? 'T' : letter;
}

template <class T>
cusolverStatus_t ormqr(const Call& call, cublasSideMode_t side, cublasOperation_t t, int m, int n, int k, const T* a,
                       int lda, const T* tau, T* c, int ldc, T*, int lwork, int* info) {
  const char place = letter_of(side), letter = letter_for<T>(t);
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  const Matrix<const T> reflectors{a, order, k, lda};
  const Matrix<T> matrix{c, m, n, ldc};
  if (!place || !letter || !reflectors.is_right() || k > order || !matrix.is_right() || !is_array(tau, k) || !info ||
      lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto size = std::int64_t{m} * n;
  return call.enqueue(cost_of<T>(4.0 * static_cast<double>(size) * k, size), [=](Running& running) {
    // LAPACK writes to the reflectors, and restores them.
    auto own = reflectors.copy(running);
    *running.write(info, 1) = blas::ormqr<T>(place, letter, m, n, k, own.data(), std::max(order, 1),
                                             running.read(tau, k), matrix.write(running), ldc);
  });
}

template <class T>
cusolverStatus_t gebrd(const Call& call, int m, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tauq, T* taup, T*,
                       int lwork, int* info) {
  const Matrix<T> matrix{a, m, n, lda};
  const int least = std::min(m, n);
  // As documented: at least as many rows as columns.
  if (!matrix.is_right() || m < n || !is_array(d, least) || !is_array(e, least - 1) || !is_array(tauq, least) ||
      !is_array(taup, least) || !info || lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto size = std::int64_t{m} * n;
  return call.enqueue(cost_of<T>(4.0 * static_cast<double>(size) * least, size), [=](Running& running) {
    *running.write(info, 1) =
        blas::gebrd<T>(m, n, matrix.write(running), lda, running.write(d, least), running.write(e, least - 1),
                       running.write(tauq, least), running.write(taup, least));
  });
}

template <class T>
cusolverStatus_t orgbr(const Call& call, cublasSideMode_t side, int m, int n, int k, T* a, int lda, const T* tau, T*,
                       int lwork, int* info) {
  const Matrix<T> matrix{a, m, n, lda};
  const bool is_left = side == CUBLAS_SIDE_LEFT;
  const auto fits = is_left ? m >= n && n >= std::min(m, k) : n >= m && m >= std::min(n, k);
  const int count = is_left ? std::min(m, k) : std::min(n, k);
  if (!letter_of(side) || !matrix.is_right() || k < 0 || !fits || !is_array(tau, count) || !info || lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto size = std::int64_t{m} * n;
  return call.enqueue(cost_of<T>(4.0 * static_cast<double>(size) * k, size), [=](Running& running) {
    *running.write(info, 1) =
        blas::orgbr<T>(is_left ? 'Q' : 'P', m, n, k, matrix.write(running), lda, running.read(tau, count));
  });
}

template <class T>
cusolverStatus_t sytrd(const Call& call, cublasFillMode_t uplo, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tau,
                       T*, int lwork, int* info) {
  const auto matrix = square(a, n, lda);
  const char triangle = letter_of(uplo);
  if (!triangle || !matrix.is_right() || !is_array(d, n) || !is_array(e, n - 1) || !is_array(tau, n - 1) || !info ||
      lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(cube(n) * 4 / 3, matrix.rows * n), [=](Running& running) {
    *running.write(info, 1) = blas::sytrd<T>(triangle, n, matrix.write(running), lda, running.write(d, n),
                                             running.write(e, n - 1), running.write(tau, n - 1));
  });
}

template <class T>
cusolverStatus_t orgtr(const Call& call, cublasFillMode_t uplo, int n, T* a, int lda, const T* tau, T*, int lwork,
                       int* info) {
  const auto matrix = square(a, n, lda);
  const char triangle = letter_of(uplo);
  if (!triangle || !matrix.is_right() || !is_array(tau, n - 1) || !info || lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(cube(n) * 4 / 3, matrix.rows * n), [=](Running& running) {
    *running.write(info, 1) = blas::orgtr<T>(triangle, n, matrix.write(running), lda, running.read(tau, n - 1));
  });
}

template <class T>
cusolverStatus_t ormtr(const Call& call, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t t, int m,
                       int n, const T* a, int lda, const T* tau, T* c, int ldc, T*, int lwork, int* info) {
  const char place = letter_of(side), triangle = letter_of(uplo), letter = letter_for<T>(t);
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  const auto reflectors = square(a, order, lda);
  const Matrix<T> matrix{c, m, n, ldc};
  if (!place || !triangle || !letter || !reflectors.is_right() || !matrix.is_right() || !is_array(tau, order - 1) ||
      !info || lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto size = std::int64_t{m} * n;
  return call.enqueue(cost_of<T>(4.0 * static_cast<double>(size) * order, size), [=](Running& running) {
    auto own = reflectors.copy(running);
    *running.write(info, 1) = blas::ormtr<T>(place, triangle, letter, m, n, own.data(), std::max(order, 1),
                                             running.read(tau, order - 1), matrix.write(running), ldc);
  });
}

}  // namespace nvmlkit::cusolver::functions
