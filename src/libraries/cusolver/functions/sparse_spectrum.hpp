// Eigenvalues of sparse matrices, and least squares of any rank.
#pragma once

#include <limits>

#include "libraries/blas/lapack.hpp"
#include "libraries/cusolver/functions/sparse.hpp"
#include "libraries/cusolver/sparse/least_squares.hpp"

namespace nvmlkit::cusolver::functions {

// The shortest x with the least |A x - b|. Columns whose rest is not longer than the tolerance depend on the others.
template <class T>
cusolverStatus_t csrlsqvqr_host(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                                const T* values, const int* offsets, const int* columns, const T* b, Real<T> tolerance,
                                int* rank, T* x, int* p, Real<T>* residual) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const Pattern pattern{m, count, options, offsets, columns};
  if (const auto status = pattern.check(); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (m == 0 || n <= 0 || !b || !rank || !x || !p || !residual || (count > 0 && !values))
    return CUSOLVER_STATUS_INVALID_VALUE;
  const int base = pattern.base();
  if (!sparse::is_right(offsets, columns, m, n, count, base)) return CUSOLVER_STATUS_INVALID_VALUE;
  const sparse::LeastSquares<T> solved(sparse::shifted_rows_of(offsets, columns, values, m, n, base, T{}), n,
                                       std::vector<T>(b, b + m), tolerance);
  const auto solution = solved.solution();
  *rank = solved.rank();
  *residual = static_cast<Real<T>>(solved.residual());
  std::copy(solution.begin(), solution.end(), x);
  std::copy(solved.order().begin(), solved.order().end(), p);
  return CUSOLVER_STATUS_SUCCESS;
}

// The eigenvalue next to mu0, from a first vector: y = (A - mu0 I)^-1 x again and again.
template <class T>
struct ShiftInverse {
  Pattern pattern;
  const T* values;
  T shift;
  const T* first;
  int most;
  Real<T> tolerance;
  T *value, *vector;

  cusolverStatus_t check(const SparseHandle* handle) const {
    if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (const auto status = pattern.check(); status != CUSOLVER_STATUS_SUCCESS) return status;
    const bool is_right = pattern.n > 0 && values && first && most >= 0 && value && vector;
    return is_right ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
  }

  // Arrays of the host. False where the offsets or the columns are none.
  template <class Tick>
  bool run(const int* offsets, const int* columns, const T* numbers, const T* x0, T* mu, T* x, Tick tick) const {
    const int n = pattern.n, base = pattern.base();
    if (!sparse::is_right(offsets, columns, n, n, pattern.count, base)) return false;
    const auto a = sparse::shifted_rows_of(offsets, columns, numbers, n, n, base, T{});
    const auto least = std::numeric_limits<Real<T>>::epsilon() * length_of_rows(a);
    const auto factors_of = [&](T mu0) {
      auto rows = sparse::shifted_rows_of(offsets, columns, numbers, n, n, base, mu0);
      return std::make_unique<const Factors>(std::move(rows), tick);
    };
    auto factors = factors_of(shift);
    // A shift that is an eigenvalue leaves no factors: one beside it leads to the vector at once.
    if (factors->r.first_below(least) >= 0) factors = factors_of(shift + (least > 0 ? 4 * least : Real<T>{1}));
    std::vector<T> now(x0, x0 + n);
    normalize(now);
    *mu = quotient(a, now);
    for (int step = 0; step < most && !(error_of(a, now, *mu) < tolerance); ++step, tick()) {
      now = factors->q.turned(now.data(), n);
      factors->r.solve(now);
      normalize(now);
      *mu = quotient(a, now);
    }
    std::copy(now.begin(), now.end(), x);
    return true;
  }

 private:
  using Rows = std::vector<sparse::Row<T>>;

  struct Factors {
    sparse::Rotations<T> q;
    sparse::Qr<T> r;

    template <class Tick>
    Factors(Rows rows, Tick tick) : r(rows, static_cast<int>(rows.size()), q, tick) {}
  };

