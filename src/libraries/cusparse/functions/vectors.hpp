// Sparse vectors with dense ones.
#pragma once

#include "libraries/cusparse/dense.hpp"

namespace nvmlkit::cusparse::functions {

cusparseStatus_t axpby(const Call& call, const void* alpha, const SparseVector* x, const void* beta, DenseVector* y);
cusparseStatus_t gather(const Call& call, const DenseVector* y, SparseVector* x);
cusparseStatus_t scatter(const Call& call, const SparseVector* x, DenseVector* y);
cusparseStatus_t rotate(const Call& call, const void* c, const void* s, SparseVector* x, DenseVector* y);
cusparseStatus_t spvv(const Call& call, cusparseOperation_t op, const SparseVector* x, const DenseVector* y,
                      void* result, cudaDataType compute, void* buffer);
cusparseStatus_t spvv_size(const Call& call, cusparseOperation_t op, const SparseVector* x, const DenseVector* y,
                           const void* result, cudaDataType compute, std::size_t* size);

cusparseStatus_t gemvi_later(const Call& call, cusparseOperation_t op, const Scalar& alpha, const DenseMatrix& a,
                             const SparseVector& x, const Scalar& beta, const DenseVector& y);

inline cusparseStatus_t gemvi_size(const Call&, cusparseOperation_t op, int m, int n, int count, int* size) {
  return tell_size(size, is_operation(op) && m >= 0 && n >= 0 && count >= 0);
}
// y = alpha op(a) x + beta y of a dense matrix and a sparse vector
template <class T>
cusparseStatus_t gemvi(const Call& call, cusparseOperation_t op, int m, int n, const T* alpha, const T* a, int lda,
                       int count, const T* values, const int* indices, const T* beta, T* y, cusparseIndexBase_t base,
                       void*) {
  const bool is_right = is_operation(op) && m >= 0 && n >= 0 && count >= 0 && lda >= m && alpha && beta && a &&
                        (count == 0 || (values && indices)) && y && base <= CUSPARSE_INDEX_BASE_ONE;
  if (!is_right) return CUSPARSE_STATUS_INVALID_VALUE;
  DenseMatrix matrix;
  matrix.rows = m;
  matrix.columns = n;
  matrix.leading = lda;
  matrix.values = const_cast<T*>(a);
  SparseVector x;
  x.size = is_turned(op) ? m : n;
  x.count = count;
  x.indices = const_cast<int*>(indices);
  x.values = const_cast<T*>(values);
  x.base = base;
  DenseVector out;
  out.size = is_turned(op) ? n : m;
  out.values = y;
  matrix.type = x.type = out.type = kDataType<T>;
  return gemvi_later(call, op, Scalar(call, alpha, kDataType<T>), matrix, x, Scalar(call, beta, kDataType<T>), out);
}

}  // namespace nvmlkit::cusparse::functions
