// Factors of matrices, and systems of equations with them: Cholesky, LU, LDL. Templates of the scalar; `Pivot` is int,
// or a 64-bit integer in the functions with data types as arguments. Workspaces are not used.
#pragma once

#include "libraries/blas/plain_factors.hpp"
#include "libraries/cusolver/functions/matrix.hpp"

namespace nvmlkit::cusolver::functions {

template <class T>
cusolverStatus_t triangle_size(const Call&, cublasFillMode_t uplo, int n, const T* a, int lda, int* size) {
  return tell_size(size, n, letter_of(uplo) && square(a, n, lda).has_shape());
}
template <class T>
cusolverStatus_t square_size(const Call&, int n, const T* a, int lda, int* size) {
  return tell_size(size, n, square(a, n, lda).has_shape());
}
template <class T>
cusolverStatus_t sytri_size(const Call&, cublasFillMode_t uplo, int n, const T* a, int lda, const int*, int* size) {
  return tell_size(size, n, letter_of(uplo) && square(a, n, lda).has_shape());
}
template <class T>
cusolverStatus_t matrix_size(const Call&, int m, int n, const T* a, int lda, int* size) {
  return tell_size(size, std::max(m, n), Matrix<const T>{a, m, n, lda}.has_shape());
}

// CuPy gives the number of columns as the leading dimension of a matrix with more rows, and runs on hardware.
template <class T>
cusolverStatus_t geqrf_size(const Call&, int m, int n, const T* a, int lda, int* size) {
  return tell_size(size, std::max(m, n), lda >= 1 && Matrix<const T>{a, m, n, std::max(m, lda)}.has_shape());
}

// What a routine found. Programs may give no place for it: StarPU's Cholesky factors do, and run on hardware.
inline void leave(Running& running, int* info, int result) {
  if (info) *running.write(info, 1) = result;
}

// A routine of one triangle, in place: info = routine(triangle, n, matrix, leading dimension).
template <class T, class Routine>
cusolverStatus_t in_triangle(const Call& call, cublasFillMode_t uplo, const Matrix<T>& a, int* info, double operations,
                             Routine routine) {
  const char triangle = letter_of(uplo);
  if (!triangle || !a.is_right()) return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(operations, a.rows * a.rows), [=](Running& running) {
    leave(running, info, routine(triangle, a.n(), a.write(running), a.ld()));
  });
}

