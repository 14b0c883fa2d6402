#include "libraries/cusparse/functions/solves.hpp"

namespace nvmlkit::cusparse::functions {
namespace {

constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

cusparseStatus_t check_solve(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                             const SparseMatrix* a, const DenseMatrix* b, const DenseMatrix* c, cudaDataType compute,
                             const Solver* solver) {
  if (!is_object(a) || !is_object(b) || !is_object(c) || !is_object(solver) || !alpha || !is_operation(op_a) ||
      !is_operation(op_b))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Size rows = is_turned(op_b) ? b->columns : b->rows, columns = is_turned(op_b) ? b->rows : b->columns;
  if (a->all_rows() != a->all_columns() || a->all_rows() != rows || c->rows != rows || c->columns != columns ||
      (a->batches != 1 && a->batches != c->batches) || (b->batches != 1 && b->batches != c->batches))
    return CUSPARSE_STATUS_INVALID_VALUE;
  for (const auto type : {a->type, b->type, c->type})
    if (!is_stored_for(type, compute)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return for_compute(call, compute, [](auto) { return CUSPARSE_STATUS_SUCCESS; });
}

template <class T>
T narrowed(DoubleComplex x) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x.real());
  else
    return static_cast<T>(x);
}

// op(matrix), with the numbers that came later.
template <class T>
Sparse<T> read_updated(Running& running, const SparseMatrix& matrix, Size batch, cusparseOperation_t op,
                       const NewNumbers& numbers) {
  auto out = read_sparse<T>(running, matrix, batch);
  const Size each = matrix.stored();
  for (Size k = 0; k < each && !numbers.all.empty(); ++k)
    out.values[at(k)] = narrowed<T>(numbers.all[at(batch * matrix.value_stride + k)]);
  for (Size i = 0; i < out.entries.rows && !numbers.diagonal.empty(); ++i)
    for (Size k = out.entries.begin(i); k < out.entries.end(i); ++k)
      if (out.entries.column(k) == i) out.value(k) = narrowed<T>(numbers.diagonal[at(i)]);
  if (is_turned(op)) out.entries = transposed(out.entries);
  if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    for (T& x : out.values) x = conjugated(x);
  return out;
}

cusparseStatus_t solve_later(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                             const SparseMatrix& left, const DenseMatrix& right, const DenseMatrix& out,
                             cudaDataType compute, const Solver& solver) {
  const Scalar scale(call, alpha, compute);
  return for_compute(call, compute, [&](auto zero) {
    using T = decltype(zero);
    const auto work = [=, numbers = solver.numbers](Running& running) {
      const T by = scale.get<T>(running);
      for (Size batch = 0; batch < out.batches; ++batch) {
        auto x = read_dense<T>(running, right, right.batches > 1 ? batch : 0, op_b);
        for (T& number : x.numbers) number *= by;
        const auto matrix = read_updated<T>(running, left, left.batches > 1 ? batch : 0, op_a, *numbers);
        solve(running, matrix, triangle_of(left, op_a), x);
        write_dense(running, out, x, batch);
      }
    };
    return call.enqueue(cost_of<T>(left.stored(), out.columns * out.batches), work);
  });
}

cusparseStatus_t analyze(cusparseStatus_t status, const SparseMatrix* a, Solver* solver) {
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  solver->is_analyzed = true;
  solver->matrix = *a;
  solver->numbers = std::make_shared<NewNumbers>();
  return status;
}

cusparseStatus_t update(const Call& call, const Solver* solver, const void* values, bool is_diagonal) {
  if (!is_object(solver) || !solver->is_analyzed || !values) return CUSPARSE_STATUS_INVALID_VALUE;
  const auto& m = solver->matrix;
  const Size all = m.batches > 1 ? (m.batches - 1) * m.value_stride + m.stored() : m.stored();
  const Size count = is_diagonal ? m.all_rows() : all;
  const auto work = [=, type = m.type, numbers = solver->numbers](Running& running) {
    auto& to = is_diagonal ? numbers->diagonal : numbers->all;
    to = read_numbers<DoubleComplex>(running, values, count, type);
    if (!is_diagonal) numbers->diagonal.clear();
  };
  return call.enqueue(cost_of<float>(count, 1), work);
}

struct Columns {
  DenseMatrix x, y;
};
cusparseStatus_t check_columns(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                               const DenseVector* x, const DenseVector* y, cudaDataType compute, const Solver* solver,
                               Columns& out) {
  if (!is_object(x) || !is_object(y)) return CUSPARSE_STATUS_INVALID_VALUE;
  out = {column_of(*x), column_of(*y)};
  return check_solve(call, op, kPlain, alpha, a, &out.x, &out.y, compute, solver);
}

}  // namespace

