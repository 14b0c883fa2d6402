#include "libraries/cudnn/functions/divisive.hpp"

#include <cmath>

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/divisive.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

dnn::Divisive divisive_of(const Lrn& l) {
  return {.n = static_cast<int>(l.n), .alpha = l.alpha, .beta = l.beta, .k = l.k};
}
Cost cost_of_divisive(const Operand& x, const Lrn& l) {
  const auto around = std::pow(l.n, static_cast<double>(x.sizes().size()) - 2);
  return {.operations = (3 * around + 20) * static_cast<double>(x.layout.count()), .bytes = 4 * x.bytes()};
}

// The temporary memory is of NVIDIA's kernels: it has to be there, and is not used.
cudnnStatus_t check_divisive(const Lrn* l, cudnnDivNormMode_t mode, const Tensor* x, const Tensor* y,
                             std::initializer_list<const void*> needed) {
  if (!are_live(l)) return bad("the descriptor is none");
  if (mode != CUDNN_DIVNORM_PRECOMPUTED_MEANS) return bad("no such mode");
  if (!are_live(x, y) || !x->is_set() || !y->is_set()) return bad("a descriptor is none, or not set");
  const auto& sizes = x->layout.sizes;
  if (sizes.size() < 4 || sizes.size() > 5) return bad("4 or 5 dimensions are needed");
  if (sizes != y->layout.sizes || x->layout.type != y->layout.type) return bad("the tensors differ");
  for (const void* const at : needed)
    if (!at) return bad("no memory of a tensor, or no factor");
  if (x->layout.strides != y->layout.strides) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the strides differ");
  return CUDNN_STATUS_SUCCESS;
}

// Without means they are 0.
template <class T>
dnn::Array<T> means_of(const Operand& means, Running& running) {
  return means.address ? means.read<T>(running) : dnn::Array<T>(means.sizes());
}

}  // namespace

cudnnStatus_t divide(const Call& call, const Lrn* l, cudnnDivNormMode_t mode, const void* alpha, const Tensor* of_x,
                     const void* x, const void* means, void* temp, void* temp2, const void* beta, const Tensor* of_y,
                     void* y) {
  const auto status = check_divisive(l, mode, of_x, of_y, {alpha, x, temp, temp2, beta, y});
  if (status != CUDNN_STATUS_SUCCESS) return status;
  const Operand from(of_x, x), around(of_x, means), to(of_y, y);
  return call.compute(from.is_double(), cost_of_divisive(from, *l),
                      [=, how = divisive_of(*l), factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        using T = decltype(number);
                        to.write(running, dnn::divided(from.read<T>(running), means_of<T>(around, running), how),
                                 factors.alpha, factors.beta);
                      });
}

cudnnStatus_t divide_gradients(const Call& call, const Lrn* l, cudnnDivNormMode_t mode, const void* alpha,
                               const Tensor* of_x, const void* x, const void* means, const void* dy, void* temp,
                               void* temp2, const void* beta, const Tensor* of_dx, void* dx, void* dmeans) {
  const auto status = check_divisive(l, mode, of_x, of_dx, {alpha, x, dy, temp, temp2, beta, dx});
  if (status != CUDNN_STATUS_SUCCESS) return status;
  const Operand from(of_x, x), around(of_x, means), slopes(of_x, dy), to(of_dx, dx), to_means(of_dx, dmeans);
  return call.compute(from.is_double(), cost_of_divisive(from, *l),
                      [=, how = divisive_of(*l), factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        using T = decltype(number);
                        const auto found = dnn::divided_back(from.read<T>(running), means_of<T>(around, running),
                                                             slopes.read<T>(running), how);
                        to.write(running, found.x, factors.alpha, factors.beta);
                        if (to_means.address) to_means.write(running, found.means, factors.alpha, factors.beta);
                      });
}

}  // namespace nvmlkit::cudnn::functions
