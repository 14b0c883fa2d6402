// Updates of symmetric matrices by two others, products with diagonals, and matrices that are kept as bands or packed.
#pragma once

#include "libraries/cublas/functions/matrices.hpp"

namespace nvmlkit::cublas::functions {

// S: T, or of her2k the real type of its parts.
template <class S, class T, class Routine>
cublasStatus_t any_syr2k(const Call& call, Routine routine, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n,
                         std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                         const S* beta, T* c, std::int64_t ldc) {
  const auto rows = t == CUBLAS_OP_N ? n : k, columns = t == CUBLAS_OP_N ? k : n;
  if (!is_update_by_two(uplo, t, n, k, lda, ldb, ldc) || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> by(call, alpha);
  const Scalar<S> old(call, beta);
  return call.enqueue(matrix_cost<T>(2 * n * n * k, 2 * n * k + n * n), [=](Running& running) {
    const T* const own_a = running.read(a, matrix_size(rows, columns, lda));
    const T* const own_b = running.read(b, matrix_size(rows, columns, ldb));
    routine(letter_of(uplo), letter_of(t), as_int(n), as_int(k), by.get(running), own_a, as_int(lda), own_b,
            as_int(ldb), old.get(running), running.write(c, matrix_size(n, n, ldc)), as_int(ldc));
  });
}
template <class T>
cublasStatus_t syr2k(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n, std::int64_t k,
                     const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, const T* beta, T* c,
                     std::int64_t ldc) {
  if (!std::is_same_v<T, Real<T>> && t == CUBLAS_OP_C) return CUBLAS_STATUS_INVALID_VALUE;
  return any_syr2k(call, blas::syr2k<T>, uplo, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
cublasStatus_t her2k(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n, std::int64_t k,
                     const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, const Real<T>* beta,
                     T* c, std::int64_t ldc) {
  if (t == CUBLAS_OP_T) return CUBLAS_STATUS_INVALID_VALUE;
  return any_syr2k(call, blas::her2k<T>, uplo, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// Rows or columns times the elements of a vector. The result may be the matrix.
template <class T>
cublasStatus_t dgmm(const Call& call, cublasSideMode_t side, std::int64_t m, std::int64_t n, const T* a,
                    std::int64_t lda, const T* x, std::int64_t incx, T* c, std::int64_t ldc) {
  if (!letter_of(side) || !are_sizes({m, n}) || !is_leading(lda, m) || !is_leading(ldc, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(matrix_cost<T>(m * n, 2 * m * n), [=](Running& running) {
    const bool is_left = side == CUBLAS_SIDE_LEFT;
    const auto factors = read(running, is_left ? m : n, x, incx);
    const T* const from = running.read(a, matrix_size(m, n, lda));
    T* const to = running.write(c, matrix_size(m, n, ldc));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) to[i + j * ldc] = from[i + j * lda] * factors[is_left ? i : j];
  });
}

template <class T>
cublasStatus_t gbmv(const Call& call, cublasOperation_t t, std::int64_t m, std::int64_t n, std::int64_t kl,
                    std::int64_t ku, const T* alpha, const T* a, std::int64_t lda, const T* x, std::int64_t incx,
                    const T* beta, T* y, std::int64_t incy) {
  if (!letter_of(t) || !are_sizes({m, n, kl, ku}) || !is_leading(lda, kl + ku + 1) || incx == 0 || incy == 0 ||
      !alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> by(call, alpha), old(call, beta);
  const auto columns = t == CUBLAS_OP_N ? n : m, rows = t == CUBLAS_OP_N ? m : n;
  return call.enqueue(matrix_cost<T>(2 * n * (kl + ku + 1), n * (kl + ku + 1)), [=](Running& running) {
    const T* const own_a = running.read(a, matrix_size(kl + ku + 1, n, lda));
    const T* const own_x = running.read(x, span_of(columns, incx));
    blas::gbmv<T>(letter_of(t), as_int(m), as_int(n), as_int(kl), as_int(ku), by.get(running), own_a, as_int(lda),
                  own_x, as_int(incx), old.get(running), running.write(y, span_of(rows, incy)), as_int(incy));
  });
}

template <class T>
using BandRoutine = void (*)(char, char, char, int, int, const T*, int, T*, int);
template <class T>
cublasStatus_t band(const Call& call, BandRoutine<T> routine, cublasFillMode_t uplo, cublasOperation_t t,
                    cublasDiagType_t diag, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, T* x,
                    std::int64_t incx) {
  if (!letter_of(uplo) || !letter_of(t) || !letter_of(diag) || !are_sizes({n, k}) || !is_leading(lda, k + 1) ||
      incx == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(matrix_cost<T>(2 * n * (k + 1), n * (k + 3)), [=](Running& running) {
    const T* const own_a = running.read(a, matrix_size(k + 1, n, lda));
    routine(letter_of(uplo), letter_of(t), letter_of(diag), as_int(n), as_int(k), own_a, as_int(lda),
            running.write(x, span_of(n, incx)), as_int(incx));
  });
}
template <class T>
cublasStatus_t tbmv(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, cublasDiagType_t diag, std::int64_t n,
                    std::int64_t k, const T* a, std::int64_t lda, T* x, std::int64_t incx) {
  return band<T>(call, blas::tbmv<T>, uplo, t, diag, n, k, a, lda, x, incx);
}
template <class T>
cublasStatus_t tbsv(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, cublasDiagType_t diag, std::int64_t n,
                    std::int64_t k, const T* a, std::int64_t lda, T* x, std::int64_t incx) {
  return band<T>(call, blas::tbsv<T>, uplo, t, diag, n, k, a, lda, x, incx);
}

template <class T>
using PackedRoutine = void (*)(char, char, char, int, const T*, T*, int);
template <class T>
cublasStatus_t packed(const Call& call, PackedRoutine<T> routine, cublasFillMode_t uplo, cublasOperation_t t,
                      cublasDiagType_t diag, std::int64_t n, const T* a, T* x, std::int64_t incx) {
  if (!letter_of(uplo) || !letter_of(t) || !letter_of(diag) || !are_sizes({n}) || incx == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(matrix_cost<T>(n * n, n * n / 2 + 2 * n), [=](Running& running) {
    const T* const own_a = running.read(a, n * (n + 1) / 2);
    routine(letter_of(uplo), letter_of(t), letter_of(diag), as_int(n), own_a, running.write(x, span_of(n, incx)),
            as_int(incx));
  });
}
template <class T>
cublasStatus_t tpmv(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, cublasDiagType_t diag, std::int64_t n,
                    const T* a, T* x, std::int64_t incx) {
  return packed<T>(call, blas::tpmv<T>, uplo, t, diag, n, a, x, incx);
}
template <class T>
cublasStatus_t tpsv(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, cublasDiagType_t diag, std::int64_t n,
                    const T* a, T* x, std::int64_t incx) {
  return packed<T>(call, blas::tpsv<T>, uplo, t, diag, n, a, x, incx);
}

}  // namespace nvmlkit::cublas::functions
