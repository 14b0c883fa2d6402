// Factors that LAPACK has no routine for.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nvmlkit::blas {

// LU without exchanges of rows, in place. Answers the first column whose pivot is 0, from 1 on; else 0.
template <class T>
int lu_without_exchanges(std::int64_t m, std::int64_t n, T* a, std::int64_t lda) {
  int info = 0;
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    const T pivot = a[k + k * lda];
    if (pivot == T{}) {
      if (info == 0) info = static_cast<int>(k + 1);
      continue;
    }
    for (std::int64_t i = k + 1; i < m; ++i) a[i + k * lda] /= pivot;
    for (std::int64_t j = k + 1; j < n; ++j)
      for (std::int64_t i = k + 1; i < m; ++i) a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
  }
  return info;
}

}  // namespace nvmlkit::blas
