// Products of sparse matrices with dense vectors and matrices; dense products at the entries of a sparse matrix.
#pragma once

#include "libraries/cusparse/kernels.hpp"

namespace nvmlkit::cusparse::functions {

cusparseStatus_t spmv(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                      const DenseVector* x, const void* beta, DenseVector* y, cudaDataType compute,
                      cusparseSpMVAlg_t algorithm, void* buffer);
cusparseStatus_t spmv_size(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                           const DenseVector* x, const void* beta, DenseVector* y, cudaDataType compute,
                           cusparseSpMVAlg_t algorithm, std::size_t* size);
cusparseStatus_t spmv_prepare(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                              const DenseVector* x, const void* beta, DenseVector* y, cudaDataType compute,
                              cusparseSpMVAlg_t algorithm, void* buffer);

cusparseStatus_t spmm(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                      const SparseMatrix* a, const DenseMatrix* b, const void* beta, DenseMatrix* c,
                      cudaDataType compute, cusparseSpMMAlg_t algorithm, void* buffer);
cusparseStatus_t spmm_size(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                           const SparseMatrix* a, const DenseMatrix* b, const void* beta, DenseMatrix* c,
                           cudaDataType compute, cusparseSpMMAlg_t algorithm, std::size_t* size);
cusparseStatus_t spmm_prepare(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                              const SparseMatrix* a, const DenseMatrix* b, const void* beta, DenseMatrix* c,
                              cudaDataType compute, cusparseSpMMAlg_t algorithm, void* buffer);

cusparseStatus_t sddmm(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                       const DenseMatrix* a, const DenseMatrix* b, const void* beta, SparseMatrix* c,
                       cudaDataType compute, cusparseSDDMMAlg_t algorithm, void* buffer);
cusparseStatus_t sddmm_size(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                            const DenseMatrix* a, const DenseMatrix* b, const void* beta, SparseMatrix* c,
                            cudaDataType compute, cusparseSDDMMAlg_t algorithm, std::size_t* size);
cusparseStatus_t sddmm_prepare(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                               const DenseMatrix* a, const DenseMatrix* b, const void* beta, SparseMatrix* c,
                               cudaDataType compute, cusparseSDDMMAlg_t algorithm, void* buffer);

// c = alpha op(a) op(b) + beta c, of right arguments; the functions with typed arguments use it too.
cusparseStatus_t multiply_later(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                const Scalar& alpha, const SparseMatrix& a, const DenseMatrix& b, const Scalar& beta,
                                const DenseMatrix& c, cudaDataType compute);

}  // namespace nvmlkit::cusparse::functions
