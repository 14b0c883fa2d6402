// The functions with data types as arguments and 64-bit sizes. `parameters` may be null. Workspaces are not used; the
// sizes of those of the device are some columns, and those of the host are 0.
#pragma once

#include "libraries/cusolver/call.hpp"

namespace nvmlkit::cusolver::functions {

using DataType = cudaDataType;
using Size = std::int64_t;

cusolverStatus_t xpotrf_size(const Call&, Parameters*, cublasFillMode_t uplo, Size n, DataType type, const void* a,
                             Size lda, DataType compute, std::size_t* device, std::size_t* host);
cusolverStatus_t xpotrf(const Call&, Parameters*, cublasFillMode_t uplo, Size n, DataType type, void* a, Size lda,
                        DataType compute, void*, std::size_t, void*, std::size_t, int* info);
cusolverStatus_t xpotrs(const Call&, Parameters*, cublasFillMode_t uplo, Size n, Size columns, DataType type,
                        const void* a, Size lda, DataType b_type, void* b, Size ldb, int* info);
cusolverStatus_t xgetrf_size(const Call&, Parameters*, Size m, Size n, DataType type, const void* a, Size lda,
                             DataType compute, std::size_t* device, std::size_t* host);
cusolverStatus_t xgetrf(const Call&, Parameters*, Size m, Size n, DataType type, void* a, Size lda, Size* pivots,
                        DataType compute, void*, std::size_t, void*, std::size_t, int* info);
cusolverStatus_t xgetrs(const Call&, Parameters*, cublasOperation_t t, Size n, Size columns, DataType type,
                        const void* a, Size lda, const Size* pivots, DataType b_type, void* b, Size ldb, int* info);
cusolverStatus_t xgeqrf_size(const Call&, Parameters*, Size m, Size n, DataType type, const void* a, Size lda,
                             DataType tau_type, const void* tau, DataType compute, std::size_t* device,
                             std::size_t* host);
cusolverStatus_t xgeqrf(const Call&, Parameters*, Size m, Size n, DataType type, void* a, Size lda, DataType tau_type,
                        void* tau, DataType compute, void*, std::size_t, void*, std::size_t, int* info);
cusolverStatus_t xsytrs_size(const Call&, cublasFillMode_t uplo, Size n, Size columns, DataType type, const void* a,
                             Size lda, const Size* pivots, DataType b_type, void* b, Size ldb, std::size_t* device,
                             std::size_t* host);
cusolverStatus_t xsytrs(const Call&, cublasFillMode_t uplo, Size n, Size columns, DataType type, const void* a,
                        Size lda, const Size* pivots, DataType b_type, void* b, Size ldb, void*, std::size_t, void*,
                        std::size_t, int* info);
cusolverStatus_t xtrtri_size(const Call&, cublasFillMode_t uplo, cublasDiagType_t diag, Size n, DataType type, void* a,
                             Size lda, std::size_t* device, std::size_t* host);
cusolverStatus_t xtrtri(const Call&, cublasFillMode_t uplo, cublasDiagType_t diag, Size n, DataType type, void* a,
                        Size lda, void*, std::size_t, void*, std::size_t, int* info);
cusolverStatus_t xlarft_size(const Call&, Parameters*, cusolverDirectMode_t direct, cusolverStorevMode_t storev, Size n,
                             Size k, DataType type, const void* v, Size ldv, DataType tau_type, const void* tau,
                             DataType t_type, void* t, Size ldt, DataType compute, std::size_t* device,
                             std::size_t* host);
cusolverStatus_t xlarft(const Call&, Parameters*, cusolverDirectMode_t direct, cusolverStorevMode_t storev, Size n,
                        Size k, DataType type, const void* v, Size ldv, DataType tau_type, const void* tau,
                        DataType t_type, void* t, Size ldt, DataType compute, void*, std::size_t, void*, std::size_t);

}  // namespace nvmlkit::cusolver::functions