template <class T>
cusolverStatus_t potrf(const Call& call, cublasFillMode_t uplo, std::int64_t n, T* a, std::int64_t lda, T*, int lwork,
                       int* info) {
  if (lwork < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  return in_triangle(call, uplo, square(a, n, lda), info, cube(n) / 3, blas::potrf<T>);
}
template <class T>
cusolverStatus_t potri(const Call& call, cublasFillMode_t uplo, std::int64_t n, T* a, std::int64_t lda, T*, int lwork,
                       int* info) {
  if (lwork < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  return in_triangle(call, uplo, square(a, n, lda), info, cube(n) * 2 / 3, blas::potri<T>);
}
template <class T>
cusolverStatus_t lauum(const Call& call, cublasFillMode_t uplo, std::int64_t n, T* a, std::int64_t lda, T*, int lwork,
                       int* info) {
  if (lwork < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  return in_triangle(call, uplo, square(a, n, lda), info, cube(n) / 3, blas::lauum<T>);
}
template <class T>
cusolverStatus_t trtri(const Call& call, cublasFillMode_t uplo, cublasDiagType_t diag, std::int64_t n, T* a,
                       std::int64_t lda, int* info) {
  const char unit = diag == CUBLAS_DIAG_UNIT ? 'U' : diag == CUBLAS_DIAG_NON_UNIT ? 'N' : '\0';
  if (!unit) return CUSOLVER_STATUS_INVALID_VALUE;
  return in_triangle(call, uplo, square(a, n, lda), info, cube(n) / 3,
                     [unit](char triangle, int rows, T* matrix, int leading) {
                       return blas::trtri<T>(triangle, unit, rows, matrix, leading);
                     });
}

template <class T>
cusolverStatus_t potrs(const Call& call, cublasFillMode_t uplo, std::int64_t n, std::int64_t columns, const T* a,
                       std::int64_t lda, T* b, std::int64_t ldb, int* info) {
  const char triangle = letter_of(uplo);
  const auto factor = square(a, n, lda);
  const Matrix<T> right{b, n, columns, ldb};
  if (!triangle || !factor.is_right() || !right.is_right()) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = 2.0 * static_cast<double>(n * n) * static_cast<double>(columns);
  return call.enqueue(cost_of<T>(work, n * (n + columns)), [=](Running& running) {
    leave(running, info,
          blas::potrs<T>(triangle, factor.n(), right.n(), factor.read(running), factor.ld(), right.write(running),
                         right.ld()));
  });
}

template <class T>
cusolverStatus_t potrf_batched(const Call& call, cublasFillMode_t uplo, int n, T* const* a, int lda, int* infos,
                               int count) {
  const char triangle = letter_of(uplo);
  if (!triangle || count < 0 || n < 0 || lda < std::max(1, n) || !is_array(a, count) || !is_array(infos, count))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(count * cube(n) / 3, std::int64_t{count} * n * n), [=](Running& running) {
    T* const* const all = running.read(a, count);
    int* const states = running.write(infos, count);
    for (int i = 0; i < count; ++i) {
      states[i] = blas::potrf<T>(triangle, n, square(all[i], n, lda).write(running), lda);
      running.tick();
    }
  });
}

// As documented: one right side of each.
template <class T>
cusolverStatus_t potrs_batched(const Call& call, cublasFillMode_t uplo, int n, int columns, T* const* a, int lda,
                               T* const* b, int ldb, int* info, int count) {
  const char triangle = letter_of(uplo);
  if (!triangle || columns != 1 || count < 0 || n < 0 || lda < std::max(1, n) || !is_array(a, count) ||
      !is_array(b, count) || ldb < std::max(1, n))
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto size = std::int64_t{count} * n * n;
  return call.enqueue(cost_of<T>(2.0 * static_cast<double>(size), size), [=](Running& running) {
    T* const* const factors = running.read(a, count);
    T* const* const rights = running.read(b, count);
    int state = 0;
    for (int i = 0; i < count; ++i) {
      const int one = blas::potrs<T>(triangle, n, columns, square(factors[i], n, lda).read(running), lda,
                                     Matrix<T>{rights[i], n, columns, ldb}.write(running), ldb);
      if (state == 0) state = one;
    }
    leave(running, info, state);
  });
}

template <class T, class Pivot>
cusolverStatus_t getrf(const Call& call, std::int64_t m, std::int64_t n, T* a, std::int64_t lda, const T*,
                       Pivot* pivots, int* info) {
  const Matrix<T> matrix{a, m, n, lda};
  if (!matrix.is_right()) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto least = std::min(m, n);
  const auto work = 2.0 / 3 * static_cast<double>(m * n) * static_cast<double>(least);
  return call.enqueue(cost_of<T>(work, m * n), [=](Running& running) {
    T* const own = matrix.write(running);
    if (!pivots) return leave(running, info, blas::lu_without_exchanges(m, n, own, lda));
    std::vector<int> rows(static_cast<std::size_t>(least));
    leave(running, info, blas::getrf<T>(matrix.m(), matrix.n(), own, matrix.ld(), rows.data()));
    put_pivots(running, rows, pivots);
  });
}

template <class T, class Pivot>
cusolverStatus_t getrs(const Call& call, cublasOperation_t t, std::int64_t n, std::int64_t columns, const T* a,
                       std::int64_t lda, const Pivot* pivots, T* b, std::int64_t ldb, int* info) {
  const char letter = letter_of(t);
  const auto factor = square(a, n, lda);
  const Matrix<T> right{b, n, columns, ldb};
  if (!letter || !factor.is_right() || !right.is_right()) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = 2.0 * static_cast<double>(n * n) * static_cast<double>(columns);
  return call.enqueue(cost_of<T>(work, n * (n + columns)), [=](Running& running) {
    leave(running, info,
          blas::getrs<T>(letter, factor.n(), right.n(), factor.read(running), factor.ld(),
                         pivots_of(running, pivots, n).data(), right.write(running), right.ld()));
  });
}

template <class T>
cusolverStatus_t laswp(const Call& call, int n, T* a, int lda, int first, int last, const int* pivots, int step) {
  if (n < 0 || lda < 1 || first < 1 || last < first || last > lda || step == 0 || !is_array(a, n) || !pivots)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(0, std::int64_t{n} * (last - first + 1) * 2), [=](Running& running) {
    const auto count = (last - first) * std::int64_t{std::abs(step)} + first;
    const int* const all = running.read(pivots, count);
    int rows = last;
    for (std::int64_t i = first - 1; i < count; i += std::abs(step)) {
      need_row(all[i], lda);
      rows = std::max(rows, all[i]);
    }
    const Matrix<T> matrix{a, rows, n, lda};
    blas::laswp<T>(n, matrix.write(running), lda, first, last, all, step);
  });
}

// L D L^T without exchanges of rows, as a null array of pivots asks for: D has blocks of 1 by 1.
template <class T>
int ldl_in_place(bool is_lower, std::int64_t n, T* a, std::int64_t lda) {
  const auto at = [=](std::int64_t i, std::int64_t j) -> T& {  // of the lower triangle; the upper one from its end
    return is_lower ? a[i + j * lda] : a[(n - 1 - i) + (n - 1 - j) * lda];
  };
  int info = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const T pivot = at(k, k);
    if (pivot == T{}) {
      if (info == 0 || !is_lower) info = static_cast<int>(is_lower ? k + 1 : n - k);
      continue;
    }
    for (std::int64_t j = k + 1; j < n; ++j) {
      const T factor = at(j, k) / pivot;
      for (std::int64_t i = j; i < n; ++i) at(i, j) -= at(i, k) * factor;
    }
    for (std::int64_t i = k + 1; i < n; ++i) at(i, k) /= pivot;
  }
  return info;
}

