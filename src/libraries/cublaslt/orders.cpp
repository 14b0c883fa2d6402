#include "libraries/cublaslt/orders.hpp"

#include <cstring>

namespace nvmlkit::cublaslt {
namespace {

constexpr std::int64_t kGroup = 32;  // columns of a tile

std::int64_t rows_of_tile(std::int32_t order) {
  return order == CUBLASLT_ORDER_COL4_4R2_8C ? 8 : order == CUBLASLT_ORDER_COL32_2R_4R4 ? 32 : 1;
}

// Within a tile of 32 columns.
std::int64_t place_in_tile(std::int32_t order, std::int64_t row, std::int64_t column) {
  switch (order) {
    case CUBLASLT_ORDER_COL4_4R2_8C:  // 4 columns of 4 even or odd rows; two of these beside each other
      return ((row % 2 * 4 + column / 8) * 8 + column % 8 / 4 * 4 + row / 2) * 4 + column % 4;
    case CUBLASLT_ORDER_COL32_2R_4R4:
      return ((row % 8 / 2 * 4 + row / 8) * 2 + row % 2) * kGroup + column;
    default:
      return column;
  }
}

std::int64_t elements_of_group(const Shape& s) {
  const auto rows = rows_of_tile(s.order);
  return (s.rows + rows - 1) / rows * rows * kGroup;
}

template <class Copy>
void each(const Shape& s, std::size_t size, Copy copy) {
  std::size_t next = 0;
  for (std::int64_t column = 0; column < s.columns; ++column)
    for (std::int64_t row = 0; row < s.rows; ++row, next += size)
      copy(next, static_cast<std::size_t>(place(s, row, column)) * size);
}

}  // namespace

Shape::Shape(const MatrixLayout& layout)
    : order(layout.order),
      rows(static_cast<std::int64_t>(layout.rows)),
      columns(static_cast<std::int64_t>(layout.columns)),
      ld(layout.ld) {}

bool is_order(std::int32_t order) {
  return order >= 0 && order <= static_cast<std::int32_t>(CUBLASLT_ORDER_COL32_2R_4R4);
}

std::int64_t least_ld(const Shape& s) {
  if (is_tiled(s.order)) return elements_of_group(s);
  return s.order == CUBLASLT_ORDER_ROW ? s.columns : s.rows;
}

std::int64_t extent(const Shape& s) {
  if (s.rows <= 0 || s.columns <= 0) return 0;
  if (is_tiled(s.order)) return (s.columns - 1) / kGroup * s.ld + elements_of_group(s);
  return s.order == CUBLASLT_ORDER_ROW ? (s.rows - 1) * s.ld + s.columns : (s.columns - 1) * s.ld + s.rows;
}

std::int64_t place(const Shape& s, std::int64_t row, std::int64_t column) {
  if (s.order == CUBLASLT_ORDER_COL) return column * s.ld + row;
  if (s.order == CUBLASLT_ORDER_ROW) return row * s.ld + column;
  const auto rows = rows_of_tile(s.order);
  return column / kGroup * s.ld + row / rows * rows * kGroup + place_in_tile(s.order, row % rows, column % kGroup);
}

void to_columns(const Shape& s, std::size_t size, const void* from, void* columns) {
  each(s, size, [&](std::size_t dense, std::size_t ordered) {
    std::memcpy(static_cast<char*>(columns) + dense, static_cast<const char*>(from) + ordered, size);
  });
}

void from_columns(const Shape& s, std::size_t size, const void* columns, void* to) {
  each(s, size, [&](std::size_t dense, std::size_t ordered) {
    std::memcpy(static_cast<char*>(to) + ordered, static_cast<const char*>(columns) + dense, size);
  });
}

}  // namespace nvmlkit::cublaslt
