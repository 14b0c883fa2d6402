// Rotations of any types. They are made in the precision of the execution.
#pragma once

#include "libraries/cublas/functions/rotations.hpp"

namespace nvmlkit::cublas::functions {

cublasStatus_t rotg_ex(const Call& call, void* a, void* b, cudaDataType type, void* c, void* s,
                       cudaDataType type_factors, cudaDataType execution);
cublasStatus_t rotm_ex(const Call& call, std::int64_t n, void* x, cudaDataType type_x, std::int64_t incx, void* y,
                       cudaDataType type_y, std::int64_t incy, const void* parameters, cudaDataType type_parameters,
                       cudaDataType execution);
cublasStatus_t rotmg_ex(const Call& call, void* d1, cudaDataType type_d1, void* d2, cudaDataType type_d2, void* x1,
                        cudaDataType type_x1, const void* y1, cudaDataType type_y1, void* parameters,
                        cudaDataType type_parameters, cudaDataType execution);

}  // namespace nvmlkit::cublas::functions
