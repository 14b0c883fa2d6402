#include "libraries/cudnn/functions/arithmetic.hpp"

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/pointwise.hpp"
#include "libraries/dnn/reduction.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

bool is_set(const Tensor* t) { return are_live(t) && t->is_set(); }

// Each size is 1 or that of the result.
bool repeats_to(const Tensor* small, const Tensor* large) {
  const auto &a = small->layout.sizes, &c = large->layout.sizes;
  if (a.size() != c.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] != 1 && a[k] != c[k]) return false;
  return true;
}

Cost cost_of_elements(const Operand& c) {
  return {.operations = 2.0 * static_cast<double>(c.layout.count()), .bytes = 3 * c.bytes()};
}

template <class T>
dnn::Array<T> scaled(const dnn::Array<T>& from, double by) {
  dnn::Array<T> out(from.sizes());
  for (std::int64_t k = 0; k < from.count(); ++k) out.edit()[k] = static_cast<T>(by) * from[k];
  return out;
}

std::optional<dnn::Mode> mode_of(cudnnOpTensorOp_t op) {
  switch (op) {
    case CUDNN_OP_TENSOR_ADD:
      return dnn::Mode::add;
    case CUDNN_OP_TENSOR_MUL:
      return dnn::Mode::mul;
    case CUDNN_OP_TENSOR_MIN:
      return dnn::Mode::min;
    case CUDNN_OP_TENSOR_MAX:
      return dnn::Mode::max;
    case CUDNN_OP_TENSOR_SQRT:
      return dnn::Mode::sqrt;
    default:
      return {};
  }
}

std::size_t size_of_index(cudnnIndicesType_t type) {
  if (type == CUDNN_64BIT_INDICES) return 8;
  return type == CUDNN_32BIT_INDICES ? 4 : type == CUDNN_16BIT_INDICES ? 2 : 1;
}

bool has_indices(const ReduceTensor& r) {
  const bool has_place =
      r.op == CUDNN_REDUCE_TENSOR_MIN || r.op == CUDNN_REDUCE_TENSOR_MAX || r.op == CUDNN_REDUCE_TENSOR_AMAX;
  return has_place && r.indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES;
}

template <class T>
void give_to(T* out, T value) {
  if (out) *out = value;
}

bool is_of_sums(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_HALF;
}

}  // namespace

