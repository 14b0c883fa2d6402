// Eigenvalues and singular values, with data types as arguments and 64-bit sizes; see generic.hpp.
#pragma once

#include "libraries/cusolver/functions/generic.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t xsyevd_size(const Call&, Parameters*, cusolverEigMode_t job, cublasFillMode_t uplo, Size n,
                             DataType type, const void* a, Size lda, DataType w_type, const void* w, DataType compute,
                             std::size_t* device, std::size_t* host);
cusolverStatus_t xsyevd(const Call&, Parameters*, cusolverEigMode_t job, cublasFillMode_t uplo, Size n, DataType type,
                        void* a, Size lda, DataType w_type, void* w, DataType compute, void*, std::size_t, void*,
                        std::size_t, int* info);
cusolverStatus_t xsyev_batched_size(const Call&, Parameters*, cusolverEigMode_t job, cublasFillMode_t uplo, Size n,
                                    DataType type, const void* a, Size lda, DataType w_type, const void* w,
                                    DataType compute, std::size_t* device, std::size_t* host, Size count);
cusolverStatus_t xsyev_batched(const Call&, Parameters*, cusolverEigMode_t job, cublasFillMode_t uplo, Size n,
                               DataType type, void* a, Size lda, DataType w_type, void* w, DataType compute, void*,
                               std::size_t, void*, std::size_t, int* infos, Size count);
// `low` and `high`: of the host, real numbers of the precision of the matrix.
cusolverStatus_t xsyevdx_size(const Call&, Parameters*, cusolverEigMode_t job, cusolverEigRange_t kind,
                              cublasFillMode_t uplo, Size n, DataType type, const void* a, Size lda, void* low,
                              void* high, Size first, Size last, Size* found, DataType w_type, const void* w,
                              DataType compute, std::size_t* device, std::size_t* host);
cusolverStatus_t xsyevdx(const Call&, Parameters*, cusolverEigMode_t job, cusolverEigRange_t kind,
                         cublasFillMode_t uplo, Size n, DataType type, void* a, Size lda, void* low, void* high,
                         Size first, Size last, Size* found, DataType w_type, void* w, DataType compute, void*,
                         std::size_t, void*, std::size_t, int* info);
// Of a general matrix. Of a real one, W is complex, or real with the imaginary parts behind the real ones; vectors are
// as LAPACK packs them. As documented, there are no left vectors.
cusolverStatus_t xgeev_size(const Call&, Parameters*, cusolverEigMode_t left, cusolverEigMode_t right, Size n,
                            DataType type, const void* a, Size lda, DataType w_type, const void* w, DataType vl_type,
                            const void* vl, Size ldvl, DataType vr_type, const void* vr, Size ldvr, DataType compute,
                            std::size_t* device, std::size_t* host);
cusolverStatus_t xgeev(const Call&, Parameters*, cusolverEigMode_t left, cusolverEigMode_t right, Size n, DataType type,
                       void* a, Size lda, DataType w_type, void* w, DataType vl_type, void* vl, Size ldvl,
                       DataType vr_type, void* vr, Size ldvr, DataType compute, void*, std::size_t, void*, std::size_t,
                       int* info);
cusolverStatus_t xgesvd_size(const Call&, Parameters*, signed char jobu, signed char jobvt, Size m, Size n,
                             DataType type, const void* a, Size lda, DataType s_type, const void* s, DataType u_type,
                             const void* u, Size ldu, DataType vt_type, const void* vt, Size ldvt, DataType compute,
                             std::size_t* device, std::size_t* host);
cusolverStatus_t xgesvd(const Call&, Parameters*, signed char jobu, signed char jobvt, Size m, Size n, DataType type,
                        void* a, Size lda, DataType s_type, void* s, DataType u_type, void* u, Size ldu,
                        DataType vt_type, void* vt, Size ldvt, DataType compute, void*, std::size_t, void*, std::size_t,
                        int* info);
// By the polar decomposition; here by LAPACK's method, without a perturbation: its error on the host is 0. V is not
// transposed.
cusolverStatus_t xgesvdp_size(const Call&, Parameters*, cusolverEigMode_t job, int economy, Size m, Size n,
                              DataType type, const void* a, Size lda, DataType s_type, const void* s, DataType u_type,
                              const void* u, Size ldu, DataType v_type, const void* v, Size ldv, DataType compute,
                              std::size_t* device, std::size_t* host);
cusolverStatus_t xgesvdp(const Call&, Parameters*, cusolverEigMode_t job, int economy, Size m, Size n, DataType type,
                         void* a, Size lda, DataType s_type, void* s, DataType u_type, void* u, Size ldu,
                         DataType v_type, void* v, Size ldv, DataType compute, void*, std::size_t, void*, std::size_t,
                         int* info, double* perturbation);
// The first `rank` singular values and vectors, which a randomized method approximates; here they are exact, whatever
// `oversampling` and `iterations` say. S: the vectors, N: none.
cusolverStatus_t xgesvdr_size(const Call&, Parameters*, signed char jobu, signed char jobv, Size m, Size n, Size rank,
                              Size oversampling, Size iterations, DataType type, const void* a, Size lda,
                              DataType s_type, const void* s, DataType u_type, const void* u, Size ldu, DataType v_type,
                              const void* v, Size ldv, DataType compute, std::size_t* device, std::size_t* host);
cusolverStatus_t xgesvdr(const Call&, Parameters*, signed char jobu, signed char jobv, Size m, Size n, Size rank,
                         Size oversampling, Size iterations, DataType type, void* a, Size lda, DataType s_type, void* s,
                         DataType u_type, void* u, Size ldu, DataType v_type, void* v, Size ldv, DataType compute,
                         void*, std::size_t, void*, std::size_t, int* info);

}  // namespace nvmlkit::cusolver::functions
