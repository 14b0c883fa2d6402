// cublasLtMatmul.
#pragma once

#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t multiply(Handle* handle, MatmulDescription* description, const void* alpha, const void* a,
                        MatrixLayout* layout_a, const void* b, MatrixLayout* layout_b, const void* beta, const void* c,
                        MatrixLayout* layout_c, void* d, MatrixLayout* layout_d, const Algorithm* algorithm,
                        void* workspace, std::size_t size, CUstream stream);

}  // namespace nvmlkit::cublaslt::functions
