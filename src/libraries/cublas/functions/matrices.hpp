// Levels 2 and 3 apart from products of two full matrices: OpenBLAS's routine for each function, one or in batches.
#pragma once

#include <algorithm>
#include <limits>

#include "libraries/blas/routines.hpp"
#include "libraries/cublas/functions/vectors.hpp"

namespace nvmlkit::cublas::functions {

// What BLAS calls what cuBLAS numbers; 0 for a wrong number. CUBLAS_OP_CONJG is no operation of the GPU either.
inline char letter_of(cublasOperation_t t) { return t <= CUBLAS_OP_C ? "NTC"[t] : '\0'; }
inline char letter_of(cublasFillMode_t uplo) { return uplo <= CUBLAS_FILL_MODE_UPPER ? "LU"[uplo] : '\0'; }
inline char letter_of(cublasSideMode_t side) { return side <= CUBLAS_SIDE_RIGHT ? "LR"[side] : '\0'; }
inline char letter_of(cublasDiagType_t diag) { return diag <= CUBLAS_DIAG_UNIT ? "NU"[diag] : '\0'; }

// Sizes of OpenBLAS: of 32 bits, not negative.
inline bool are_sizes(std::initializer_list<std::int64_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](auto n) { return n >= 0 && n <= std::numeric_limits<int>::max(); });
}
inline bool is_leading(std::int64_t ld, std::int64_t rows) {
  return ld >= std::max<std::int64_t>(rows, 1) && ld <= std::numeric_limits<int>::max();
}

// Letters and sizes of an update of a triangle of n by n by two matrices, each of n by k or its transpose.
inline bool is_update_by_two(cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n, std::int64_t k,
                             std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
  const auto rows = t == CUBLAS_OP_N ? n : k;
  return letter_of(uplo) && letter_of(t) && are_sizes({n, k}) && is_leading(lda, rows) && is_leading(ldb, rows) &&
         is_leading(ldc, n);
}
inline std::int64_t matrix_size(std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return rows > 0 && columns > 0 ? (columns - 1) * ld + rows : 0;
}
inline int as_int(std::int64_t n) { return static_cast<int>(n); }

template <class T>
Cost matrix_cost(std::int64_t operations, std::int64_t elements) {
  const double by = std::is_same_v<T, Real<T>> ? 1 : 4;
  return {by * static_cast<double>(operations), static_cast<double>(elements) * sizeof(T)};
}

