// A matrix of a product. One with rows behind each other is the transposed one with columns behind each other.
#pragma once

#include <utility>
#include <vector>

#include "libraries/blas/product.hpp"
#include "libraries/common/kernel.hpp"
#include "libraries/cublaslt/orders.hpp"

namespace nvmlkit::cublaslt {

struct Operand {
  const void* data = nullptr;
  blas::Type type{};
  Shape shape;
  std::int64_t stride = 0;
  bool is_by_pointers = false;  // `data` is an array of addresses
  char t = 'N';

  Operand(const MatrixLayout& layout, const void* at, std::int32_t operation)
      : data(at),
        type(blas::Type(layout.type)),
        shape(layout),
        stride(layout.stride),
        is_by_pointers(layout.batch_mode != 0),
        t("NTC?"[operation & 3]) {
    if (shape.order != CUBLASLT_ORDER_ROW) return;
    shape.order = CUBLASLT_ORDER_COL;
    std::swap(shape.rows, shape.columns);
    t = t == 'N' ? 'T' : t == 'T' ? 'N' : '?';
  }
  std::int64_t height() const { return t == 'N' ? shape.rows : shape.columns; }  // of op(matrix)
  std::int64_t width() const { return t == 'N' ? shape.columns : shape.rows; }
  const void* of(std::int64_t index, libraries::Running& running) const {
    if (is_by_pointers && data) return *running.read(static_cast<const void* const*>(data) + index, 1);
    return static_cast<const char*>(data) + index * stride * static_cast<std::int64_t>(blas::size_of(type));
  }
  std::size_t dense_bytes() const { return static_cast<std::size_t>(shape.rows * shape.columns) * blas::size_of(type); }
  // In columns: as it is, or a copy of tiles.
  blas::Matrix in_columns(const void* at, std::vector<char>& copy) const {
    if (!is_tiled(shape.order)) return {at, type, shape.ld};
    copy.resize(dense_bytes());
    if (at) to_columns(shape, blas::size_of(type), at, copy.data());
    return {copy.data(), type, shape.rows};
  }
};

// D = alpha * op(A) * op(B) + beta * C, where D may be the transposed of what it is in memory.
inline void multiply_in_order(const Operand& d, const blas::Product& p) {
  if (d.t == 'N') return blas::multiply(p);
  // Rows: the transposed product.
  blas::Product turned = p;
  const auto other = [](char t) { return t == 'N' ? 'T' : 'N'; };
  std::swap(turned.a, turned.b);
  turned.ta = other(p.tb);
  turned.tb = other(p.ta);
  std::swap(turned.m, turned.n);
  blas::multiply(turned);
}

}  // namespace nvmlkit::cublaslt
