// Products of matrices: the typed functions and those of mixed types, one, batched and strided.
#pragma once

#include "libraries/cublas/call.hpp"

namespace nvmlkit::cublas::functions {

// A scalar of the type that the compute type names.
struct ScalarPlace {
  const void* pointer = nullptr;
  blas::Type type{};
};

// A matrix of each product: at a distance, or behind a pointer of an array in memory of the device.
struct Operand {
  const void* data = nullptr;
  blas::Type type{};
  std::int64_t ld = 0;
  std::int64_t stride = 0;
};

struct Products {
  cublasOperation_t ta{}, tb{};
  std::int64_t m = 0, n = 0, k = 0;
  ScalarPlace alpha, beta;
  Operand a, b, c;
  std::int64_t count = 1;
  bool are_arrays = false;
  cublasComputeType_t compute{};
};

cublasStatus_t multiply(const Call& call, const Products& products);

// What the typed functions compute with, by the handle's math mode.
cublasComputeType_t compute_of(const Call& call, blas::Type type);

template <class T>
cublasStatus_t gemm(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m, std::int64_t n,
                    std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                    const T* beta, T* c, std::int64_t ldc) {
  const auto type = blas::kTypeOf<T>;
  return multiply(call, {ta,
                         tb,
                         m,
                         n,
                         k,
                         {alpha, type},
                         {beta, type},
                         {a, type, lda},
                         {b, type, ldb},
                         {c, type, ldc},
                         1,
                         false,
                         compute_of(call, type)});
}

template <class T>
cublasStatus_t gemm_strided(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m,
                            std::int64_t n, std::int64_t k, const T* alpha, const T* a, std::int64_t lda,
                            std::int64_t stride_a, const T* b, std::int64_t ldb, std::int64_t stride_b, const T* beta,
                            T* c, std::int64_t ldc, std::int64_t stride_c, std::int64_t count) {
  const auto type = blas::kTypeOf<T>;
  return multiply(call, {ta,
                         tb,
                         m,
                         n,
                         k,
                         {alpha, type},
                         {beta, type},
                         {a, type, lda, stride_a},
                         {b, type, ldb, stride_b},
                         {c, type, ldc, stride_c},
                         count,
                         false,
                         compute_of(call, type)});
}

template <class T>
cublasStatus_t gemm_batched(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m,
                            std::int64_t n, std::int64_t k, const T* alpha, const T* const* a, std::int64_t lda,
                            const T* const* b, std::int64_t ldb, const T* beta, T* const* c, std::int64_t ldc,
                            std::int64_t count) {
  const auto type = blas::kTypeOf<T>;
  return multiply(call, {ta,
                         tb,
                         m,
                         n,
                         k,
                         {alpha, type},
                         {beta, type},
                         {a, type, lda},
                         {b, type, ldb},
                         {c, type, ldc},
                         count,
                         true,
                         compute_of(call, type)});
}

// cublasSgemmEx, cublasCgemmEx: sums in T.
template <class T>
cublasStatus_t gemm_of(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m, std::int64_t n,
                       std::int64_t k, const T* alpha, const void* a, cudaDataType type_a, std::int64_t lda,
                       const void* b, cudaDataType type_b, std::int64_t ldb, const T* beta, void* c,
                       cudaDataType type_c, std::int64_t ldc) {
  const auto type = blas::kTypeOf<T>;
  return multiply(call, {ta,
                         tb,
                         m,
                         n,
                         k,
                         {alpha, type},
                         {beta, type},
                         {a, blas::Type(type_a), lda},
                         {b, blas::Type(type_b), ldb},
                         {c, blas::Type(type_c), ldc},
                         1,
                         false,
                         compute_of(call, type)});
}

cublasStatus_t gemm_ex(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m, std::int64_t n,
                       std::int64_t k, const void* alpha, const void* a, cudaDataType type_a, std::int64_t lda,
                       const void* b, cudaDataType type_b, std::int64_t ldb, const void* beta, void* c,
                       cudaDataType type_c, std::int64_t ldc, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t gemm_strided_ex(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m,
                               std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType type_a,
                               std::int64_t lda, std::int64_t stride_a, const void* b, cudaDataType type_b,
                               std::int64_t ldb, std::int64_t stride_b, const void* beta, void* c, cudaDataType type_c,
                               std::int64_t ldc, std::int64_t stride_c, std::int64_t count, cublasComputeType_t compute,
                               cublasGemmAlgo_t algorithm);
cublasStatus_t gemm_batched_ex(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m,
                               std::int64_t n, std::int64_t k, const void* alpha, const void* const* a,
                               cudaDataType type_a, std::int64_t lda, const void* const* b, cudaDataType type_b,
                               std::int64_t ldb, const void* beta, void* const* c, cudaDataType type_c,
                               std::int64_t ldc, std::int64_t count, cublasComputeType_t compute,
                               cublasGemmAlgo_t algorithm);

}  // namespace nvmlkit::cublas::functions
