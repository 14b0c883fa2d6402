// Singular values, in descending order, and their vectors. The Jacobi functions and the approximate ones compute the
// same by LAPACK's method. Workspaces are not used.
#pragma once

#include "libraries/cusolver/functions/residual.hpp"

namespace nvmlkit::cusolver::functions {

inline cusolverStatus_t gesvd_size(const Call&, int m, int n, int* size) {
  return tell_size(size, m, n >= 0 && m >= n);
}
template <class T>
cusolverStatus_t gesvdj_size(const Call&, cusolverEigMode_t job, int, int m, int n, const T* a, int lda, const Real<T>*,
                             const T*, int, const T*, int, int* size, const JacobiSingular* info) {
  return tell_size(size, std::max(m, n),
                   letter_of(job) && is_object(info) && Matrix<const T>{a, m, n, lda}.has_shape());
}
template <class T>
cusolverStatus_t gesvdj_batched_size(const Call& call, cusolverEigMode_t job, int m, int n, const T* a, int lda,
                                     const Real<T>* s, const T* u, int ldu, const T* v, int ldv, int* size,
                                     const JacobiSingular* info, int count) {
  if (count < 0 || m > 32 || n > 32) return CUSOLVER_STATUS_INVALID_VALUE;
  return gesvdj_size(call, job, 0, m, n, a, lda, s, u, ldu, v, ldv, size, info);
}
template <class T>
cusolverStatus_t gesvda_size(const Call&, cusolverEigMode_t job, int rank, int m, int n, const T* a, int lda, long long,
                             const Real<T>*, long long, const T*, int, long long, const T*, int, long long, int* size,
                             int count) {
  return tell_size(
      size, m,
      letter_of(job) && rank >= 0 && rank <= n && m >= n && count >= 0 && Matrix<const T>{a, m, n, lda}.has_shape());
}

// As documented: at least as many rows as columns. A: all vectors, S: as many as singular values, O: instead of the
// matrix.
template <class T>
cusolverStatus_t gesvd(const Call& call, signed char jobu, signed char jobvt, std::int64_t m, std::int64_t n, T* a,
                       std::int64_t lda, Real<T>* s, T* u, std::int64_t ldu, T* vt, std::int64_t ldvt, T*, int lwork,
                       Real<T>* superdiagonal, int* info) {
  const auto is_job = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
  const auto has_own = [](signed char job) { return job == 'A' || job == 'S'; };
  const Matrix<T> matrix{a, m, n, lda};
  const Matrix<T> left{u, m, !has_own(jobu) ? 0 : jobu == 'A' ? m : n, ldu};
  const Matrix<T> right{vt, has_own(jobvt) ? n : 0, n, ldvt};
  if (!is_job(jobu) || !is_job(jobvt) || (jobu == 'O' && jobvt == 'O') || !matrix.is_right() || m < n ||
      !is_array(s, n) || (has_own(jobu) && !left.is_right()) || (has_own(jobvt) && !right.is_right()) || !info ||
      lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = 20.0 * static_cast<double>(m * n) * static_cast<double>(n);
  return call.enqueue(cost_of<T>(work, m * (n + left.columns) + n * right.rows), [=](Running& running) {
    const auto most = std::max<std::int64_t>(1, m), least = std::max<std::int64_t>(1, n);
    *running.write(info, 1) = blas::gesvd<T>(
        static_cast<char>(jobu), static_cast<char>(jobvt), matrix.m(), matrix.n(), matrix.write(running), matrix.ld(),
        running.write(s, n), left.write(running), has_own(jobu) ? left.ld() : static_cast<int>(most),
        right.write(running), has_own(jobvt) ? right.ld() : static_cast<int>(least),
        superdiagonal && n > 1 ? running.write(superdiagonal, n - 1) : nullptr);
  });
}

// A decomposition on the side of the host: V is not transposed.
template <class T>
struct Decomposition {
  std::vector<T> u, vt;
  std::vector<Real<T>> s;
  int info = 0;

  // `wanted`: A, S or N, as gesdd has them. The matrix is lost.
  Decomposition(char wanted, std::vector<T> a, std::int64_t m, std::int64_t n) : s(size(std::min(m, n))) {
    const auto least = std::min(m, n);
    const auto left = wanted == 'A' ? m : wanted == 'S' ? least : 0;
    rows_of_vt = wanted == 'A' ? n : wanted == 'S' ? least : 0;
    u.resize(size(m * left));
    vt.resize(size(rows_of_vt * n));
    info = blas::gesdd<T>(wanted, static_cast<int>(m), static_cast<int>(n), a.data(), at_least_one(m), s.data(),
                          u.data(), at_least_one(m), vt.data(), at_least_one(rows_of_vt));
  }
  // Columns of U and V, to memory of the device.
  void put_u(T* to, std::int64_t m, std::int64_t columns, std::int64_t leading) const {
    for (std::int64_t j = 0; j < columns; ++j) std::copy_n(u.data() + j * m, m, to + j * leading);
  }
  void put_v(T* to, std::int64_t n, std::int64_t columns, std::int64_t leading) const {
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        const T value = vt[size(j + i * rows_of_vt)];
        if constexpr (blas::is_complex(blas::kTypeOf<T>))
          to[i + j * leading] = std::conj(value);
        else
          to[i + j * leading] = value;
      }
  }
  static int at_least_one(std::int64_t n) { return static_cast<int>(std::max<std::int64_t>(1, n)); }
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

  std::int64_t rows_of_vt = 0;
};

// U and V, by the first columns that are wanted: `economy` leaves out those behind the singular values. `then` gets the
// matrix as it was, and what was found.
template <class T, class Then>
cusolverStatus_t svd(const Call& call, cusolverEigMode_t job, bool economy, std::int64_t m, std::int64_t n, T* a,
                     std::int64_t lda, Real<T>* s, T* u, std::int64_t ldu, T* v, std::int64_t ldv, int* info,
                     Then then) {
  const char letter = letter_of(job);
  const auto least = std::min(m, n), columns_u = economy ? least : m, columns_v = economy ? least : n;
  const Matrix<T> matrix{a, m, n, lda}, left{u, m, columns_u, ldu}, right{v, n, columns_v, ldv};
  if (!letter || !matrix.is_right() || !is_array(s, least) ||
      (letter == 'V' && (!left.is_right() || !right.is_right())) || !info)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = 20.0 * static_cast<double>(m * n) * static_cast<double>(least);
  return call.enqueue(cost_of<T>(work, m * n * 2), [=](Running& running) {
    auto before = matrix.copy(running);
    const Decomposition<T> found(letter == 'V' && !economy ? 'A' : 'S', before, m, n);
    *running.write(info, 1) = found.info;
    std::copy(found.s.begin(), found.s.end(), running.write(s, least));
    if (letter == 'V') {
      found.put_u(left.write(running), m, columns_u, ldu);
      found.put_v(right.write(running), n, columns_v, ldv);
    }
    then(std::move(before), found);
  });
}

template <class T>
cusolverStatus_t gesvdj(const Call& call, cusolverEigMode_t job, int economy, int m, int n, T* a, int lda, Real<T>* s,
                        T* u, int ldu, T* v, int ldv, T*, int lwork, int* info, JacobiSingular* parameters) {
  if (lwork < 0 || !is_object(parameters)) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto result = parameters->result;
  const auto status = svd(call, job, economy != 0, m, n, a, lda, s, u, ldu, v, ldv, info,
                          [=](std::vector<T> before, const Decomposition<T>& found) {
                            result->residual = residual_of<T>(std::move(before), m, n, std::min(m, n), found.u.data(),
                                                              m, found.s.data(), 'N', found.vt.data(),
                                                              Decomposition<T>::at_least_one(found.rows_of_vt));
                          });
  if (status == CUSOLVER_STATUS_SUCCESS) result->is_batched = false;
  return status;
}

// As documented: matrices of at most 32 rows and columns, one behind the other, all vectors.
template <class T>
cusolverStatus_t gesvdj_batched(const Call& call, cusolverEigMode_t job, int m, int n, T* a, int lda, Real<T>* s, T* u,
                                int ldu, T* v, int ldv, T*, int lwork, int* infos, JacobiSingular* parameters,
                                int count) {
  const char letter = letter_of(job);
  const Matrix<T> matrix{a, m, n, lda}, left{u, m, m, ldu}, right{v, n, n, ldv};
  if (!letter || m > 32 || n > 32 || count < 0 || !matrix.is_right() || !is_array(s, std::min(m, n)) ||
      (letter == 'V' && (!left.is_right() || !right.is_right())) || !is_array(infos, count) || lwork < 0 ||
      !is_object(parameters))
    return CUSOLVER_STATUS_INVALID_VALUE;
  parameters->result->is_batched = true;
  const auto size = std::int64_t{count} * m * n;
  return call.enqueue(cost_of<T>(20.0 * static_cast<double>(size) * std::min(m, n), size * 3), [=](Running& running) {
    const std::int64_t least = std::min(m, n);
    int* const states = running.write(infos, count);
    Real<T>* const values = running.write(s, count * least);
    for (std::int64_t i = 0; i < count; ++i) {
      const Decomposition<T> found(letter == 'V' ? 'A' : 'N', matrix.at(a + i * lda * n).copy(running), m, n);
      states[i] = found.info;
      std::copy(found.s.begin(), found.s.end(), values + i * least);
      if (letter == 'N') continue;
      found.put_u(left.at(u + i * ldu * m).write(running), m, m, ldu);
      found.put_v(right.at(v + i * ldv * n).write(running), n, n, ldv);
    }
  });
}

// The largest `rank` singular values of each; the norms of what is missing are in memory of the host, for which the
// call waits.
template <class T>
cusolverStatus_t gesvda(const Call& call, cusolverEigMode_t job, int rank, int m, int n, const T* a, int lda,
                        long long step_a, Real<T>* s, long long step_s, T* u, int ldu, long long step_u, T* v, int ldv,
                        long long step_v, T*, int lwork, int* infos, double* norms, int count) {
  const char letter = letter_of(job);
  const Matrix<const T> matrix{a, m, n, lda};
  const Matrix<T> left{u, m, rank, ldu}, right{v, n, rank, ldv};
  if (!letter || rank < 0 || rank > n || m < n || count < 0 || !matrix.is_right() || !is_array(s, rank) ||
      (letter == 'V' && (!left.is_right() || !right.is_right())) || !is_array(infos, count) || lwork < 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto size = std::int64_t{count} * m * n;
  const auto work = [=](Running& running) {
    int* const states = running.write(infos, count);
    for (std::int64_t i = 0; i < count; ++i) {
      auto before = matrix.at(a + i * step_a).copy(running);
      const Decomposition<T> found(letter == 'V' || norms ? 'S' : 'N', before, m, n);
      states[i] = found.info;
      std::copy_n(found.s.begin(), rank, running.write(s + i * step_s, rank));
      if (norms)
        norms[i] = residual_of<T>(std::move(before), m, n, rank, found.u.data(), m, found.s.data(), 'N',
                                  found.vt.data(), Decomposition<T>::at_least_one(found.rows_of_vt));
      running.tick();
      if (letter == 'N') continue;
      found.put_u(left.at(u + i * step_u).write(running), m, rank, ldu);
      found.put_v(right.at(v + i * step_v).write(running), n, rank, ldv);
    }
  };
  const auto cost = cost_of<T>(20.0 * static_cast<double>(size) * n, size * 2);
  return norms ? call.enqueue_and_wait(cost, work) : call.enqueue(cost, work);
}

}  // namespace nvmlkit::cusolver::functions
