// The algorithm that a product is offered: one does all. What a program configures in it is kept and changes no result.
#pragma once

#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t find_algorithms(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                               MatrixLayout* c, MatrixLayout* d, Preference* preference, int most,
                               HeuristicResult* results, int* count);
cublasStatus_t algorithm_numbers(Handle* handle, cublasComputeType_t compute, cudaDataType scalar, cudaDataType a,
                                 cudaDataType b, cudaDataType c, cudaDataType d, int most, int* numbers, int* count);
cublasStatus_t make_algorithm(Handle* handle, cublasComputeType_t compute, cudaDataType scalar, cudaDataType a,
                              cudaDataType b, cudaDataType c, cudaDataType d, int number, Algorithm* out);
cublasStatus_t check_algorithm(Handle* handle, MatmulDescription* description, MatrixLayout* a, MatrixLayout* b,
                               MatrixLayout* c, MatrixLayout* d, const Algorithm* algorithm, HeuristicResult* result);
cublasStatus_t get_capability(const Algorithm* algorithm, cublasLtMatmulAlgoCapAttributes_t which, void* value,
                              std::size_t size, std::size_t* written);
cublasStatus_t set_configuration(Algorithm* algorithm, cublasLtMatmulAlgoConfigAttributes_t which, const void* value,
                                 std::size_t size);
cublasStatus_t get_configuration(const Algorithm* algorithm, cublasLtMatmulAlgoConfigAttributes_t which, void* value,
                                 std::size_t size, std::size_t* written);

}  // namespace nvmlkit::cublaslt::functions
