// Some of the eigenvalues of symmetric and Hermitian matrices: those of an interval, or of given numbers. The number of
// those found is in memory of the host: the calls wait for it.
#pragma once

#include "libraries/cusolver/functions/eigen.hpp"

namespace nvmlkit::cusolver::functions {

// Which eigenvalues a program wants: all, those in (low, high], or those from first to last, counted from 1.
template <class R>
struct Range {
  cusolverEigRange_t kind;
  R low, high;
  std::int64_t first, last;

  bool is_right(std::int64_t n) const {
    if (kind == CUSOLVER_EIG_RANGE_V) return n == 0 || low < high;
    if (kind == CUSOLVER_EIG_RANGE_I)
      return first >= 1 && first <= std::max<std::int64_t>(1, n) && last <= n && last >= std::min(n, first);
    return kind == CUSOLVER_EIG_RANGE_ALL;
  }
  // Moves them, and the columns of their vectors, to the front. Their number.
  template <class T>
  std::int64_t keep(R* values, T* vectors, std::int64_t n, std::int64_t leading) const {
    std::int64_t from = 0, to = n;
    if (kind == CUSOLVER_EIG_RANGE_I) {
      from = first - 1;
      to = last;
    } else if (kind == CUSOLVER_EIG_RANGE_V) {
      from = std::upper_bound(values, values + n, low) - values;
      to = std::upper_bound(values, values + n, high) - values;
    }
    for (std::int64_t k = from; from > 0 && k < to; ++k) {
      values[k - from] = values[k];
      if (vectors) std::copy_n(vectors + k * leading, n, vectors + (k - from) * leading);
    }
    return to - from;
  }
};

template <class T>
cusolverStatus_t syevdx_size(const Call& call, cusolverEigMode_t job, cusolverEigRange_t kind, cublasFillMode_t uplo,
                             int n, const T* a, int lda, Real<T> low, Real<T> high, int first, int last, int*,
                             const Real<T>* w, int* size) {
  if (!Range<Real<T>>{kind, low, high, first, last}.is_right(n)) return CUSOLVER_STATUS_INVALID_VALUE;
  return syevd_size(call, job, uplo, n, a, lda, w, size);
}
template <class T>
cusolverStatus_t sygvdx_size(const Call& call, cusolverEigType_t type, cusolverEigMode_t job, cusolverEigRange_t kind,
                             cublasFillMode_t uplo, int n, const T* a, int lda, const T* b, int ldb, Real<T> low,
                             Real<T> high, int first, int last, int*, const Real<T>* w, int* size) {
  if (!Range<Real<T>>{kind, low, high, first, last}.is_right(n)) return CUSOLVER_STATUS_INVALID_VALUE;
  return sygvd_size(call, type, job, uplo, n, a, lda, b, ldb, w, size);
}

// `Count`: int, or a 64-bit integer.
template <class T, class Count>
cusolverStatus_t syevdx_of(const Call& call, cusolverEigMode_t job, const Range<Real<T>>& range, cublasFillMode_t uplo,
                           std::int64_t n, T* a, std::int64_t lda, Count* found, Real<T>* w, int* info) {
  const char letter = letter_of(job), triangle = letter_of(uplo);
  const auto matrix = square(a, n, lda);
  if (!letter || !triangle || !matrix.is_right() || !range.is_right(n) || !is_array(w, n) || !found || !info)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue_and_wait(cost_of<T>(9 * cube(n), n * n), [=](Running& running) {
    Real<T>* const values = running.write(w, n);
    T* const own = matrix.write(running);
    const int state = blas::syevd<T>(letter, triangle, matrix.n(), own, matrix.ld(), values);
    *running.write(info, 1) = state;
    *found = state ? 0 : static_cast<Count>(range.keep(values, letter == 'V' ? own : nullptr, n, lda));
  });
}

template <class T>
cusolverStatus_t syevdx(const Call& call, cusolverEigMode_t job, cusolverEigRange_t kind, cublasFillMode_t uplo, int n,
                        T* a, int lda, Real<T> low, Real<T> high, int first, int last, int* found, Real<T>* w, T*,
                        int lwork, int* info) {
  if (lwork < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  return syevdx_of<T>(call, job, Range<Real<T>>{kind, low, high, first, last}, uplo, n, a, lda, found, w, info);
}

template <class T>
cusolverStatus_t sygvdx(const Call& call, cusolverEigType_t type, cusolverEigMode_t job, cusolverEigRange_t kind,
                        cublasFillMode_t uplo, int n, T* a, int lda, T* b, int ldb, Real<T> low, Real<T> high,
                        int first, int last, int* found, Real<T>* w, T*, int lwork, int* info) {
  const char letter = letter_of(job), triangle = letter_of(uplo);
  const Range<Real<T>> range{kind, low, high, first, last};
  const auto left = square(a, n, lda), right = square(b, n, ldb);
  if (type < CUSOLVER_EIG_TYPE_1 || type > CUSOLVER_EIG_TYPE_3 || !letter || !triangle || !left.is_right() ||
      !right.is_right() || !range.is_right(n) || !is_array(w, n) || !found || !info || lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue_and_wait(cost_of<T>(14 * cube(n), left.rows * n * 2), [=](Running& running) {
    Real<T>* const values = running.write(w, n);
    T* const own = left.write(running);
    const int state =
        blas::sygvd<T>(static_cast<int>(type), letter, triangle, n, own, lda, right.write(running), ldb, values);
    *running.write(info, 1) = state;
    *found = state ? 0 : static_cast<int>(range.keep(values, letter == 'V' ? own : nullptr, n, lda));
  });
}

}  // namespace nvmlkit::cusolver::functions
