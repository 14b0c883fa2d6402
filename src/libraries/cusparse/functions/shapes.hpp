// Which matrices a product takes.
#pragma once

#include "libraries/cusparse/dense.hpp"

namespace nvmlkit::cusparse::functions {

// op(m)
struct Shape {
  Size rows, columns;
};
template <class Matrix>
Shape shape_of(const Matrix& m, cusparseOperation_t op) {
  if constexpr (std::is_same_v<Matrix, SparseMatrix>)
    return is_turned(op) ? Shape{m.all_columns(), m.all_rows()} : Shape{m.all_rows(), m.all_columns()};
  else
    return is_turned(op) ? Shape{m.columns, m.rows} : Shape{m.rows, m.columns};
}

// op_a(a) op_b(b) has the shape of c.
template <class A, class B, class C>
bool fit(cusparseOperation_t op_a, const A& a, cusparseOperation_t op_b, const B& b, const C& c) {
  if (!is_operation(op_a) || !is_operation(op_b)) return false;
  const auto left = shape_of(a, op_a), right = shape_of(b, op_b), out = shape_of(c, CUSPARSE_OPERATION_NON_TRANSPOSE);
  return left.columns == right.rows && left.rows == out.rows && right.columns == out.columns;
}

}  // namespace nvmlkit::cusparse::functions
