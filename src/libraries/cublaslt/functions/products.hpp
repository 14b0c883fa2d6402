// cublasLtMatmul, and the algorithms that it is offered.
#pragma once

#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t multiply(Handle* handle, MatmulDescription* description, const void* alpha, const void* a,
                        MatrixLayout* layout_a, const void* b, MatrixLayout* layout_b, const void* beta, const void* c,
                        MatrixLayout* layout_c, void* d, MatrixLayout* layout_d, const Algorithm* algorithm,
                        void* workspace, std::size_t size, CUstream stream);
cublasStatus_t find_algorithms(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                               MatrixLayout* c, MatrixLayout* d, Preference* preference, int most,
                               HeuristicResult* results, int* count);
cublasStatus_t algorithm_numbers(Handle* handle, cublasComputeType_t compute, cudaDataType scalar, cudaDataType a,
                                 cudaDataType b, cudaDataType c, cudaDataType d, int most, int* numbers, int* count);
cublasStatus_t make_algorithm(Handle* handle, cublasComputeType_t compute, cudaDataType scalar, cudaDataType a,
                              cudaDataType b, cudaDataType c, cudaDataType d, int number, Algorithm* out);
cublasStatus_t check_algorithm(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                               MatrixLayout* c, MatrixLayout* d, const Algorithm* algorithm, HeuristicResult* result);

}  // namespace nvmlkit::cublaslt::functions
