// Systems of equations and least squares whose names have two precisions: cusolverDnDSgesv is of double, by factors of
// float. And those whose precisions are settings. Workspaces are not used.
#pragma once

#include "libraries/cusolver/functions/matrix.hpp"
#include "libraries/cusolver/functions/refinement.hpp"
#include "libraries/cusolver/refined.hpp"

namespace nvmlkit::cusolver::functions {

// Of the second letter behind cusolverDn.
inline Lower lower_of(const char* name) {
  switch (name[11]) {
    case 'S':
      return name[10] == 'S' ? Lower::none : Lower::f32;
    case 'C':
      return name[10] == 'C' ? Lower::none : Lower::f32;
    case 'H':
    case 'K':
      return Lower::f16;
    case 'B':
    case 'E':
      return Lower::bf16;
    case 'X':
    case 'Y':
      return Lower::tf32;
    default:
      return Lower::none;
  }
}

inline cusolverStatus_t tell_bytes(std::size_t* out, std::int64_t rows, std::int64_t columns, bool is_right) {
  if (!is_right || !out) return CUSOLVER_STATUS_INVALID_VALUE;
  *out = static_cast<std::size_t>(std::max<std::int64_t>(rows, 1) * (columns + 32)) * 16;
  return CUSOLVER_STATUS_SUCCESS;
}

// Only the rows of steps that were made have a value.
template <class Number>
void put_history(std::vector<Number>& history, int most, const std::vector<double>& norms) {
  const auto rows = static_cast<std::size_t>(most) + 1;
  history.assign(2 * rows, Number{});
  for (std::size_t i = 0; i < std::min(rows, norms.size()); ++i) {
    history[i] = static_cast<Number>(i);
    history[rows + i] = static_cast<Number>(norms[i]);
  }
}

template <class T>
void put_history(RefinementResults& results, const std::vector<double>& norms) {
  if (!results.keeps_history) return;
  if constexpr (std::is_same_v<Real<T>, double>)
    put_history(results.history, results.most, norms);
  else
    put_history(results.narrow_history, results.most, norms);
}

// `results`: of the program, or null.
template <class T>
cusolverStatus_t solve_refined(const Call& call, const Refinement& how, RefinementResults* results, int n, int columns,
                               T* a, int lda, int* pivots, T* b, int ldb, T* x, int ldx, int* steps, int* info) {
  const auto matrix = square(a, n, lda);
  const Matrix<T> right{b, n, columns, ldb}, solution{x, n, columns, ldx};
  if (!matrix.is_right() || !right.is_right() || !solution.is_right() || !info) return CUSOLVER_STATUS_INVALID_VALUE;
  return call.enqueue_and_wait(cost_of<T>(cube(n) * 2 / 3, std::int64_t{n} * n), [=](Running& running) {
    RefinedSystem<T> system{n,  columns, matrix.write(running), lda, right.read(running), ldb, solution.write(running),
                            ldx};
    std::vector<double> norms;
    if (results && results->keeps_history) system.norms = &norms;
    const auto found = system.solve(how);
    if (pivots && n > 0) put_pivots(running, system.pivots, pivots);
    if (steps) *steps = found.steps;
    if (results) {
      results->steps = found.steps, results->most = how.most;
      put_history<T>(*results, norms);
    }
    *running.write(info, 1) = found.info;
  });
}

template <class T>
cusolverStatus_t gesv(const Call& call, int n, int columns, T* a, int lda, int* pivots, T* b, int ldb, T* x, int ldx,
                      void*, std::size_t, int* steps, int* info) {
  return solve_refined(call, {.lower = lower_of(call.name)}, nullptr, n, columns, a, lda, pivots, b, ldb, x, ldx, steps,
                       info);
}
template <class T>
cusolverStatus_t gesv_size(const Call&, int n, int columns, T* a, int lda, int*, T* b, int ldb, T* x, int ldx, void*,
                           std::size_t* bytes) {
  const bool is_right = square(a, n, lda).has_shape() && Matrix<T>{b, n, columns, ldb}.has_shape() &&
                        Matrix<T>{x, n, columns, ldx}.has_shape();
  return tell_bytes(bytes, n, n + columns, is_right);
}

// The largest number of B - A X.
template <class T>
double largest_residual(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& x, Running& running) {
  auto rest = b.copy(running);
  if (a.m() > 0 && a.n() > 0 && b.n() > 0)
    blas::gemm<T>('N', 'N', a.m(), b.n(), a.n(), T(-1), a.read(running), a.ld(), x.read(running), x.ld(), T(1),
                  rest.data(), a.m());
  return RefinedSystem<T>::largest(rest.data(), static_cast<int>(rest.size()));
}

// Always by QR factors of the main precision, of a copy.
template <class T>
cusolverStatus_t solve_least_squares(const Call& call, RefinementResults* results, int most, int m, int n, int columns,
                                     T* a, int lda, T* b, int ldb, T* x, int ldx, int* steps, int* info) {
  const Matrix<T> matrix{a, m, n, lda}, right{b, m, columns, ldb}, solution{x, n, columns, ldx};
  if (m < n || !matrix.is_right() || !right.is_right() || !solution.is_right() || !info)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = 2.0 * m * static_cast<double>(n) * n;
  return call.enqueue_and_wait(cost_of<T>(work, std::int64_t{m} * n), [=](Running& running) {
    auto factors = matrix.copy(running), rest = right.copy(running);
    std::vector<T> tau(static_cast<std::size_t>(n));
    int found = 0;
    if (n > 0 && columns > 0) {
      constexpr char kTurned = blas::is_complex(blas::kTypeOf<T>) ? 'C' : 'T';
      blas::geqrf<T>(m, n, factors.data(), m, tau.data());
      blas::ormqr<T>('L', kTurned, m, columns, n, factors.data(), m, tau.data(), rest.data(), m);
      for (int k = n; k-- > 0;)
        if (factors[static_cast<std::size_t>(k + std::int64_t{k} * m)] == T{}) found = k + 1;
      if (found == 0) blas::trsm<T>('L', 'U', 'N', 'N', n, columns, T(1), factors.data(), m, rest.data(), m);
    }
    T* const to = solution.write(running);
    for (int j = 0; j < columns && found == 0; ++j)
      std::copy_n(rest.data() + std::int64_t{j} * m, n, to + std::int64_t{j} * ldx);
    if (steps) *steps = 0;
    if (results) {
      results->steps = 0, results->most = most;
      if (results->keeps_history && found == 0)
        put_history<T>(*results, {largest_residual(matrix, right, solution, running)});
    }
    *running.write(info, 1) = found;
  });
}
template <class T>
cusolverStatus_t gels(const Call& call, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* x, int ldx, void*,
                      std::size_t, int* steps, int* info) {
  return solve_least_squares(call, nullptr, 0, m, n, columns, a, lda, b, ldb, x, ldx, steps, info);
}
template <class T>
cusolverStatus_t gels_size(const Call&, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* x, int ldx, void*,
                           std::size_t* bytes) {
  const bool is_right = m >= n && Matrix<T>{a, m, n, lda}.has_shape() && Matrix<T>{b, m, columns, ldb}.has_shape() &&
                        Matrix<T>{x, n, columns, ldx}.has_shape();
  return tell_bytes(bytes, m, n + columns, is_right);
}

cusolverStatus_t xgesv(const Call& call, RefinementSettings* settings, RefinementResults* results, int n, int columns,
                       void* a, int lda, void* b, int ldb, void* x, int ldx, void* workspace, std::size_t bytes,
                       int* steps, int* info);
cusolverStatus_t xgesv_size(const Call& call, RefinementSettings* settings, int n, int columns, std::size_t* bytes);
cusolverStatus_t xgels(const Call& call, RefinementSettings* settings, RefinementResults* results, int m, int n,
                       int columns, void* a, int lda, void* b, int ldb, void* x, int ldx, void* workspace,
                       std::size_t bytes, int* steps, int* info);
cusolverStatus_t xgels_size(const Call& call, RefinementSettings* settings, int m, int n, int columns,
                            std::size_t* bytes);

}  // namespace nvmlkit::cusolver::functions
