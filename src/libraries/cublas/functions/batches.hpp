// Batches of a matrix and a vector, groups of products, and updates of a triangle by two matrices.
#pragma once

#include <vector>

#include "libraries/cublas/functions/gemm.hpp"
#include "libraries/cublas/functions/matrices.hpp"

namespace nvmlkit::cublas::functions {

// A number as the sums have it.
inline double wide_of(double v) { return v; }
inline double wide_of(Half v) { return Half::wide(v); }
inline double wide_of(Bfloat16 v) { return Bfloat16::wide(v); }
template <class T>
DoubleComplex wide_of(std::complex<T> v) {
  return DoubleComplex(v);
}
template <class T, class W>
T narrow_of(W v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>)
    return T::of(v);
  else
    return static_cast<T>(v);
}

// y = alpha * op(A) * x + beta * y in memory of the host; S are the scalars.
template <class S, class A, class Y>
void multiply_by_vector(cublasOperation_t t, std::int64_t m, std::int64_t n, S alpha, const A* a, std::int64_t lda,
                        const Vector<const A>& x, S beta, const Vector<Y>& y) {
  const auto rows = t == CUBLAS_OP_N ? m : n, columns = t == CUBLAS_OP_N ? n : m;
  for (std::int64_t i = 0; i < rows; ++i) {
    decltype(wide_of(*a)) sum{};
    for (std::int64_t j = 0; j < columns; ++j) {
      auto v = wide_of(t == CUBLAS_OP_N ? a[i + j * lda] : a[j + i * lda]);
      if constexpr (!std::is_same_v<decltype(v), double>)
        if (t == CUBLAS_OP_C) v = std::conj(v);
      sum += v * wide_of(x[j]);
    }
    const auto before = beta == S{} ? decltype(sum){} : wide_of(beta) * wide_of(y[i]);
    y[i] = narrow_of<Y>(wide_of(alpha) * sum + before);
  }
}

