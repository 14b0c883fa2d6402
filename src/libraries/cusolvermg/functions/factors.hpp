// LU and Cholesky factors, systems of equations with them, inverses by them.
#pragma once

#include "libraries/cusolvermg/call.hpp"

namespace nvmlkit::cusolvermg::functions {

cusolverStatus_t getrf_size(const Call& call, int m, int n, void* const* a, int row, int column, Description* of_a,
                            int* const* pivots, cudaDataType compute, std::int64_t* size);
// The pivots lie on the GPUs as the columns do; null: rows are not exchanged.
cusolverStatus_t getrf(const Call& call, int m, int n, void* const* a, int row, int column, Description* of_a,
                       int* const* pivots, cudaDataType compute, void* const* work, std::int64_t size, int* info);

cusolverStatus_t getrs_size(const Call& call, cublasOperation_t operation, int n, int columns, void* const* a, int row,
                            int column, Description* of_a, int* const* pivots, void* const* b, int row_of_b,
                            int column_of_b, Description* of_b, cudaDataType compute, std::int64_t* size);
cusolverStatus_t getrs(const Call& call, cublasOperation_t operation, int n, int columns, void* const* a, int row,
                       int column, Description* of_a, int* const* pivots, void* const* b, int row_of_b, int column_of_b,
                       Description* of_b, cudaDataType compute, void* const* work, std::int64_t size, int* info);

// The lower triangle. Sizes may be asked for the other one, where NVIDIA's library tells them.
cusolverStatus_t potrf_size(const Call& call, cublasFillMode_t uplo, int n, void* const* a, int row, int column,
                            Description* of_a, cudaDataType compute, std::int64_t* size);
cusolverStatus_t potrf(const Call& call, cublasFillMode_t uplo, int n, void* const* a, int row, int column,
                       Description* of_a, cudaDataType compute, void* const* work, std::int64_t size, int* info);
cusolverStatus_t potri(const Call& call, cublasFillMode_t uplo, int n, void* const* a, int row, int column,
                       Description* of_a, cudaDataType compute, void* const* work, std::int64_t size, int* info);
cusolverStatus_t potrs_size(const Call& call, cublasFillMode_t uplo, int n, int columns, void* const* a, int row,
                            int column, Description* of_a, void* const* b, int row_of_b, int column_of_b,
                            Description* of_b, cudaDataType compute, std::int64_t* size);
cusolverStatus_t potrs(const Call& call, cublasFillMode_t uplo, int n, int columns, void* const* a, int row, int column,
                       Description* of_a, void* const* b, int row_of_b, int column_of_b, Description* of_b,
                       cudaDataType compute, void* const* work, std::int64_t size, int* info);

}  // namespace nvmlkit::cusolvermg::functions
