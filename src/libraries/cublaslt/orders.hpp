// Orders of the elements of a matrix in memory: columns, rows, and the tiles that products of int8 take.
#pragma once

#include "libraries/cublaslt/types.hpp"

namespace nvmlkit::cublaslt {

struct Shape {
  std::int32_t order = CUBLASLT_ORDER_COL;
  std::int64_t rows = 0, columns = 0;
  std::int64_t ld = 0;  // from a column, a row, or a group of 32 columns to the next one, in elements

  Shape() = default;
  explicit Shape(const MatrixLayout& layout);
};

bool is_order(std::int32_t order);
constexpr bool is_tiled(std::int32_t order) { return order != CUBLASLT_ORDER_COL && order != CUBLASLT_ORDER_ROW; }

std::int64_t least_ld(const Shape& shape);
// Elements from the first to behind the last; 0 for a matrix without elements.
std::int64_t extent(const Shape& shape);
std::int64_t place(const Shape& shape, std::int64_t row, std::int64_t column);

// Elements of `size` bytes, from the order to columns without gaps and back.
void to_columns(const Shape& shape, std::size_t size, const void* from, void* columns);
void from_columns(const Shape& shape, std::size_t size, const void* columns, void* to);

}  // namespace nvmlkit::cublaslt