template <class T>
cublasStatus_t gemv(const Call& call, cublasOperation_t t, std::int64_t m, std::int64_t n, const T* alpha, const T* a,
                    std::int64_t lda, const T* x, std::int64_t incx, const T* beta, T* y, std::int64_t incy) {
  const char letter = letter_of(t);
  if (!letter || !are_sizes({m, n})) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  if (!is_leading(lda, m) || incx == 0 || incy == 0 || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  const auto columns = t == CUBLAS_OP_N ? n : m, rows = t == CUBLAS_OP_N ? m : n;
  const Scalar<T> by(call, alpha), old(call, beta);
  return call.enqueue(matrix_cost<T>(2 * m * n, m * n + m + n), [=](Running& running) {
    const T* const own_a = running.read(a, matrix_size(m, n, lda));
    const T* const own_x = running.read(x, span_of(columns, incx));
    blas::gemv<T>(letter, as_int(m), as_int(n), by.get(running), own_a, as_int(lda), own_x, as_int(incx),
                  old.get(running), running.write(y, span_of(rows, incy)), as_int(incy));
  });
}

template <bool conjugates, class T>
cublasStatus_t any_ger(const Call& call, std::int64_t m, std::int64_t n, const T* alpha, const T* x, std::int64_t incx,
                       const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  if (!are_sizes({m, n}) || !is_leading(lda, m) || incx == 0 || incy == 0 || !alpha) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(call, alpha);
  return call.enqueue(matrix_cost<T>(2 * m * n, 2 * m * n), [=](Running& running) {
    const T by = factor.get(running);
    const auto u = read(running, m, x, incx), v = read(running, n, y, incy);
    T* const to = running.write(a, matrix_size(m, n, lda));
    for (std::int64_t j = 0; j < n; ++j) {
      const T right = by * (conjugates ? conjugate(v[j]) : v[j]);
      for (std::int64_t i = 0; i < m; ++i) to[i + j * lda] += u[i] * right;
    }
  });
}
template <class T>
cublasStatus_t ger(const Call& call, std::int64_t m, std::int64_t n, const T* alpha, const T* x, std::int64_t incx,
                   const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  return any_ger<false>(call, m, n, alpha, x, incx, y, incy, a, lda);
}
template <class T>
cublasStatus_t gerc(const Call& call, std::int64_t m, std::int64_t n, const T* alpha, const T* x, std::int64_t incx,
                    const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  return any_ger<true>(call, m, n, alpha, x, incx, y, incy, a, lda);
}

// trmv, trsv: a triangle and a vector.
template <class T>
using TriangleRoutine = void (*)(char, char, char, int, const T*, int, T*, int);
template <class T>
cublasStatus_t triangle(const Call& call, TriangleRoutine<T> routine, cublasFillMode_t uplo, cublasOperation_t t,
                        cublasDiagType_t diag, std::int64_t n, const T* a, std::int64_t lda, T* x, std::int64_t incx) {
  if (!letter_of(uplo) || !letter_of(t) || !letter_of(diag) || !are_sizes({n}) || !is_leading(lda, n) || incx == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(matrix_cost<T>(n * n, n * n / 2 + 2 * n), [=](Running& running) {
    routine(letter_of(uplo), letter_of(t), letter_of(diag), as_int(n), running.read(a, matrix_size(n, n, lda)),
            as_int(lda), running.write(x, span_of(n, incx)), as_int(incx));
  });
}
template <class T>
cublasStatus_t trmv(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, cublasDiagType_t diag, std::int64_t n,
                    const T* a, std::int64_t lda, T* x, std::int64_t incx) {
  return triangle<T>(call, blas::trmv<T>, uplo, t, diag, n, a, lda, x, incx);
}
template <class T>
cublasStatus_t trsv(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, cublasDiagType_t diag, std::int64_t n,
                    const T* a, std::int64_t lda, T* x, std::int64_t incx) {
  return triangle<T>(call, blas::trsv<T>, uplo, t, diag, n, a, lda, x, incx);
}

template <class T>
cublasStatus_t check_triangle(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t t, cublasDiagType_t diag,
                              std::int64_t m, std::int64_t n, const T* alpha, std::int64_t lda, std::int64_t ldb) {
  const auto order = side == CUBLAS_SIDE_LEFT ? m : n;
  const bool is_right = letter_of(side) && letter_of(uplo) && letter_of(t) && letter_of(diag) && are_sizes({m, n}) &&
                        is_leading(lda, order) && is_leading(ldb, m) && alpha;
  return is_right ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

template <class T>
cublasStatus_t trsm(const Call& call, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t t,
                    cublasDiagType_t diag, std::int64_t m, std::int64_t n, const T* alpha, const T* a, std::int64_t lda,
                    T* b, std::int64_t ldb) {
  const auto status = check_triangle(side, uplo, t, diag, m, n, alpha, lda, ldb);
  if (status != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return status;
  const auto order = side == CUBLAS_SIDE_LEFT ? m : n;
  const Scalar<T> factor(call, alpha);
  return call.enqueue(matrix_cost<T>(m * n * order, order * order / 2 + 2 * m * n), [=](Running& running) {
    const T* const own_a = running.read(a, matrix_size(order, order, lda));
    blas::trsm<T>(letter_of(side), letter_of(uplo), letter_of(t), letter_of(diag), as_int(m), as_int(n),
                  factor.get(running), own_a, as_int(lda), running.write(b, matrix_size(m, n, ldb)), as_int(ldb));
  });
}

template <class T>
cublasStatus_t trsm_batched(const Call& call, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t t,
                            cublasDiagType_t diag, std::int64_t m, std::int64_t n, const T* alpha, const T* const* a,
                            std::int64_t lda, T* const* b, std::int64_t ldb, std::int64_t count) {
  const auto status = check_triangle(side, uplo, t, diag, m, n, alpha, lda, ldb);
  if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (status != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0 || count == 0) return status;
  const auto order = side == CUBLAS_SIDE_LEFT ? m : n;
  const Scalar<T> factor(call, alpha);
  return call.enqueue(matrix_cost<T>(count * m * n * order, count * 2 * m * n), [=](Running& running) {
    const T by = factor.get(running);
    const T* const* const all_a = running.read(a, count);
    T* const* const all_b = running.read(b, count);
    for (std::int64_t i = 0; i < count; ++i) {
      const T* const own_a = running.read(all_a[i], matrix_size(order, order, lda));
      blas::trsm<T>(letter_of(side), letter_of(uplo), letter_of(t), letter_of(diag), as_int(m), as_int(n), by, own_a,
                    as_int(lda), running.write(all_b[i], matrix_size(m, n, ldb)), as_int(ldb));
    }
  });
}

// As cuBLAS has it: the result is another matrix, which may be B.
template <class T>
cublasStatus_t trmm(const Call& call, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t t,
                    cublasDiagType_t diag, std::int64_t m, std::int64_t n, const T* alpha, const T* a, std::int64_t lda,
                    const T* b, std::int64_t ldb, T* c, std::int64_t ldc) {
  const auto status = check_triangle(side, uplo, t, diag, m, n, alpha, lda, ldb);
  if (!is_leading(ldc, m)) return CUBLAS_STATUS_INVALID_VALUE;
  if (status != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return status;
  const auto order = side == CUBLAS_SIDE_LEFT ? m : n;
  const Scalar<T> factor(call, alpha);
  return call.enqueue(matrix_cost<T>(m * n * order, order * order / 2 + 2 * m * n), [=](Running& running) {
    const T* const own_a = running.read(a, matrix_size(order, order, lda));
    const T* const from = running.read(b, matrix_size(m, n, ldb));
    T* const to = running.write(c, matrix_size(m, n, ldc));
    if (from != to)
      for (std::int64_t j = 0; j < n; ++j) std::copy_n(from + j * ldb, m, to + j * ldc);
    blas::trmm<T>(letter_of(side), letter_of(uplo), letter_of(t), letter_of(diag), as_int(m), as_int(n),
                  factor.get(running), own_a, as_int(lda), to, as_int(ldc));
  });
}

template <class T>
cublasStatus_t any_symm(const Call& call, bool conjugates, cublasSideMode_t side, cublasFillMode_t uplo, std::int64_t m,
                        std::int64_t n, const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                        const T* beta, T* c, std::int64_t ldc) {
  const auto order = side == CUBLAS_SIDE_LEFT ? m : n;
  if (!letter_of(side) || !letter_of(uplo) || !are_sizes({m, n}) || !is_leading(lda, order) || !is_leading(ldb, m) ||
      !is_leading(ldc, m) || !alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> by(call, alpha), old(call, beta);
  return call.enqueue(matrix_cost<T>(2 * m * n * order, order * order + 3 * m * n), [=](Running& running) {
    const T* const own_a = running.read(a, matrix_size(order, order, lda));
    const T* const own_b = running.read(b, matrix_size(m, n, ldb));
    blas::symm<T>(conjugates, letter_of(side), letter_of(uplo), as_int(m), as_int(n), by.get(running), own_a,
                  as_int(lda), own_b, as_int(ldb), old.get(running), running.write(c, matrix_size(m, n, ldc)),
                  as_int(ldc));
  });
}
template <class T>
cublasStatus_t symm(const Call& call, cublasSideMode_t side, cublasFillMode_t uplo, std::int64_t m, std::int64_t n,
                    const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, const T* beta, T* c,
                    std::int64_t ldc) {
  return any_symm(call, false, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
cublasStatus_t hemm(const Call& call, cublasSideMode_t side, cublasFillMode_t uplo, std::int64_t m, std::int64_t n,
                    const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, const T* beta, T* c,
                    std::int64_t ldc) {
  return any_symm(call, true, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

// S: T, or of herk the real type of its parts. read(running, count, use) calls use(numbers of A).
template <class S, class T, class Routine, class Read>
cublasStatus_t syrk_by(const Call& call, Routine routine, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n,
                       std::int64_t k, const S* alpha, std::int64_t lda, const S* beta, T* c, std::int64_t ldc,
                       Read read) {
  const auto rows = t == CUBLAS_OP_N ? n : k, columns = t == CUBLAS_OP_N ? k : n;
  if (!letter_of(uplo) || !letter_of(t) || !are_sizes({n, k}) || !is_leading(lda, rows) || !is_leading(ldc, n) ||
      !alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<S> by(call, alpha), old(call, beta);
  return call.enqueue(matrix_cost<T>(n * n * k, n * k + n * n), [=](Running& running) {
    read(running, matrix_size(rows, columns, lda), [&](const T* own_a) {
      routine(letter_of(uplo), letter_of(t), as_int(n), as_int(k), by.get(running), own_a, as_int(lda),
              old.get(running), running.write(c, matrix_size(n, n, ldc)), as_int(ldc));
    });
  });
}
template <class S, class T, class Routine>
cublasStatus_t any_syrk(const Call& call, Routine routine, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n,
                        std::int64_t k, const S* alpha, const T* a, std::int64_t lda, const S* beta, T* c,
                        std::int64_t ldc) {
  return syrk_by(call, routine, uplo, t, n, k, alpha, lda, beta, c, ldc,
                 [=](Running& running, std::int64_t count, auto use) { use(running.read(a, count)); });
}
template <class T>
cublasStatus_t syrk(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n, std::int64_t k,
                    const T* alpha, const T* a, std::int64_t lda, const T* beta, T* c, std::int64_t ldc) {
  if (!std::is_same_v<T, Real<T>> && t == CUBLAS_OP_C) return CUBLAS_STATUS_INVALID_VALUE;
  return any_syrk(call, blas::syrk<T>, uplo, t, n, k, alpha, a, lda, beta, c, ldc);
}
template <class T>
cublasStatus_t herk(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n, std::int64_t k,
                    const Real<T>* alpha, const T* a, std::int64_t lda, const Real<T>* beta, T* c, std::int64_t ldc) {
  if (t == CUBLAS_OP_T) return CUBLAS_STATUS_INVALID_VALUE;
  return any_syrk(call, blas::herk<T>, uplo, t, n, k, alpha, a, lda, beta, c, ldc);
}

template <class T>
cublasStatus_t geam(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m, std::int64_t n,
                    const T* alpha, const T* a, std::int64_t lda, const T* beta, const T* b, std::int64_t ldb, T* c,
                    std::int64_t ldc) {
  const auto rows_a = ta == CUBLAS_OP_N ? m : n, rows_b = tb == CUBLAS_OP_N ? m : n;
  if (!letter_of(ta) || !letter_of(tb) || !are_sizes({m, n}) || !is_leading(lda, rows_a) || !is_leading(ldb, rows_b) ||
      !is_leading(ldc, m) || !alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> of_a(call, alpha), of_b(call, beta);
  return call.enqueue(matrix_cost<T>(3 * m * n, 3 * m * n), [=](Running& running) {
    const T by_a = of_a.get(running), by_b = of_b.get(running);
    // A matrix of factor 0 is not read.
    const auto find = [&](T by, cublasOperation_t t, const T* p, std::int64_t ld) {
      return by == T{} ? nullptr : running.read(p, t == CUBLAS_OP_N ? matrix_size(m, n, ld) : matrix_size(n, m, ld));
    };
    const T* const own_a = find(by_a, ta, a, lda);
    const T* const own_b = find(by_b, tb, b, ldb);
    T* const to = running.write(c, matrix_size(m, n, ldc));
    const auto at = [](const T* p, cublasOperation_t t, std::int64_t ld, std::int64_t i, std::int64_t j) {
      if (!p) return T{};
      const T v = t == CUBLAS_OP_N ? p[i + j * ld] : p[j + i * ld];
      return t == CUBLAS_OP_C ? conjugate(v) : v;
    };
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        to[i + j * ldc] = by_a * at(own_a, ta, lda, i, j) + by_b * at(own_b, tb, ldb, i, j);
  });
}

}  // namespace nvmlkit::cublas::functions
