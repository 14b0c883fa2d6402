// Block matrices of functions with typed arguments: products and triangular solves.
#pragma once

#include "libraries/cusparse/functions/products.hpp"
#include "libraries/cusparse/functions/sparse_objects.hpp"

namespace nvmlkit::cusparse::functions {

template <class T>
DenseMatrix typed_dense(const T* values, Size rows, Size columns, Size leading) {
  DenseMatrix out;
  out.rows = rows;
  out.columns = columns;
  out.leading = leading;
  out.values = const_cast<T*>(values);
  out.type = kDataType<T>;
  return out;
}
inline bool is_dense(const DenseMatrix& m) {
  return m.rows >= 0 && m.columns >= 0 && m.leading >= std::max<Size>(1, m.rows) &&
         (m.values || m.rows == 0 || m.columns == 0);
}

// y = alpha op(a) x + beta y
template <class T>
cusparseStatus_t bsrmv(const Call& call, cusparseDirection_t direction, cusparseOperation_t op, int rows, int columns,
                       int count, const T* alpha, const MatrixOptions* options, const T* values, const int* offsets,
                       const int* indices, int block, const T* x, const T* beta, T* y) {
  if (!is_block_matrix(options, direction, rows, columns, count, block) || !is_operation(op) || !alpha || !beta)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_bsr(options, direction, rows, columns, count, values, offsets, indices, block, block);
  const Size m = a.all_rows(), n = a.all_columns();
  const auto from = typed_dense(x, is_turned(op) ? m : n, 1, std::max<Size>(1, is_turned(op) ? m : n)),
             to = typed_dense(y, is_turned(op) ? n : m, 1, std::max<Size>(1, is_turned(op) ? n : m));
  if (!has_arrays(a) || !is_dense(from) || !is_dense(to)) return CUSPARSE_STATUS_INVALID_VALUE;
  return multiply_later(call, op, CUSPARSE_OPERATION_NON_TRANSPOSE, Scalar(call, alpha, kDataType<T>), a, from,
                        Scalar(call, beta, kDataType<T>), to, kDataType<T>);
}

// c = alpha op(a) op(b) + beta c
template <class T>
cusparseStatus_t bsrmm(const Call& call, cusparseDirection_t direction, cusparseOperation_t op_a,
                       cusparseOperation_t op_b, int rows, int n, int columns, int count, const T* alpha,
                       const MatrixOptions* options, const T* values, const int* offsets, const int* indices, int block,
                       const T* b, int ldb, const T* beta, T* c, int ldc) {
  if (!is_block_matrix(options, direction, rows, columns, count, block) || n < 0 || !is_operation(op_a) ||
      !is_operation(op_b) || !alpha || !beta)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (is_turned(op_a)) return call.unsupported("of a transposed matrix");
  const auto a = typed_bsr(options, direction, rows, columns, count, values, offsets, indices, block, block);
  const Size k = a.all_columns();
  const auto from = typed_dense(b, is_turned(op_b) ? n : k, is_turned(op_b) ? k : n, ldb),
             to = typed_dense(c, a.all_rows(), n, ldc);
  if (!has_arrays(a) || !is_dense(from) || !is_dense(to)) return CUSPARSE_STATUS_INVALID_VALUE;
  return multiply_later(call, op_a, op_b, Scalar(call, alpha, kDataType<T>), a, from, Scalar(call, beta, kDataType<T>),
                        to, kDataType<T>);
}

// op(a) op(x) = alpha op(b). A row of blocks without a diagonal, or with a 0 there, is kept in the info.
template <class T>
cusparseStatus_t solve_blocks(const Call& call, const SparseMatrix& a, cusparseOperation_t op, cusparseOperation_t op_x,
                              const Scalar& alpha, const DenseMatrix& b, const DenseMatrix& x, const PivotInfo& info) {
  if (!has_arrays(a) || !is_dense(b) || !is_dense(x)) return CUSPARSE_STATUS_INVALID_VALUE;
  const auto work = [=, zero = info.zero](Running& running) {
    auto numbers = read_dense<T>(running, b, 0, op_x);
    const T by = alpha.get<T>(running);
    for (T& number : numbers.numbers) number *= by;
    const Size row = solve(running, read_sparse<T>(running, a, 0, op), triangle_of(a, op), numbers);
    *zero = row < 0 ? -1 : static_cast<int>(row / a.block_rows + static_cast<Size>(a.base));
    auto out = x;
    if (is_turned(op_x)) {  // what is turned once more lies as it did
      out.order = CUSPARSE_ORDER_ROW;
      std::swap(out.rows, out.columns);
      if (op_x == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        for (T& number : numbers.numbers) number = conjugated(number);
    }
    write_dense(running, out, numbers);
  };
  return call.enqueue(cost_of<T>(a.stored(), is_turned(op_x) ? x.rows : x.columns), work);
}

template <class T, class Number>
cusparseStatus_t bsrsv_size(const Call&, cusparseDirection_t direction, cusparseOperation_t op, int rows, int count,
                            const MatrixOptions* options, T*, const int*, const int*, int block, PivotInfo* info,
                            Number* size) {
  return tell_size(
      size, is_block_matrix(options, direction, rows, rows, count, block) && is_operation(op) && is_object(info));
}
// The solve finds the first zero itself. An analysis finds none: whether one is there is asked after the solve.
template <class T>
cusparseStatus_t bsrsv_analysis(const Call&, cusparseDirection_t direction, cusparseOperation_t op, int rows, int count,
                                const MatrixOptions* options, const T*, const int*, const int*, int block,
                                PivotInfo* info, cusparseSolvePolicy_t, void*) {
  if (!is_block_matrix(options, direction, rows, rows, count, block) || !is_operation(op) || !is_object(info))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *info->zero = -1;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class T>
cusparseStatus_t bsrsv(const Call& call, cusparseDirection_t direction, cusparseOperation_t op, int rows, int count,
                       const T* alpha, const MatrixOptions* options, const T* values, const int* offsets,
                       const int* indices, int block, PivotInfo* info, const T* f, T* x, cusparseSolvePolicy_t, void*) {
  if (!is_block_matrix(options, direction, rows, rows, count, block) || !is_operation(op) || !is_object(info) || !alpha)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_bsr(options, direction, rows, rows, count, values, offsets, indices, block, block);
  const Size n = a.all_rows();
  return solve_blocks<T>(call, a, op, CUSPARSE_OPERATION_NON_TRANSPOSE, Scalar(call, alpha, kDataType<T>),
                         typed_dense(f, n, 1, std::max<Size>(n, 1)), typed_dense(x, n, 1, std::max<Size>(n, 1)), *info);
}

template <class T, class Number>
cusparseStatus_t bsrsm_size(const Call&, cusparseDirection_t direction, cusparseOperation_t op,
                            cusparseOperation_t op_x, int rows, int n, int count, const MatrixOptions* options, T*,
                            const int*, const int*, int block, PivotInfo* info, Number* size) {
  return tell_size(size, is_block_matrix(options, direction, rows, rows, count, block) && is_operation(op) &&
                             is_operation(op_x) && n >= 0 && is_object(info));
}
template <class T>
cusparseStatus_t bsrsm_analysis(const Call&, cusparseDirection_t direction, cusparseOperation_t op,
                                cusparseOperation_t op_x, int rows, int n, int count, const MatrixOptions* options,
                                const T*, const int*, const int*, int block, PivotInfo* info, cusparseSolvePolicy_t,
                                void*) {
  if (!is_block_matrix(options, direction, rows, rows, count, block) || !is_operation(op) || !is_operation(op_x) ||
      n < 0 || !is_object(info))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *info->zero = -1;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class T>
cusparseStatus_t bsrsm(const Call& call, cusparseDirection_t direction, cusparseOperation_t op,
                       cusparseOperation_t op_x, int rows, int n, int count, const T* alpha,
                       const MatrixOptions* options, const T* values, const int* offsets, const int* indices, int block,
                       PivotInfo* info, const T* b, int ldb, T* x, int ldx, cusparseSolvePolicy_t, void*) {
  if (!is_block_matrix(options, direction, rows, rows, count, block) || !is_operation(op) || !is_operation(op_x) ||
      n < 0 || !is_object(info) || !alpha)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_bsr(options, direction, rows, rows, count, values, offsets, indices, block, block);
  const Size m = a.all_rows(), high = is_turned(op_x) ? n : m, wide = is_turned(op_x) ? m : n;
  return solve_blocks<T>(call, a, op, op_x, Scalar(call, alpha, kDataType<T>), typed_dense(b, high, wide, ldb),
                         typed_dense(x, high, wide, ldx), *info);
}

// Behind the work of the stream. As documented, the answer of a matrix with a zero is a status of its own.
inline cusparseStatus_t zero_pivot(const Call& call, PivotInfo* info, int* position) {
  if (!is_object(info) || !position) return CUSPARSE_STATUS_INVALID_VALUE;
  auto status = call.wait();
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const int found = *info->zero;
  if (call.has_host_pointers())
    *position = found;
  else
    status = call.enqueue_and_wait({}, [=](Running& running) { *running.write(position, 1) = found; });
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return found < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

}  // namespace nvmlkit::cusparse::functions
