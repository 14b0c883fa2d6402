// Products of matrices that lie row by row.
#pragma once

#include <cstdint>

#include "libraries/blas/routines.hpp"

namespace nvmlkit::dnn {

// c[m, n] = a[m, k] * b[k, n] + beta * c. `ta`, `tb`: a lies as [k, m], b as [n, k].
template <class T>
void multiply(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b, T beta, T* c) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (std::int64_t i = 0; i < m * n; ++i) c[i] = beta == T{} ? T{} : beta * c[i];
    return;
  }
  blas::gemm(tb ? 'T' : 'N', ta ? 'T' : 'N', static_cast<int>(n), static_cast<int>(m), static_cast<int>(k), T{1}, b,
             static_cast<int>(tb ? k : n), a, static_cast<int>(ta ? m : k), beta, c, static_cast<int>(n));
}

}  // namespace nvmlkit::dnn
