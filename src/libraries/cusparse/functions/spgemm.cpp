#include "libraries/cusparse/functions/spgemm.hpp"

namespace nvmlkit::cusparse::functions {
namespace {

cusparseStatus_t check_product(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                               const SparseMatrix* a, const SparseMatrix* b, const SparseMatrix* c,
                               const SparseProduct* product) {
  if (!is_object(a) || !is_object(b) || !is_object(c) || !is_object(product) || !is_operation(op_a) ||
      !is_operation(op_b))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (c->format != CUSPARSE_FORMAT_CSR) return call.unsupported("into this format");
  const Size rows = is_turned(op_a) ? a->all_columns() : a->all_rows(),
             middle = is_turned(op_a) ? a->all_rows() : a->all_columns(),
             next = is_turned(op_b) ? b->all_columns() : b->all_rows(),
             columns = is_turned(op_b) ? b->all_rows() : b->all_columns();
  if (middle != next || rows != c->rows || columns != c->columns) return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t check_numbers(const Call& call, const SparseMatrix& a, const SparseMatrix& b, const SparseMatrix& c,
                               const void* alpha, const void* beta, cudaDataType compute) {
  if (!alpha || !beta) return CUSPARSE_STATUS_INVALID_VALUE;
  for (const auto type : {a.type, b.type, c.type})
    if (!is_stored_for(type, compute)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return for_compute(call, compute, [](auto) { return CUSPARSE_STATUS_SUCCESS; });
}

// Done when the call returns: the program asks for the number of entries then. The product stays in memory of the host.
template <class T>
cusparseStatus_t compute_now(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const Scalar& alpha,
                             const SparseMatrix& a, const SparseMatrix& b, SparseMatrix& c, SparseProduct& product) {
  product.is_computed = false;
  const auto status = call.enqueue_and_wait(cost_of<T>(a.stored(), 8), [=, out = &product](Running& running) {
    out->products = 0;
    const auto left = read_sparse<T>(running, a, 0, op_a), right = read_sparse<T>(running, b, 0, op_b);
    auto rows = cusparse::product(running, left, right, alpha.get<T>(running), &out->products);
    out->begins = std::move(rows.begins);
    out->columns = std::move(rows.columns);
    out->values.assign(rows.values.begin(), rows.values.end());
    out->is_computed = true;
  });
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!product.is_computed) return CUSPARSE_STATUS_EXECUTION_FAILED;
  c.count = static_cast<Size>(product.columns.size());
  return CUSPARSE_STATUS_SUCCESS;
}

// The product in memory of the device, added to beta times what is there.
template <class T>
void write_product(Running& running, const SparseMatrix& c, const SparseProduct& product, T beta, bool with_structure) {
  std::vector<T> values(product.values.size());
  const auto old = beta == T{} ? std::vector<T>(values.size())
                               : read_numbers<T>(running, c.values, static_cast<Size>(values.size()), c.type);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if constexpr (std::is_floating_point_v<T>)
      values[k] = static_cast<T>(product.values[k].real());
    else
      values[k] = static_cast<T>(product.values[k]);
    if (beta != T{}) values[k] += beta * old[k];
  }
  write_numbers(running, c.values, values, c.type);
  if (!with_structure) return;
  write_indices(running, c.offsets, product.begins, c.offset_type, static_cast<Size>(c.base));
  write_indices(running, c.indices, product.columns, c.index_type, static_cast<Size>(c.base));
}

bool has_room(const SparseMatrix& c, const SparseProduct& product) {
  return c.offsets && (product.columns.empty() || (c.indices && c.values)) &&
         c.count >= static_cast<Size>(product.columns.size());
}

}  // namespace

cusparseStatus_t spgemm_estimate(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void*,
                                 const SparseMatrix* a, const SparseMatrix* b, const void*, SparseMatrix* c,
                                 cudaDataType, cusparseSpGEMMAlg_t, SparseProduct* product, std::size_t* size,
                                 void* buffer) {
  const auto status = check_product(call, op_a, op_b, a, b, c, product);
  return status == CUSPARSE_STATUS_SUCCESS && !buffer ? tell_size(size) : status;
}
cusparseStatus_t spgemm_products(SparseProduct* product, Size* count) {
  return is_object(product) ? answer(count, product->products) : CUSPARSE_STATUS_INVALID_VALUE;
}
cusparseStatus_t spgemm_memory(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void*,
                               const SparseMatrix* a, const SparseMatrix* b, const void*, SparseMatrix* c, cudaDataType,
                               cusparseSpGEMMAlg_t, SparseProduct* product, float fraction, std::size_t* size,
                               void* buffer, std::size_t* next_size) {
  const auto status = check_product(call, op_a, op_b, a, b, c, product);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!(fraction > 0 && fraction <= 1)) return CUSPARSE_STATUS_INVALID_VALUE;
  return buffer ? tell_size(next_size) : tell_size(size);
}
cusparseStatus_t spgemm_compute(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                                const SparseMatrix* a, const SparseMatrix* b, const void* beta, SparseMatrix* c,
                                cudaDataType compute, cusparseSpGEMMAlg_t, SparseProduct* product, std::size_t* size,
                                void* buffer) {
  auto status = check_product(call, op_a, op_b, a, b, c, product);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  status = check_numbers(call, *a, *b, *c, alpha, beta, compute);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!buffer) return tell_size(size);
  return for_compute(call, compute, [&](auto zero) {
    return compute_now<decltype(zero)>(call, op_a, op_b, Scalar(call, alpha, compute), *a, *b, *c, *product);
  });
}
cusparseStatus_t spgemm_copy(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                             const SparseMatrix* a, const SparseMatrix* b, const void* beta, SparseMatrix* c,
                             cudaDataType compute, cusparseSpGEMMAlg_t, SparseProduct* product) {
  auto status = check_product(call, op_a, op_b, a, b, c, product);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  status = check_numbers(call, *a, *b, *c, alpha, beta, compute);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!product->is_computed || !has_room(*c, *product)) return CUSPARSE_STATUS_INVALID_VALUE;
  return for_compute(call, compute, [&](auto zero) {
    using T = decltype(zero);
    const Scalar keep(call, beta, compute);
    return call.enqueue(cost_of<T>(c->count, 1), [c = *c, product = *product, keep](Running& running) {
      write_product<T>(running, c, product, keep.get<T>(running), true);
    });
  });
}

