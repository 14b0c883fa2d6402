#include "libraries/cusparse/functions/vectors.hpp"

#include <algorithm>

namespace nvmlkit::cusparse::functions {
namespace {

std::vector<Size> places_of(Running& running, const SparseVector& x) {
  auto out = read_indices(running, x.indices, x.count, x.index_type, static_cast<Size>(x.base));
  for (const Size place : out) need(place >= 0 && place < x.size);
  return out;
}
bool are_vectors(const SparseVector* x, const DenseVector* y) {
  return is_object(x) && is_object(y) && x->size == y->size;
}
// The type that numbers of a type are computed in.
cudaDataType compute_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return CUDA_R_32F;
    case CUDA_C_16F:
    case CUDA_C_16BF:
      return CUDA_C_32F;
    default:
      return type;
  }
}
template <class Work>
cusparseStatus_t for_vectors(const Call& call, const SparseVector* x, const DenseVector* y, Work work) {
  if (!are_vectors(x, y)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (x->type != y->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return for_compute(call, compute_of(x->type), work);
}

}  // namespace

// y = alpha x + beta y
cusparseStatus_t axpby(const Call& call, const void* alpha, const SparseVector* x, const void* beta, DenseVector* y) {
  if (!alpha || !beta) return CUSPARSE_STATUS_INVALID_VALUE;
  return for_vectors(call, x, y, [&](auto zero) {
    using T = decltype(zero);
    const auto type = compute_of(x->type);
    const Scalar by(call, alpha, type), keep(call, beta, type);
    return call.enqueue(cost_of<T>(x->size, 1), [x = *x, y = *y, by, keep](Running& running) {
      const auto places = places_of(running, x);
      const auto from = read_numbers<T>(running, x.values, x.count, x.type);
      const T a = by.get<T>(running), b = keep.get<T>(running);
      auto out = b == T{} ? std::vector<T>(at(y.size)) : read_numbers<T>(running, y.values, y.size, y.type);
      for (T& number : out) number *= b;
      for (std::size_t k = 0; k < places.size(); ++k) out[at(places[k])] += a * from[k];
      write_numbers(running, y.values, out, y.type);
    });
  });
}
cusparseStatus_t gather(const Call& call, const DenseVector* y, SparseVector* x) {
  if (!are_vectors(x, y)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (x->type != y->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return call.enqueue(cost_of<float>(x->count, 1), [x = *x, y = *y](Running& running) {
    const auto places = places_of(running, x);
    const auto size = blas::size_of(type_of(x.type));
    const auto* const from = static_cast<const char*>(running.read(y.values, y.size, size));
    auto* const to = static_cast<char*>(running.write(x.values, x.count, size));
    for (std::size_t k = 0; k < places.size(); ++k) std::copy_n(from + at(places[k]) * size, size, to + k * size);
  });
}
cusparseStatus_t scatter(const Call& call, const SparseVector* x, DenseVector* y) {
  if (!are_vectors(x, y)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (x->type != y->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return call.enqueue(cost_of<float>(x->count, 1), [x = *x, y = *y](Running& running) {
    const auto places = places_of(running, x);
    const auto size = blas::size_of(type_of(x.type));
    const auto* const from = static_cast<const char*>(running.read(x.values, x.count, size));
    auto* const to = static_cast<char*>(running.write(y.values, y.size, size));
    for (std::size_t k = 0; k < places.size(); ++k) std::copy_n(from + k * size, size, to + at(places[k]) * size);
  });
}
// x = c x + s y, y = c y - s x at the places of x
cusparseStatus_t rotate(const Call& call, const void* c, const void* s, SparseVector* x, DenseVector* y) {
  if (!c || !s) return CUSPARSE_STATUS_INVALID_VALUE;
  return for_vectors(call, x, y, [&](auto zero) {
    using T = decltype(zero);
    const auto type = compute_of(x->type);
    const Scalar cosine(call, c, type), sine(call, s, type);
    return call.enqueue(cost_of<T>(x->count, 2), [x = *x, y = *y, cosine, sine](Running& running) {
      const auto places = places_of(running, x);
      auto sparse = read_numbers<T>(running, x.values, x.count, x.type);
      auto dense = read_numbers<T>(running, y.values, y.size, y.type);
      const T a = cosine.get<T>(running), b = sine.get<T>(running);
      for (std::size_t k = 0; k < places.size(); ++k) {
        T &from = sparse[k], &to = dense[at(places[k])];
        const T turned = a * from + b * to;
        to = a * to - b * from;
        from = turned;
      }
      write_numbers(running, x.values, sparse, x.type);
      write_numbers(running, y.values, dense, y.type);
    });
  });
}

cusparseStatus_t spvv(const Call& call, cusparseOperation_t op, const SparseVector* x, const DenseVector* y,
                      void* result, cudaDataType compute, void*) {
  if (!are_vectors(x, y) || !result || !is_operation(op)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_stored_for(x->type, compute) || !is_stored_for(y->type, compute)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const bool is_of_host = call.has_host_pointers();
  return for_compute(call, compute, [&](auto zero) {
    using T = decltype(zero);
    const auto work = [=, x = *x, y = *y](Running& running) {
      const auto places = places_of(running, x);
      const auto left = read_numbers<T>(running, x.values, x.count, x.type);
      const auto right = read_numbers<T>(running, y.values, y.size, y.type);
      T sum{};
      for (std::size_t k = 0; k < places.size(); ++k)
        sum += (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugated(left[k]) : left[k]) * right[at(places[k])];
      const auto type = type_of(compute);
      blas::store(type, &sum, 1, is_of_host ? result : running.write(result, 1, blas::size_of(type)));
    };
    const auto cost = cost_of<T>(x->count, 1);
    return call.is_captured() ? call.enqueue(cost, work) : call.enqueue_with_answer(cost, work);
  });
}
cusparseStatus_t spvv_size(const Call&, cusparseOperation_t op, const SparseVector* x, const DenseVector* y,
                           const void* result, cudaDataType, std::size_t* size) {
  return tell_size(size, are_vectors(x, y) && result && is_operation(op));
}

cusparseStatus_t gemvi_later(const Call& call, cusparseOperation_t op, const Scalar& alpha, const DenseMatrix& a,
                             const SparseVector& x, const Scalar& beta, const DenseVector& y) {
  return for_compute(call, a.type, [&](auto zero) {
    using T = decltype(zero);
    return call.enqueue(cost_of<T>(a.rows, x.count), [=](Running& running) {
      const auto matrix = read_dense<T>(running, a, 0, op);
      const auto places = places_of(running, x);
      const auto values = read_numbers<T>(running, x.values, x.count, x.type);
      const T by = alpha.get<T>(running), keep = beta.get<T>(running);
      auto out = keep == T{} ? std::vector<T>(at(y.size)) : read_numbers<T>(running, y.values, y.size, y.type);
      for (Size i = 0; i < matrix.rows; ++i) {
        T sum{};
        for (std::size_t k = 0; k < places.size(); ++k) sum += matrix.row(i)[places[k]] * values[k];
        out[at(i)] = by * sum + keep * out[at(i)];
      }
      write_numbers(running, y.values, out, y.type);
    });
  });
}

}  // namespace nvmlkit::cusparse::functions