cudnnStatus_t set_combination(OpTensor* o, cudnnOpTensorOp_t op, cudnnDataType_t type, cudnnNanPropagation_t nan) {
  if (!are_live(o) || op > CUDNN_OP_TENSOR_NOT || nan > CUDNN_PROPAGATE_NAN ||
      !(is_of_sums(type) || type == CUDNN_DATA_BFLOAT16))
    return bad("the descriptor is none, or there is no such operation");
  *o = {op, type, nan};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_combination(const OpTensor* o, cudnnOpTensorOp_t* op, cudnnDataType_t* type,
                              cudnnNanPropagation_t* nan) {
  if (!are_live(o)) return bad("the descriptor is none");
  give_to(op, o->op), give_to(type, o->compute_type), give_to(nan, o->nan);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t set_reduction(ReduceTensor* r, cudnnReduceTensorOp_t op, cudnnDataType_t type, cudnnNanPropagation_t nan,
                            cudnnReduceTensorIndices_t indices, cudnnIndicesType_t index_type) {
  if (!are_live(r) || op > CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS || nan > CUDNN_PROPAGATE_NAN || !is_of_sums(type) ||
      indices > CUDNN_REDUCE_TENSOR_FLATTENED_INDICES || index_type > CUDNN_8BIT_INDICES)
    return bad("the descriptor is none, or there is no such operation");
  *r = {op, type, nan, indices, index_type};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_reduction(const ReduceTensor* r, cudnnReduceTensorOp_t* op, cudnnDataType_t* type,
                            cudnnNanPropagation_t* nan, cudnnReduceTensorIndices_t* indices,
                            cudnnIndicesType_t* index_type) {
  if (!are_live(r)) return bad("the descriptor is none");
  give_to(op, r->op), give_to(type, r->compute_type), give_to(nan, r->nan);
  give_to(indices, r->indices), give_to(index_type, r->index_type);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t size_of_indices(const Call&, const ReduceTensor* r, const Tensor* a, const Tensor* c, size_t* out) {
  if (!are_live(r) || !is_set(a) || !is_set(c) || !out) return bad("a descriptor is none, or not set");
  *out = has_indices(*r) ? static_cast<std::size_t>(c->layout.count()) * size_of_index(r->index_type) : 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t size_of_reduction(const Call&, const ReduceTensor* r, const Tensor* a, const Tensor* c, size_t* out) {
  if (!are_live(r) || !is_set(a) || !is_set(c) || !out) return bad("a descriptor is none, or not set");
  *out = 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t transform(const Call& call, const void* alpha, const Tensor* of_x, const void* x, const void* beta,
                        const Tensor* of_y, void* y) {
  if (!is_set(of_x) || !is_set(of_y) || !x || !y) return bad("a descriptor is none, or not set");
  if (of_x->layout.sizes != of_y->layout.sizes) return bad("the tensors have different sizes");
  return add(call, alpha, of_x, x, beta, of_y, y);
}

cudnnStatus_t add(const Call& call, const void* alpha, const Tensor* of_a, const void* a, const void* beta,
                  const Tensor* of_c, void* c) {
  if (!is_set(of_a) || !is_set(of_c) || !a || !c) return bad("a descriptor is none, or not set");
  if (!repeats_to(of_a, of_c)) return bad("the sizes of what is added");
  const Operand from(of_a, a), to(of_c, c);
  return call.compute(to.is_double(), cost_of_elements(to),
                      [=, factors = Factors(alpha, beta, to)](auto number, Running& running) {
                        to.write(running, dnn::broadcast(from.read<decltype(number)>(running), to.sizes()),
                                 factors.alpha, factors.beta);
                      });
}

cudnnStatus_t combine(const Call& call, const OpTensor* o, const void* alpha1, const Tensor* of_a, const void* a,
                      const void* alpha2, const Tensor* of_b, const void* b, const void* beta, const Tensor* of_c,
                      void* c) {
  if (!are_live(o) || !is_set(of_a) || !is_set(of_c) || !a || !c) return bad("a descriptor is none, or not set");
  const bool is_unary = o->op == CUDNN_OP_TENSOR_SQRT || o->op == CUDNN_OP_TENSOR_NOT;
  if (of_a->layout.sizes != of_c->layout.sizes) return bad("the tensors have different sizes");
  if (!is_unary && (!is_set(of_b) || !b || !repeats_to(of_b, of_c))) return bad("the sizes of the second tensor");
  const Operand first(of_a, a), second = is_unary ? first : Operand(of_b, b), to(of_c, c);
  const double by_first = factor(alpha1, to.layout.type, 1), by_second = factor(alpha2, to.layout.type, 1),
               old = factor(beta, to.layout.type, 0);
  return call.compute(to.is_double(), cost_of_elements(to), [=, mode = mode_of(o->op)](auto number, Running& running) {
    using T = decltype(number);
    const auto x = scaled(first.read<T>(running), by_first), y = scaled(second.read<T>(running), by_second);
    dnn::Array<T> out(to.sizes());
    if (mode)
      out = dnn::apply<T>({.mode = *mode}, x, &y, nullptr, to.sizes());
    else  // 1 - a
      for (std::int64_t k = 0; k < out.count(); ++k) out.edit()[k] = T{1} - x[k];
    to.write(running, out, 1, old);
  });
}

cudnnStatus_t run_reduction(const Call& call, const ReduceTensor* r, void* indices, size_t indices_size, void*, size_t,
                            const void* alpha, const Tensor* of_a, const void* a, const void* beta, const Tensor* of_c,
                            void* c) {
  if (!are_live(r) || !is_set(of_a) || !is_set(of_c) || !a || !c) return bad("a descriptor is none, or not set");
  if (!repeats_to(of_c, of_a)) return bad("the sizes of the result");
  const Operand from(of_a, a), to(of_c, c);
  const auto count = to.layout.count();
  const auto size = size_of_index(r->index_type);
  const bool wants_indices = has_indices(*r);
  if (wants_indices && (!indices || indices_size < static_cast<std::size_t>(count) * size))
    return bad("no room for indices");
  const auto kind = static_cast<dnn::Reduction>(r->op);
  return call.compute(
      from.is_double(), cost_of_elements(from), [=, factors = Factors(alpha, beta, to)](auto number, Running& running) {
        using T = decltype(number);
        std::vector<std::int64_t> places;
        const auto found = dnn::reduce(kind, from.read<T>(running), to.sizes(), wants_indices ? &places : nullptr);
        to.write(running, found, factors.alpha, factors.beta);
        auto* const out = wants_indices ? static_cast<char*>(running.write(indices, count, size)) : nullptr;
        for (std::size_t k = 0; k < places.size(); ++k) std::memcpy(out + k * size, &places[k], size);  // little-endian
      });
}

cudnnStatus_t fill(const Call& call, const Tensor* of_y, void* y, const void* value) {
  if (!is_set(of_y) || !y || !value) return bad("a descriptor is none, or not set");
  const Operand to(of_y, y);
  double wide = 0;
  dnn::load_row(to.layout.type, value, 1, &wide);
  return call.compute(to.is_double(), cost_of_elements(to), [=](auto number, Running& running) {
    using T = decltype(number);
    to.write(running, dnn::Array<T>(to.sizes(), static_cast<T>(wide)));
  });
}

cudnnStatus_t scale(const Call& call, const Tensor* of_y, void* y, const void* alpha) {
  if (!is_set(of_y) || !y || !alpha) return bad("a descriptor is none, or not set");
  const Operand to(of_y, y);
  return call.compute(to.is_double(), cost_of_elements(to),
                      [=, by = factor(alpha, to.layout.type, 1)](auto number, Running& running) {
                        to.write(running, scaled(to.read<decltype(number)>(running), by));
                      });
}

}  // namespace nvmlkit::cudnn::functions