cusparseStatus_t reuse_estimate(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c, cusparseSpGEMMAlg_t,
                                SparseProduct* product, std::size_t* size, void* buffer) {
  const auto status = check_product(call, op_a, op_b, a, b, c, product);
  return status == CUSPARSE_STATUS_SUCCESS && !buffer ? tell_size(size) : status;
}
cusparseStatus_t reuse_count(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                             const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c, cusparseSpGEMMAlg_t,
                             SparseProduct* product, std::size_t* size2, void* buffer2, std::size_t* size3, void*,
                             std::size_t* size4, void*) {
  const auto status = check_product(call, op_a, op_b, a, b, c, product);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!buffer2) {
    tell_size(size3);
    tell_size(size4);
    return tell_size(size2);
  }
  // The structure does not depend on the numbers, which may not be there yet: the matrices are read as if of 1.
  product->is_computed = false;
  const auto done = call.enqueue_and_wait(cost_of<float>(a->stored(), 8), [=, a = *a, b = *b](Running& running) {
    const auto ones = [&](const SparseMatrix& m, cusparseOperation_t op) {
      auto entries = read_entries(running, m);
      if (is_turned(op)) entries = transposed(entries);
      return Sparse<float>{std::move(entries), std::vector<float>(at(m.stored()), 1)};
    };
    product->products = 0;
    const auto left = ones(a, op_a), right = ones(b, op_b);
    auto rows = cusparse::product(running, left, right, 1.0f, &product->products);
    product->begins = std::move(rows.begins);
    product->columns = std::move(rows.columns);
    product->values.assign(product->columns.size(), 0);
    product->is_computed = true;
  });
  if (done != CUSPARSE_STATUS_SUCCESS) return done;
  if (!product->is_computed) return CUSPARSE_STATUS_EXECUTION_FAILED;
  c->count = static_cast<Size>(product->columns.size());
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t reuse_copy(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const SparseMatrix* a,
                            const SparseMatrix* b, SparseMatrix* c, cusparseSpGEMMAlg_t, SparseProduct* product,
                            std::size_t* size, void* buffer) {
  const auto status = check_product(call, op_a, op_b, a, b, c, product);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!buffer) return tell_size(size);
  if (!product->is_computed || !has_room(*c, *product)) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<float>(c->count, 1), [c = *c, product = *product](Running& running) {
    write_indices(running, c.offsets, product.begins, c.offset_type, static_cast<Size>(c.base));
    write_indices(running, c.indices, product.columns, c.index_type, static_cast<Size>(c.base));
  });
}
cusparseStatus_t reuse_compute(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                               const SparseMatrix* a, const SparseMatrix* b, const void* beta, SparseMatrix* c,
                               cudaDataType compute, cusparseSpGEMMAlg_t, SparseProduct* product) {
  auto status = check_product(call, op_a, op_b, a, b, c, product);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  status = check_numbers(call, *a, *b, *c, alpha, beta, compute);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!product->is_computed || !has_room(*c, *product)) return CUSPARSE_STATUS_INVALID_VALUE;
  return for_compute(call, compute, [&](auto zero) {
    using T = decltype(zero);
    const Scalar scale(call, alpha, compute), keep(call, beta, compute);
    const auto work = [a = *a, b = *b, c = *c, op_a, op_b, scale, keep](Running& running) {
      SparseProduct made;
      const auto left = read_sparse<T>(running, a, 0, op_a), right = read_sparse<T>(running, b, 0, op_b);
      const auto rows = cusparse::product(running, left, right, scale.get<T>(running), &made.products);
      need(static_cast<Size>(rows.columns.size()) <= c.count);
      made.values.assign(rows.values.begin(), rows.values.end());
      write_product<T>(running, c, made, keep.get<T>(running), false);
    };
    return call.enqueue(cost_of<T>(a->stored(), 8), work);
  });
}

}  // namespace nvmlkit::cusparse::functions
