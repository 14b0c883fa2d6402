#include "libraries/cusolver/functions/generic.hpp"

#include "libraries/cusolver/functions/data_types.hpp"
#include "libraries/cusolver/functions/factors.hpp"
#include "libraries/cusolver/functions/orthogonal.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t xpotrf_size(const Call&, Parameters* parameters, cublasFillMode_t uplo, Size n, DataType type,
                             const void*, Size lda, DataType compute, std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, n,
                    are_right(parameters) && letter_of(uplo) && compute == type && has_shape(n, n, lda));
}
cusolverStatus_t xpotrf(const Call& call, Parameters* parameters, cublasFillMode_t uplo, Size n, DataType type, void* a,
                        Size lda, DataType compute, void*, std::size_t, void*, std::size_t, int* info) {
  if (!are_right(parameters) || compute != type) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T t) { return potrf<T>(call, uplo, n, as(t, a), lda, nullptr, 0, info); });
}
cusolverStatus_t xpotrs(const Call& call, Parameters* parameters, cublasFillMode_t uplo, Size n, Size columns,
                        DataType type, const void* a, Size lda, DataType b_type, void* b, Size ldb, int* info) {
  if (!are_right(parameters) || b_type != type) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type,
                  [&]<class T>(T t) { return potrs<T>(call, uplo, n, columns, as(t, a), lda, as(t, b), ldb, info); });
}

cusolverStatus_t xgetrf_size(const Call&, Parameters* parameters, Size m, Size n, DataType type, const void*, Size lda,
                             DataType compute, std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, std::max(m, n),
                    are_right(parameters) && compute == type && has_shape(m, n, lda));
}
cusolverStatus_t xgetrf(const Call& call, Parameters* parameters, Size m, Size n, DataType type, void* a, Size lda,
                        Size* pivots, DataType compute, void*, std::size_t, void*, std::size_t, int* info) {
  if (!are_right(parameters) || compute != type) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T t) { return getrf<T>(call, m, n, as(t, a), lda, nullptr, pivots, info); });
}
cusolverStatus_t xgetrs(const Call& call, Parameters* parameters, cublasOperation_t t, Size n, Size columns,
                        DataType type, const void* a, Size lda, const Size* pivots, DataType b_type, void* b, Size ldb,
                        int* info) {
  if (!are_right(parameters) || b_type != type) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T zero) {
    return getrs<T>(call, t, n, columns, as(zero, a), lda, pivots, as(zero, b), ldb, info);
  });
}

cusolverStatus_t xgeqrf_size(const Call&, Parameters* parameters, Size m, Size n, DataType type, const void*, Size lda,
                             DataType tau_type, const void*, DataType compute, std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, std::max(m, n),
                    are_right(parameters) && compute == type && tau_type == type && has_shape(m, n, lda));
}
cusolverStatus_t xgeqrf(const Call& call, Parameters* parameters, Size m, Size n, DataType type, void* a, Size lda,
                        DataType tau_type, void* tau, DataType compute, void*, std::size_t, void*, std::size_t,
                        int* info) {
  if (!are_right(parameters) || compute != type || tau_type != type) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type,
                  [&]<class T>(T t) { return geqrf<T>(call, m, n, as(t, a), lda, as(t, tau), nullptr, 0, info); });
}

cusolverStatus_t xsytrs_size(const Call&, cublasFillMode_t uplo, Size n, Size columns, DataType type, const void*,
                             Size lda, const Size*, DataType b_type, void*, Size ldb, std::size_t* device,
                             std::size_t* host) {
  return tell_sizes(device, host, type, n,
                    letter_of(uplo) && b_type == type && has_shape(n, n, lda) && has_shape(n, columns, ldb));
}
cusolverStatus_t xsytrs(const Call& call, cublasFillMode_t uplo, Size n, Size columns, DataType type, const void* a,
                        Size lda, const Size* pivots, DataType b_type, void* b, Size ldb, void*, std::size_t, void*,
                        std::size_t, int* info) {
  if (b_type != type) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(
      type, [&]<class T>(T t) { return sytrs<T>(call, uplo, n, columns, as(t, a), lda, pivots, as(t, b), ldb, info); });
}

cusolverStatus_t xtrtri_size(const Call&, cublasFillMode_t uplo, cublasDiagType_t diag, Size n, DataType type, void*,
                             Size lda, std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, n, letter_of(uplo) && diag <= CUBLAS_DIAG_UNIT && has_shape(n, n, lda));
}
cusolverStatus_t xtrtri(const Call& call, cublasFillMode_t uplo, cublasDiagType_t diag, Size n, DataType type, void* a,
                        Size lda, void*, std::size_t, void*, std::size_t, int* info) {
  return for_type(type, [&]<class T>(T t) { return trtri<T>(call, uplo, diag, n, as(t, a), lda, info); });
}

cusolverStatus_t xlarft_size(const Call&, Parameters* parameters, cusolverDirectMode_t direct,
                             cusolverStorevMode_t storev, Size n, Size k, DataType type, const void*, Size ldv,
                             DataType tau_type, const void*, DataType t_type, void*, Size ldt, DataType compute,
                             std::size_t* device, std::size_t* host) {
  return tell_sizes(device, host, type, k,
                    are_right(parameters) && direct <= CUBLAS_DIRECT_BACKWARD && storev <= CUBLAS_STOREV_ROWWISE &&
                        tau_type == type && t_type == type && compute == type && k <= n &&
                        has_shape(storev ? k : n, storev ? n : k, ldv) && has_shape(k, k, ldt));
}
cusolverStatus_t xlarft(const Call& call, Parameters* parameters, cusolverDirectMode_t direct,
                        cusolverStorevMode_t storev, Size n, Size k, DataType type, const void* v, Size ldv,
                        DataType tau_type, const void* tau, DataType t_type, void* t, Size ldt, DataType compute, void*,
                        std::size_t, void*, std::size_t) {
  if (!are_right(parameters) || tau_type != type || t_type != type || compute != type ||
      direct > CUBLAS_DIRECT_BACKWARD || storev > CUBLAS_STOREV_ROWWISE || k > n || !is_array(tau, k))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(type, [&]<class T>(T zero) {
    const Matrix<const T> reflectors{as(zero, v), storev ? k : n, storev ? n : k, ldv};
    const auto triangle = square(as(zero, t), k, ldt);
    if (!reflectors.is_right() || !triangle.is_right()) return CUSOLVER_STATUS_INVALID_VALUE;
    const auto work = static_cast<double>(n) * static_cast<double>(k * k);
    return call.enqueue(cost_of<T>(work, n * k), [=](Running& running) {
      blas::larft<T>(direct ? 'B' : 'F', storev ? 'R' : 'C', static_cast<int>(n), static_cast<int>(k),
                     reflectors.read(running), reflectors.ld(), running.read(static_cast<const T*>(tau), k),
                     triangle.write(running), triangle.ld());
    });
  });
}

}  // namespace nvmlkit::cusolver::functions
