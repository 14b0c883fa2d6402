#include "libraries/cusparse/functions/products.hpp"

#include "libraries/cusparse/functions/shapes.hpp"

namespace nvmlkit::cusparse::functions {
namespace {

// A batch of one matrix is the same matrix for all.
template <class A, class B>
bool are_batches(const A& a, const B& b, Size batches) {
  return (a.batches == 1 || a.batches == batches) && (b.batches == 1 || b.batches == batches);
}

template <class A, class B, class C>
cusparseStatus_t check(const Call& call, cusparseOperation_t op_a, const A* a, cusparseOperation_t op_b, const B* b,
                       const C* c, const void* alpha, const void* beta, cudaDataType compute) {
  if (!is_object(a) || !is_object(b) || !is_object(c) || !alpha || !beta) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!fit(op_a, *a, op_b, *b, *c) || !are_batches(*a, *b, c->batches)) return CUSPARSE_STATUS_INVALID_VALUE;
  for (const auto type : {a->type, b->type, c->type})
    if (!is_stored_for(type, compute)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return for_compute(call, compute, [](auto) { return CUSPARSE_STATUS_SUCCESS; });
}

struct Vectors {
  DenseMatrix x, y;
};
cusparseStatus_t check_vectors(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                               const DenseVector* x, const void* beta, const DenseVector* y, cudaDataType compute,
                               Vectors& out) {
  if (!is_object(x) || !is_object(y)) return CUSPARSE_STATUS_INVALID_VALUE;
  out = {column_of(*x), column_of(*y)};
  return check(call, op, a, CUSPARSE_OPERATION_NON_TRANSPOSE, &out.x, &out.y, alpha, beta, compute);
}

template <class T>
T dot(const T* x, const T* y, Size count) {
  T out{};
  for (Size k = 0; k < count; ++k) out += x[k] * y[k];
  return out;
}

// What an operation turns into what is not turned, and back. Conjugates stay conjugates.
template <class T>
Dense<T> read_columns_as_rows(Running& running, const DenseMatrix& m, Size batch, cusparseOperation_t op) {
  auto out =
      read_dense<T>(running, m, batch, is_turned(op) ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE);
  if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    for (T& x : out.numbers) x = conjugated(x);
  return out;
}

}  // namespace

cusparseStatus_t multiply_later(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                const Scalar& alpha, const SparseMatrix& a, const DenseMatrix& b, const Scalar& beta,
                                const DenseMatrix& c, cudaDataType compute) {
  return for_compute(call, compute, [&](auto zero) {
    using T = decltype(zero);
    return call.enqueue(cost_of<T>(a.stored(), c.columns * c.batches), [=](Running& running) {
      const T scale = alpha.get<T>(running), keep = beta.get<T>(running);
      for (Size batch = 0; batch < c.batches; ++batch) {
        const auto left = read_sparse<T>(running, a, a.batches > 1 ? batch : 0, op_a);
        const auto right = read_dense<T>(running, b, b.batches > 1 ? batch : 0, op_b);
        auto out = keep == T{} ? Dense<T>(c.rows, c.columns) : read_dense<T>(running, c, batch);
        multiply(running, left, right, scale, keep, out);
        write_dense(running, c, out, batch);
      }
    });
  });
}

cusparseStatus_t spmv(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                      const DenseVector* x, const void* beta, DenseVector* y, cudaDataType compute, cusparseSpMVAlg_t,
                      void*) {
  Vectors vectors;
  const auto status = check_vectors(call, op, alpha, a, x, beta, y, compute, vectors);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return multiply_later(call, op, CUSPARSE_OPERATION_NON_TRANSPOSE, Scalar(call, alpha, compute), *a, vectors.x,
                        Scalar(call, beta, compute), vectors.y, compute);
}
cusparseStatus_t spmv_size(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                           const DenseVector* x, const void* beta, DenseVector* y, cudaDataType compute,
                           cusparseSpMVAlg_t, std::size_t* size) {
  Vectors vectors;
  const auto status = check_vectors(call, op, alpha, a, x, beta, y, compute, vectors);
  return status == CUSPARSE_STATUS_SUCCESS ? tell_size(size) : status;
}
cusparseStatus_t spmv_prepare(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                              const DenseVector* x, const void* beta, DenseVector* y, cudaDataType compute,
                              cusparseSpMVAlg_t, void*) {
  Vectors vectors;
  return check_vectors(call, op, alpha, a, x, beta, y, compute, vectors);
}

cusparseStatus_t spmm(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                      const SparseMatrix* a, const DenseMatrix* b, const void* beta, DenseMatrix* c,
                      cudaDataType compute, cusparseSpMMAlg_t, void*) {
  const auto status = check(call, op_a, a, op_b, b, c, alpha, beta, compute);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return multiply_later(call, op_a, op_b, Scalar(call, alpha, compute), *a, *b, Scalar(call, beta, compute), *c,
                        compute);
}
cusparseStatus_t spmm_size(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                           const SparseMatrix* a, const DenseMatrix* b, const void* beta, DenseMatrix* c,
                           cudaDataType compute, cusparseSpMMAlg_t, std::size_t* size) {
  const auto status = check(call, op_a, a, op_b, b, c, alpha, beta, compute);
  return status == CUSPARSE_STATUS_SUCCESS ? tell_size(size) : status;
}
cusparseStatus_t spmm_prepare(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                              const SparseMatrix* a, const DenseMatrix* b, const void* beta, DenseMatrix* c,
                              cudaDataType compute, cusparseSpMMAlg_t, void*) {
  return check(call, op_a, a, op_b, b, c, alpha, beta, compute);
}

cusparseStatus_t sddmm(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                       const DenseMatrix* a, const DenseMatrix* b, const void* beta, SparseMatrix* c,
                       cudaDataType compute, cusparseSDDMMAlg_t, void*) {
  const auto status = check(call, op_a, a, op_b, b, c, alpha, beta, compute);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const Scalar scale(call, alpha, compute), keep(call, beta, compute);
  return for_compute(call, compute, [&](auto zero) {
    using T = decltype(zero);
    const auto work = [a = *a, b = *b, c = *c, op_a, op_b, scale, keep](Running& running) {
      const T by = scale.get<T>(running), old = keep.get<T>(running);
      for (Size batch = 0; batch < c.batches; ++batch) {
        const auto left = read_dense<T>(running, a, a.batches > 1 ? batch : 0, op_a);
        const auto right = read_columns_as_rows<T>(running, b, b.batches > 1 ? batch : 0, op_b);
        auto out = read_sparse<T>(running, c, batch);
        for (Size i = 0; i < out.entries.rows; ++i)
          for (Size k = out.entries.begin(i); k < out.entries.end(i); ++k) {
            const T sum = dot(left.row(i), right.row(out.entries.column(k)), left.columns);
            out.value(k) = by * sum + (old == T{} ? T{} : old * out.value(k));
          }
        write_values(running, c, out.values, batch);
      }
    };
    return call.enqueue(cost_of<T>(c->stored(), shape_of(*a, op_a).columns * c->batches), work);
  });
}
cusparseStatus_t sddmm_size(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                            const DenseMatrix* a, const DenseMatrix* b, const void* beta, SparseMatrix* c,
                            cudaDataType compute, cusparseSDDMMAlg_t, std::size_t* size) {
  const auto status = check(call, op_a, a, op_b, b, c, alpha, beta, compute);
  return status == CUSPARSE_STATUS_SUCCESS ? tell_size(size) : status;
}
cusparseStatus_t sddmm_prepare(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                               const DenseMatrix* a, const DenseMatrix* b, const void* beta, SparseMatrix* c,
                               cudaDataType compute, cusparseSDDMMAlg_t, void*) {
  return check(call, op_a, a, op_b, b, c, alpha, beta, compute);
}

}  // namespace nvmlkit::cusparse::functions
