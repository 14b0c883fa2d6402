// Sparse matrices of a test, and the functions of cusolverSp by scalar.
#pragma once

#include <array>

#include "library.hpp"

namespace nvmlkit::library_test {

constexpr auto kDone = CUSOLVER_STATUS_SUCCESS;
constexpr auto kWrong = CUSOLVER_STATUS_INVALID_VALUE;

using Create = int (*)(MatrixOptions**);
using SetBase = int (*)(MatrixOptions*, unsigned);

// What libcusparse makes, once for each base of the indices, 0 and 1.
inline MatrixOptions* options_of(unsigned base) {
  static const Loaded sparse("libcusparse.so.12");
  static std::array<MatrixOptions*, 2> made{};
  if (!made[base]) {
    EXPECT_EQ(sparse.find<Create>("cusparseCreateMatDescr")(&made[base]), 0);
    EXPECT_EQ(sparse.find<SetBase>("cusparseSetMatIndexBase")(made[base], base), 0);
  }
  return made[base];
}

inline SparseHandle* handle() {
  static SparseHandle* const made = [] {
    SparseHandle* out = nullptr;
    gpu();
    EXPECT_EQ(library().cusolverSpCreate(&out), CUSOLVER_STATUS_SUCCESS);
    return out;
  }();
  return made;
}

// The arrays of a matrix; the columns of a row come in any order.
template <class T>
struct Csr {
  std::vector<T> values;
  std::vector<int> offsets, columns;

  Csr(const Dense& a, int base, bool only_lower = false) : offsets{base} {
    for (int i = 0; i < a.rows; ++i) {
      for (int k = 0; k < a.columns; ++k) {
        const int j = (k * (a.columns % 7 == 0 ? 11 : 7) + i) % a.columns;  // each once, below 77 columns
        if (a(i, j) == Number(0) || (only_lower && j > i)) continue;
        values.push_back(scalar_of<T>(a(i, j)));
        columns.push_back(j + base);
      }
      offsets.push_back(base + static_cast<int>(values.size()));
    }
  }
  int count() const { return static_cast<int>(values.size()); }
};

#define NVMLKIT_SPARSE_SOLVER(name)                \
  template <class T>                               \
  auto name() {                                    \
    if constexpr (std::is_same_v<T, float>)        \
      return library().cusolverSpS##name;          \
    else if constexpr (std::is_same_v<T, double>)  \
      return library().cusolverSpD##name;          \
    else if constexpr (std::is_same_v<T, Complex>) \
      return library().cusolverSpC##name;          \
    else                                           \
      return library().cusolverSpZ##name;          \
  }

}  // namespace nvmlkit::library_test
