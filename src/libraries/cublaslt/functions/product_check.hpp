// Which products are simulated, and of which kind they are.
#pragma once

#include "libraries/blas/compute.hpp"
#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

enum class Kind { plain, of_planes, of_blocks };  // of_blocks: whose scales are those of blocks or rows

struct Checked {
  cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
  Kind kind = Kind::plain;
  blas::Meaning meaning{};    // of the compute type
  bool is_of_others = false;  // it is a product of other GPUs
};

// The description is a whole one.
Checked check(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
              const MatrixLayout& result);
// Rows alone, with a conjugated matrix: the product of B and A, `turned` from rows to columns, has the same operations.
bool is_conjugated_in_rows_alone(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b,
                                 const MatrixLayout& c, const MatrixLayout& result);
MatrixLayout turned(MatrixLayout layout);
MatmulDescription turned(const MatmulDescription& description);

// The status. Prints a line the first time that one is not simulated, or is of other GPUs.
cublasStatus_t noted(const Checked& checked);

constexpr std::uint32_t kEpilogues = 1023;  // all of float and double

// Whether the GPU has products of int8 of tiles.
bool has_tiled_products();

}  // namespace nvmlkit::cublaslt::functions