template <class T>
cusolverStatus_t sytrf(const Call& call, cublasFillMode_t uplo, std::int64_t n, T* a, std::int64_t lda, int* pivots, T*,
                       int lwork, int* info) {
  if (lwork < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  const char triangle = letter_of(uplo);
  const auto matrix = square(a, n, lda);
  if (!triangle || !matrix.is_right()) return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(cube(n) / 3, n * n), [=](Running& running) {
    T* const own = matrix.write(running);
    if (!pivots) return leave(running, info, ldl_in_place(triangle == 'L', n, own, lda));
    std::vector<int> blocks(static_cast<std::size_t>(n));
    leave(running, info, blas::sytrf<T>(triangle, matrix.n(), own, matrix.ld(), blocks.data()));
    put_pivots(running, blocks, pivots);
  });
}

template <class T, class Pivot>
cusolverStatus_t sytrs(const Call& call, cublasFillMode_t uplo, std::int64_t n, std::int64_t columns, const T* a,
                       std::int64_t lda, const Pivot* pivots, T* b, std::int64_t ldb, int* info) {
  const char triangle = letter_of(uplo);
  const auto factor = square(a, n, lda);
  const Matrix<T> right{b, n, columns, ldb};
  if (!triangle || !factor.is_right() || !right.is_right()) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = 2.0 * static_cast<double>(n * n) * static_cast<double>(columns);
  return call.enqueue(cost_of<T>(work, n * (n + columns)), [=](Running& running) {
    leave(running, info,
          blas::sytrs<T>(triangle, factor.n(), right.n(), factor.read(running), factor.ld(),
                         pivots_of_blocks(running, pivots, n).data(), right.write(running), right.ld()));
  });
}

template <class T>
cusolverStatus_t sytri(const Call& call, cublasFillMode_t uplo, std::int64_t n, T* a, std::int64_t lda,
                       const int* pivots, T*, int lwork, int* info) {
  if (lwork < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  const char triangle = letter_of(uplo);
  const auto matrix = square(a, n, lda);
  if (!triangle || !matrix.is_right()) return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(cube(n) * 2 / 3, n * n), [=](Running& running) {
    const auto blocks = pivots_of_blocks(running, pivots, n);
    leave(running, info, blas::sytri<T>(triangle, matrix.n(), matrix.write(running), matrix.ld(), blocks.data()));
  });
}

}  // namespace nvmlkit::cusolver::functions
