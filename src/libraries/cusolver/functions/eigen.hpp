// Eigenvalues of symmetric and Hermitian matrices, in ascending order, and their vectors. The Jacobi functions compute
// the same by LAPACK's method. Workspaces are not used.
#pragma once

#include "libraries/cusolver/functions/residual.hpp"

namespace nvmlkit::cusolver::functions {

template <class T>
cusolverStatus_t syevd_size(const Call&, cusolverEigMode_t job, cublasFillMode_t uplo, std::int64_t n, const T* a,
                            std::int64_t lda, const Real<T>*, int* size) {
  return tell_size(size, n, letter_of(job) && letter_of(uplo) && square(a, n, lda).has_shape());
}
template <class T>
cusolverStatus_t syevj_size(const Call& call, cusolverEigMode_t job, cublasFillMode_t uplo, int n, const T* a, int lda,
                            const Real<T>* w, int* size, const JacobiEigen* info) {
  return is_object(info) ? syevd_size(call, job, uplo, n, a, lda, w, size) : CUSOLVER_STATUS_INVALID_VALUE;
}
template <class T>
cusolverStatus_t syevj_batched_size(const Call& call, cusolverEigMode_t job, cublasFillMode_t uplo, int n, const T* a,
                                    int lda, const Real<T>* w, int* size, const JacobiEigen* info, int count) {
  return count >= 0 ? syevj_size(call, job, uplo, n, a, lda, w, size, info) : CUSOLVER_STATUS_INVALID_VALUE;
}
template <class T>
cusolverStatus_t sygvd_size(const Call& call, cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo,
                            int n, const T* a, int lda, const T* b, int ldb, const Real<T>* w, int* size) {
  if (kind < CUSOLVER_EIG_TYPE_1 || kind > CUSOLVER_EIG_TYPE_3 || !square(b, n, ldb).has_shape())
    return CUSOLVER_STATUS_INVALID_VALUE;
  return syevd_size(call, job, uplo, n, a, lda, w, size);
}
template <class T>
cusolverStatus_t sygvj_size(const Call& call, cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo,
                            int n, const T* a, int lda, const T* b, int ldb, const Real<T>* w, int* size,
                            const JacobiEigen* info) {
  return is_object(info) ? sygvd_size(call, kind, job, uplo, n, a, lda, b, ldb, w, size)
                         : CUSOLVER_STATUS_INVALID_VALUE;
}

// `count` matrices, one behind the other, as are their eigenvalues and their states.
template <class T>
cusolverStatus_t syev_each(const Call& call, cusolverEigMode_t job, cublasFillMode_t uplo, std::int64_t n, T* a,
                           std::int64_t lda, Real<T>* w, int* infos, std::int64_t count) {
  const char letter = letter_of(job), triangle = letter_of(uplo);
  const auto shape = square(a, n, lda);
  if (!letter || !triangle || count < 0 || !is_array(infos, count)) return CUSOLVER_STATUS_INVALID_VALUE;
  if (count > 0 && (!shape.is_right() || !is_array(w, n))) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = static_cast<double>(count) * cube(n) * (letter == 'V' ? 9 : 4.0 / 3);
  return call.enqueue(cost_of<T>(work, count * n * n), [=](Running& running) {
    Real<T>* const values = running.write(w, count * n);
    int* const states = running.write(infos, count);
    for (std::int64_t i = 0; i < count; ++i) {
      T* const own = shape.at(a + i * lda * n).write(running);
      states[i] = blas::syevd<T>(letter, triangle, shape.n(), own, shape.ld(), values + i * n);
      running.tick();
    }
  });
}

template <class T>
cusolverStatus_t syevd(const Call& call, cusolverEigMode_t job, cublasFillMode_t uplo, std::int64_t n, T* a,
                       std::int64_t lda, Real<T>* w, T*, int lwork, int* info) {
  if (lwork < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  return syev_each(call, job, uplo, n, a, lda, w, info, 1);
}
template <class T>
cusolverStatus_t syevj_batched(const Call& call, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T* a, int lda,
                               Real<T>* w, T*, int lwork, int* infos, JacobiEigen* parameters, int count) {
  if (lwork < 0 || !is_object(parameters)) return CUSOLVER_STATUS_INVALID_VALUE;
  parameters->result->is_batched = true;
  return syev_each(call, job, uplo, n, a, lda, w, infos, count);
}

// Leaves the norm of what is missing, as it stands when the stream is done.
template <class T>
cusolverStatus_t syevj(const Call& call, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T* a, int lda, Real<T>* w,
                       T*, int lwork, int* info, JacobiEigen* parameters) {
  const char letter = letter_of(job), triangle = letter_of(uplo);
  const auto matrix = square(a, n, lda);
  if (!letter || !triangle || !matrix.is_right() || !is_array(w, n) || !info || lwork < 0 || !is_object(parameters))
    return CUSOLVER_STATUS_INVALID_VALUE;
  parameters->result->is_batched = false;
  const auto result = parameters->result;
  return call.enqueue(cost_of<T>(9 * cube(n), matrix.rows * n), [=](Running& running) {
    auto before = matrix.copy(running);
    auto vectors = before;
    Real<T>* const values = running.write(w, n);
    *running.write(info, 1) = blas::syevd<T>('V', triangle, n, vectors.data(), std::max(n, 1), values);
    mirror(before, n, triangle == 'L');
    result->residual =
        residual_of<T>(std::move(before), n, n, n, vectors.data(), n, values, 'C', vectors.data(), std::max(n, 1));
    T* const out = matrix.write(running);
    if (letter == 'V')
      for (std::int64_t j = 0; j < n; ++j) std::copy_n(vectors.data() + j * n, n, out + j * lda);
  });
}

template <class T>
cusolverStatus_t sygvd(const Call& call, cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo, int n,
                       T* a, int lda, T* b, int ldb, Real<T>* w, T*, int lwork, int* info) {
  const char letter = letter_of(job), triangle = letter_of(uplo);
  const auto left = square(a, n, lda), right = square(b, n, ldb);
  if (kind < CUSOLVER_EIG_TYPE_1 || kind > CUSOLVER_EIG_TYPE_3 || !letter || !triangle || !left.is_right() ||
      !right.is_right() || !is_array(w, n) || !info || lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(cube(n) * 14, left.rows * n * 2), [=](Running& running) {
    *running.write(info, 1) = blas::sygvd<T>(static_cast<int>(kind), letter, triangle, n, left.write(running), lda,
                                             right.write(running), ldb, running.write(w, n));
  });
}
template <class T>
cusolverStatus_t sygvj(const Call& call, cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo, int n,
                       T* a, int lda, T* b, int ldb, Real<T>* w, T* work, int lwork, int* info,
                       JacobiEigen* parameters) {
  if (!is_object(parameters)) return CUSOLVER_STATUS_INVALID_VALUE;
  return sygvd(call, kind, job, uplo, n, a, lda, b, ldb, w, work, lwork, info);
}

}  // namespace nvmlkit::cusolver::functions