  static Real<T> length_of_rows(const Rows& rows) {
    Real<T> sum{};
    for (const auto& row : rows)
      for (const auto& entry : row) sum += std::norm(entry.value);
    return std::sqrt(sum);
  }
  // The largest number first: the squares of a long vector may be too large.
  static void normalize(std::vector<T>& x) {
    Real<T> largest{}, sum{};
    for (const T& number : x) largest = std::max(largest, std::abs(number));
    if (!(largest > 0)) return;
    for (T& number : x) sum += std::norm(number /= largest);
    for (T& number : x) number /= std::sqrt(sum);
  }
  static T row_times(const sparse::Row<T>& row, const std::vector<T>& x) {
    T sum{};
    for (const auto& [j, number] : row) sum += number * x[sparse::at(j)];
    return sum;
  }
  static T quotient(const Rows& a, const std::vector<T>& x) {
    T sum{};
    for (std::size_t i = 0; i < a.size(); ++i) sum += sparse::conjugate(x[i]) * row_times(a[i], x);
    return sum;
  }
  static Real<T> error_of(const Rows& a, const std::vector<T>& x, T mu) {
    Real<T> sum{};
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::norm(row_times(a[i], x) - mu * x[i]);
    return std::sqrt(sum);
  }
};

template <class T>
cusolverStatus_t csreigvsi_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                                const int* offsets, const int* columns, T shift, const T* first, int most,
                                Real<T> tolerance, T* value, T* vector) {
  const ShiftInverse<T> task{
      {n, count, options, offsets, columns}, values, shift, first, most, tolerance, value, vector};
  if (const auto status = task.check(handle); status != CUSOLVER_STATUS_SUCCESS) return status;
  const bool is_done = task.run(offsets, columns, values, first, value, vector, [] {});
  return is_done ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
// The value comes to memory of the device, as the vector does.
template <class T>
cusolverStatus_t csreigvsi(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                           const int* offsets, const int* columns, T shift, const T* first, int most, Real<T> tolerance,
                           T* value, T* vector) {
  const ShiftInverse<T> task{
      {n, count, options, offsets, columns}, values, shift, first, most, tolerance, value, vector};
  if (const auto status = task.check(handle); status != CUSOLVER_STATUS_SUCCESS) return status;
  auto is_done = std::make_shared<std::atomic<bool>>(false);
  const auto status = run_in_stream(*handle, "cusolver_csreigvsi", bytes_of<T>(task.pattern), [=](Running& running) {
    *is_done =
        task.run(running.read(offsets, n + 1), running.read(columns, count), running.read(values, count),
                 running.read(first, n), running.write(value, 1), running.write(vector, n), [&] { running.tick(); });
  });
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  return *is_done ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

// How many eigenvalues lie in a box of the complex plane. They are computed from the dense matrix.
template <class T>
cusolverStatus_t csreigs_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                              const int* offsets, const int* columns, std::complex<Real<T>> low,
                              std::complex<Real<T>> high, int* found) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const Pattern pattern{n, count, options, offsets, columns};
  if (const auto status = pattern.check(); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (n == 0 || !found || (count > 0 && !values)) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!sparse::is_right(offsets, columns, n, n, count, pattern.base())) return CUSOLVER_STATUS_INVALID_VALUE;
  std::vector<T> dense(sparse::at(n) * sparse::at(n));
  const auto rows = sparse::shifted_rows_of(offsets, columns, values, n, n, pattern.base(), T{});
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [j, number] : rows[i]) dense[i + sparse::at(j) * rows.size()] = number;
  std::vector<std::complex<Real<T>>> all(rows.size());
  if (blas::geev<T>('N', 'N', n, dense.data(), n, all.data(), nullptr, 1, nullptr, 1) != 0)
    return CUSOLVER_STATUS_INTERNAL_ERROR;
  *found = static_cast<int>(std::count_if(all.begin(), all.end(), [&](const auto& z) {
    return z.real() >= low.real() && z.real() <= high.real() && z.imag() >= low.imag() && z.imag() <= high.imag();
  }));
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusolver::functions
