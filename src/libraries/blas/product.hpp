// A product of two matrices of any types: D = alpha * op(A) * op(B) + beta * C, in memory of the host. Columns lie one
// behind the other, `ld` elements apart.
#pragma once

#include <functional>

#include "libraries/blas/convert.hpp"

namespace nvmlkit::blas {

struct Matrix {
  const void* data = nullptr;
  Type type = Type::f32;
  std::int64_t ld = 0;
};

// What the sum of a product is kept in.
enum class Sum { f32, f64, c32, c64, i32 };

struct Product {
  char ta = 'N', tb = 'N';  // N, T or C
  std::int64_t m = 0, n = 0, k = 0;
  Sum sum = Sum::f32;
  Rounding rounding = Rounding::none;  // of A and B
  DoubleComplex alpha, beta;
  Matrix a, b, c;
  void* d = nullptr;
  Type d_type = Type::f32;
  std::int64_t ldd = 0;
  // Numbers of a column of the product, after alpha and beta and before they are stored; may change them. Columns come
  // in any order. Of sums in float, and in double.
  std::function<void(std::int64_t column, float* numbers)> epilogue{};
  std::function<void(std::int64_t column, double* numbers)> epilogue_of_doubles{};
};

NVMLKIT_BLAS void multiply(const Product& product);

}  // namespace nvmlkit::blas
