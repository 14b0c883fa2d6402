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
  const auto rows = t == CUBLAS_OP_N ? n : k, columns = t == CUBLAS_OP_N ? k : n;
  if (!letter_of(uplo) || !letter_of(t) || !are_sizes({n, k}) || !is_leading(lda, rows) || !is_leading(ldc, n) ||
      !alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<S> by(call, alpha), old(call, beta);
  return call.enqueue(matrix_cost<Complex>(n * n * k, n * k + n * n), [=](Running& running) {
    const auto count = matrix_size(rows, columns, lda);
    std::vector<Complex> wide(static_cast<std::size_t>(count));
    if (count > 0)
      blas::load(blas::Type::ci8, running.read(a, count, blas::size_of(blas::Type::ci8)), count, wide.data());
    routine(letter_of(uplo), letter_of(t), as_int(n), as_int(k), by.get(running), wide.data(), as_int(lda),
            old.get(running), running.write(out, matrix_size(n, n, ldc)), as_int(ldc));
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