cusparseStatus_t spsv_size(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                           const DenseVector* x, DenseVector* y, cudaDataType compute, cusparseSpSVAlg_t,
                           Solver* solver, std::size_t* size) {
  Columns columns;
  const auto status = check_columns(call, op, alpha, a, x, y, compute, solver, columns);
  return status == CUSPARSE_STATUS_SUCCESS ? tell_size(size) : status;
}
// The solve reads the matrix itself, and what was put in the place of its numbers.
cusparseStatus_t spsv_analysis(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                               const DenseVector* x, DenseVector* y, cudaDataType compute, cusparseSpSVAlg_t,
                               Solver* solver, void*) {
  Columns columns;
  return analyze(check_columns(call, op, alpha, a, x, y, compute, solver, columns), a, solver);
}
cusparseStatus_t spsv(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                      const DenseVector* x, DenseVector* y, cudaDataType compute, cusparseSpSVAlg_t, Solver* solver) {
  Columns columns;
  const auto status = check_columns(call, op, alpha, a, x, y, compute, solver, columns);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return solve_later(call, op, kPlain, alpha, *a, columns.x, columns.y, compute, *solver);
}

cusparseStatus_t spsm_size(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                           const SparseMatrix* a, const DenseMatrix* b, DenseMatrix* c, cudaDataType compute,
                           cusparseSpSMAlg_t, Solver* solver, std::size_t* size) {
  const auto status = check_solve(call, op_a, op_b, alpha, a, b, c, compute, solver);
  return status == CUSPARSE_STATUS_SUCCESS ? tell_size(size) : status;
}
cusparseStatus_t spsm_analysis(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                               const SparseMatrix* a, const DenseMatrix* b, DenseMatrix* c, cudaDataType compute,
                               cusparseSpSMAlg_t, Solver* solver, void*) {
  return analyze(check_solve(call, op_a, op_b, alpha, a, b, c, compute, solver), a, solver);
}
cusparseStatus_t spsm(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                      const SparseMatrix* a, const DenseMatrix* b, DenseMatrix* c, cudaDataType compute,
                      cusparseSpSMAlg_t, Solver* solver) {
  const auto status = check_solve(call, op_a, op_b, alpha, a, b, c, compute, solver);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return solve_later(call, op_a, op_b, alpha, *a, *b, *c, compute, *solver);
}

cusparseStatus_t spsv_update(const Call& call, Solver* solver, void* values, cusparseSpSVUpdate_t part) {
  if (part > CUSPARSE_SPSV_UPDATE_DIAGONAL) return CUSPARSE_STATUS_INVALID_VALUE;
  return update(call, solver, values, part == CUSPARSE_SPSV_UPDATE_DIAGONAL);
}
cusparseStatus_t spsm_update(const Call& call, Solver* solver, void* values, cusparseSpSMUpdate_t part) {
  if (part > CUSPARSE_SPSM_UPDATE_DIAGONAL) return CUSPARSE_STATUS_INVALID_VALUE;
  return update(call, solver, values, part == CUSPARSE_SPSM_UPDATE_DIAGONAL);
}

}  // namespace nvmlkit::cusparse::functions
