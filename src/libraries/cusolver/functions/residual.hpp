// How far a decomposition is from its matrix.
#pragma once

#include <cmath>

#include "libraries/cusolver/functions/matrix.hpp"

namespace nvmlkit::cusolver::functions {

// The Frobenius norm of A - U diag(s) V. `t` is the letter of V as it lies in memory: N, or C for its transpose.
template <class T>
double residual_of(std::vector<T> a, int m, int n, int k, const T* u, int ldu, const Real<T>* s, char t, const T* v,
                   int ldv) {
  std::vector<T> scaled(static_cast<std::size_t>(std::int64_t{m} * k));
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t i = 0; i < m; ++i) scaled[static_cast<std::size_t>(i + j * m)] = u[i + j * ldu] * s[j];
  if (m > 0 && n > 0 && k > 0) blas::gemm<T>('N', t, m, n, k, T{-1}, scaled.data(), m, v, ldv, T{1}, a.data(), m);
  double sum = 0;
  for (const T& x : a) {
    const auto size = static_cast<double>(std::abs(x));
    sum += size * size;
  }
  return std::sqrt(sum);
}

// The whole of a symmetric or Hermitian matrix from one triangle.
template <class T>
void mirror(std::vector<T>& a, std::int64_t n, bool is_lower) {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < j; ++i) {
      T& upper = a[static_cast<std::size_t>(i + j * n)];
      T& lower = a[static_cast<std::size_t>(j + i * n)];
      T& to = is_lower ? upper : lower;
      const T& from = is_lower ? lower : upper;
      if constexpr (blas::is_complex(blas::kTypeOf<T>))
        to = std::conj(from);
      else
        to = from;
    }
}

}  // namespace nvmlkit::cusolver::functions