// find(k, Running&) answers the addresses of A, x and y of the k-th one.
template <class S, class A, class Y, class Find>
cublasStatus_t any_gemv_batch(const Call& call, cublasOperation_t t, std::int64_t m, std::int64_t n, const S* alpha,
                              std::int64_t lda, std::int64_t incx, const S* beta, std::int64_t incy, std::int64_t count,
                              Find find) {
  if (!letter_of(t) || !are_sizes({m, n, count})) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  if (!is_leading(lda, m) || incx == 0 || incy == 0 || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<S> by(call, alpha), old(call, beta);
  return call.enqueue(matrix_cost<S>(2 * count * m * n, count * m * n), [=](Running& running) {
    const S factor = by.get(running), before = old.get(running);
    for (std::int64_t k = 0; k < count; ++k) {
      if (k % 16 == 15) running.tick();
      const A *a = nullptr, *x = nullptr;
      Y* y = nullptr;
      find(k, running, a, x, y);
      const A* const own_a = running.read(a, matrix_size(m, n, lda));
      const auto u = read(running, t == CUBLAS_OP_N ? n : m, x, incx);
      multiply_by_vector(t, m, n, factor, own_a, lda, u, before, write(running, t == CUBLAS_OP_N ? m : n, y, incy));
    }
  });
}

template <class S, class A, class Y>
cublasStatus_t gemv_batched(const Call& call, cublasOperation_t t, std::int64_t m, std::int64_t n, const S* alpha,
                            const A* const* a, std::int64_t lda, const A* const* x, std::int64_t incx, const S* beta,
                            Y* const* y, std::int64_t incy, std::int64_t count) {
  return any_gemv_batch<S, A, Y>(call, t, m, n, alpha, lda, incx, beta, incy, count,
                                 [=](std::int64_t k, Running& running, const A*& at_a, const A*& at_x, Y*& at_y) {
                                   at_a = *running.read(a + k, 1);
                                   at_x = *running.read(x + k, 1);
                                   at_y = *running.read(y + k, 1);
                                 });
}

template <class S, class A, class Y>
cublasStatus_t gemv_strided(const Call& call, cublasOperation_t t, std::int64_t m, std::int64_t n, const S* alpha,
                            const A* a, std::int64_t lda, std::int64_t stride_a, const A* x, std::int64_t incx,
                            std::int64_t stride_x, const S* beta, Y* y, std::int64_t incy, std::int64_t stride_y,
                            std::int64_t count) {
  return any_gemv_batch<S, A, Y>(call, t, m, n, alpha, lda, incx, beta, incy, count,
                                 [=](std::int64_t k, Running&, const A*& at_a, const A*& at_x, Y*& at_y) {
                                   at_a = a + k * stride_a;
                                   at_x = x + k * stride_x;
                                   at_y = y + k * stride_y;
                                 });
}

// Each group has shapes of its own, in memory of the host; the matrices stand one group behind the other.
template <class T, class Index>
cublasStatus_t gemm_grouped(const Call& call, const cublasOperation_t* ta, const cublasOperation_t* tb, const Index* m,
                            const Index* n, const Index* k, const T* alpha, const T* const* a, const Index* lda,
                            const T* const* b, const Index* ldb, const T* beta, T* const* c, const Index* ldc,
                            std::int64_t groups, const Index* sizes) {
  if (groups < 0 || (groups > 0 && (!ta || !tb || !m || !n || !k || !alpha || !lda || !ldb || !beta || !ldc || !sizes)))
    return CUBLAS_STATUS_INVALID_VALUE;
  std::int64_t first = 0;
  for (std::int64_t g = 0; g < groups; ++g) {
    const auto status = gemm_batched(call, ta[g], tb[g], m[g], n[g], k[g], alpha + g, a + first, lda[g], b + first,
                                     ldb[g], beta + g, c + first, ldc[g], sizes[g]);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    first += sizes[g];
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class Index>
cublasStatus_t gemm_grouped_ex(const Call& call, const cublasOperation_t* ta, const cublasOperation_t* tb,
                               const Index* m, const Index* n, const Index* k, const void* alpha, const void* const* a,
                               cudaDataType type_a, const Index* lda, const void* const* b, cudaDataType type_b,
                               const Index* ldb, const void* beta, void* const* c, cudaDataType type_c,
                               const Index* ldc, std::int64_t groups, const Index* sizes, cublasComputeType_t compute) {
  if (groups < 0 || (groups > 0 && (!ta || !tb || !m || !n || !k || !alpha || !lda || !ldb || !beta || !ldc || !sizes)))
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_double = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  const auto scalar = [&](const void* all, std::int64_t g) {
    return static_cast<const char*>(all) + g * static_cast<std::int64_t>(is_double ? sizeof(double) : sizeof(float));
  };
  std::int64_t first = 0;
  for (std::int64_t g = 0; g < groups; ++g) {
    const auto status = gemm_batched_ex(call, ta[g], tb[g], m[g], n[g], k[g], scalar(alpha, g), a + first, type_a,
                                        lda[g], b + first, type_b, ldb[g], scalar(beta, g), c + first, type_c, ldc[g],
                                        sizes[g], compute, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    first += sizes[g];
  }
  return CUBLAS_STATUS_SUCCESS;
}

// C = alpha * op(A) * op(B)' + beta * C, of which only the triangle is computed and written.
template <class S, class T>
cublasStatus_t any_syrkx(const Call& call, bool conjugates, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n,
                         std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                         const S* beta, T* c, std::int64_t ldc) {
  const auto rows = t == CUBLAS_OP_N ? n : k, columns = t == CUBLAS_OP_N ? k : n;
  if (!is_update_by_two(uplo, t, n, k, lda, ldb, ldc) || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> by(call, alpha);
  const Scalar<S> old(call, beta);
  return call.enqueue(matrix_cost<T>(n * n * k, 2 * n * k + n * n), [=](Running& running) {
    const S before = old.get(running);
    const char turned = conjugates ? 'C' : 'T';
    std::vector<T> product(static_cast<std::size_t>(n * n));
    if (k > 0)
      blas::gemm<T>(t == CUBLAS_OP_N ? 'N' : turned, t == CUBLAS_OP_N ? turned : 'N', as_int(n), as_int(n), as_int(k),
                    by.get(running), running.read(a, matrix_size(rows, columns, lda)), as_int(lda),
                    running.read(b, matrix_size(rows, columns, ldb)), as_int(ldb), T{}, product.data(), as_int(n));
    T* const to = running.write(c, matrix_size(n, n, ldc));
    for (std::int64_t j = 0; j < n; ++j)
      for (auto i = uplo == CUBLAS_FILL_MODE_UPPER ? 0 : j; i < (uplo == CUBLAS_FILL_MODE_UPPER ? j + 1 : n); ++i) {
        T& v = to[i + j * ldc];
        v = product[static_cast<std::size_t>(i + j * n)] + (before == S{} ? T{} : before * v);
        if (conjugates && i == j) v = static_cast<T>(std::real(v));
      }
  });
}
template <class T>
cublasStatus_t syrkx(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n, std::int64_t k,
                     const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, const T* beta, T* c,
                     std::int64_t ldc) {
  return any_syrkx(call, false, uplo, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
cublasStatus_t herkx(const Call& call, cublasFillMode_t uplo, cublasOperation_t t, std::int64_t n, std::int64_t k,
                     const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, const Real<T>* beta,
                     T* c, std::int64_t ldc) {
  if (t == CUBLAS_OP_T) return CUBLAS_STATUS_INVALID_VALUE;
  return any_syrkx(call, true, uplo, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace nvmlkit::cublas::functions
