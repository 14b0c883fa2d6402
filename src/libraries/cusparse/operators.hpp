// Products of a sparse matrix with a dense one whose sums and products are functions of the program.
#pragma once

#include "libraries/common/linked_kernel.hpp"
#include "libraries/cusparse/types.hpp"

namespace nvmlkit::cusparse {

// Which of the numbers of a product have which type.
struct ProductTypes {
  cudaDataType factors, result, compute;
  cusparseIndexType_t index;
  bool conjugates;  // those of the dense factor
};

bool are_supported(const ProductTypes& types);

// A parameter of the kernel, as its text declares it: row i and column j of a dense matrix are elements
// i * row_step + j * column_step.
struct ProductPlaces {
  Size rows, columns;
  const void *offsets, *indices, *values, *right;
  void* out;
  Size base, right_row_step, right_column_step, out_row_step, out_column_step;
};
ProductPlaces places_of(const SparseMatrix& a, const DenseMatrix& b, cusparseOperation_t op_b, const DenseMatrix& c);

// The kernel of a product; its functions are add_op, mul_op and epilogue.
libraries::KernelText product_kernel(const ProductTypes& types);

}  // namespace nvmlkit::cusparse
