// cublasLtMatmul.
#pragma once

#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t multiply(Handle* handle, MatmulDescription* description, const void* alpha, const void* a,
                        MatrixLayout* layout_a, const void* b, MatrixLayout* layout_b, const void* beta, const void* c,
                        MatrixLayout* layout_c, void* d, MatrixLayout* layout_d, const Algorithm* algorithm,
                        void* workspace, std::size_t size, CUstream stream);

// Whether it is simulated for this description.
cublasStatus_t check_product(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b,
                             const MatrixLayout& c, const MatrixLayout& result);
// Prints a line the first time that one is not.
cublasStatus_t note_refused(cublasStatus_t status);

constexpr std::uint32_t kEpilogues = 1023;  // all of float and double

// Whether the GPU has products of int8 of tiles.
bool has_tiled_products();

}  // namespace nvmlkit::cublaslt::functions
