// Eigenvalues and vectors of a Hermitian matrix.
#pragma once

#include "libraries/cusolvermg/call.hpp"

namespace nvmlkit::cusolvermg::functions {

cusolverStatus_t syevd_size(const Call& call, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, void* const* a,
                            int row, int column, Description* description, void* values, cudaDataType type_of_values,
                            cudaDataType compute, std::int64_t* size);
// The values are in memory of the host.
cusolverStatus_t syevd(const Call& call, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, void* const* a, int row,
                       int column, Description* description, void* values, cudaDataType type_of_values,
                       cudaDataType compute, void* const* work, std::int64_t size, int* info);

}  // namespace nvmlkit::cusolvermg::functions
