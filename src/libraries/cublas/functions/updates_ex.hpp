// Updates of symmetric and Hermitian matrices by one of complex float or of complex int8, computed in float.
#pragma once

#include "libraries/blas/convert.hpp"
#include "libraries/cublas/functions/matrices.hpp"

namespace nvmlkit::cublas::functions {

// S: Complex, or of herk float.
template <class S, class Routine>
cublasStatus_t any_syrk_ex(const Call& call, Routine routine, cublasFillMode_t uplo, cublasOperation_t t,
                           std::int64_t n, std::int64_t k, const S* alpha, const void* a, cudaDataType a_type,
                           std::int64_t lda, const S* beta, void* c, cudaDataType c_type, std::int64_t ldc) {
  if (c_type != CUDA_C_32F || (a_type != CUDA_C_32F && a_type != CUDA_C_8I)) return call.unsupported("of these types");
  auto* const out = static_cast<Complex*>(c);
  if (a_type == CUDA_C_32F)
    return any_syrk(call, routine, uplo, t, n, k, alpha, static_cast<const Complex*>(a), lda, beta, out, ldc);
  return syrk_by(
      call, routine, uplo, t, n, k, alpha, lda, beta, out, ldc, [=](Running& running, std::int64_t count, auto use) {
        std::vector<Complex> wide(static_cast<std::size_t>(count));
        if (count > 0)
          blas::load(blas::Type::ci8, running.read(a, count, blas::size_of(blas::Type::ci8)), count, wide.data());
        use(wide.data());
      });
}

inline cublasStatus_t syrk_ex(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n,
                              std::int64_t k, const Complex* alpha, const void* a, cudaDataType a_type,
                              std::int64_t lda, const Complex* beta, void* c, cudaDataType c_type, std::int64_t ldc) {
  if (t == CUBLAS_OP_C) return CUBLAS_STATUS_INVALID_VALUE;
  return any_syrk_ex(call, blas::syrk<Complex>, uplo, t, n, k, alpha, a, a_type, lda, beta, c, c_type, ldc);
}
inline cublasStatus_t herk_ex(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n,
                              std::int64_t k, const float* alpha, const void* a, cudaDataType a_type, std::int64_t lda,
                              const float* beta, void* c, cudaDataType c_type, std::int64_t ldc) {
  if (t == CUBLAS_OP_T) return CUBLAS_STATUS_INVALID_VALUE;
  return any_syrk_ex(call, blas::herk<Complex>, uplo, t, n, k, alpha, a, a_type, lda, beta, c, c_type, ldc);
}

}  // namespace nvmlkit::cublas::functions
