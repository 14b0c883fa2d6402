#include "libraries/cudnn/functions/layers.hpp"

#include <cmath>

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/reduction.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// Tensors that are set, have the sizes of the first, and memory.
cudnnStatus_t check_same(std::initializer_list<std::pair<const Tensor*, const void*>> all) {
  const Tensor* const first = all.begin()->first;
  for (const auto& [tensor, memory] : all) {
    if (!are_live(tensor) || !tensor->is_set()) return bad("a descriptor is none, or not set");
    if (!memory) return bad("no memory of a tensor");
    if (tensor->layout.sizes != first->layout.sizes) return bad("the tensors have different sizes");
  }
  return CUDNN_STATUS_SUCCESS;
}

Cost cost_of(const Operand& x, double each) {
  return {.operations = each * static_cast<double>(x.layout.count()), .bytes = 2 * x.bytes()};
}

// Over the channels of each place, or over all of an image.
std::optional<dnn::Softmax> softmax_of(cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode, const dnn::Sizes& sizes) {
  if (algo > CUDNN_SOFTMAX_LOG || mode > CUDNN_SOFTMAX_MODE_CHANNEL || sizes.size() < 2) return {};
  const std::int64_t image = dnn::product(sizes) / sizes[0];
  const bool by_channel = mode == CUDNN_SOFTMAX_MODE_CHANNEL;
  return dnn::Softmax{.outer = sizes[0],
                      .length = by_channel ? sizes[1] : image,
                      .inner = by_channel ? image / sizes[1] : 1,
                      .is_log = algo == CUDNN_SOFTMAX_LOG,
                      .subtracts_max = algo != CUDNN_SOFTMAX_FAST};
}

}  // namespace

std::optional<dnn::Pointwise> pointwise_of(const Activation& a) {
  dnn::Pointwise out;
  switch (a.mode) {
    case CUDNN_ACTIVATION_SIGMOID:
      out.mode = dnn::Mode::sigmoid;
      return out;
    case CUDNN_ACTIVATION_RELU:
    case CUDNN_ACTIVATION_CLIPPED_RELU:
      out.mode = dnn::Mode::relu;
      if (a.mode == CUDNN_ACTIVATION_CLIPPED_RELU) out.upper = a.coefficient;
      return out;
    case CUDNN_ACTIVATION_TANH:
      out.mode = dnn::Mode::tanh;
      return out;
    case CUDNN_ACTIVATION_ELU:
      out.mode = dnn::Mode::elu;
      out.elu_alpha = a.coefficient;
      return out;
    case CUDNN_ACTIVATION_SWISH:
      out.mode = dnn::Mode::swish;
      out.swish_beta = a.swish_beta;
      return out;
    default:
      return {};
  }
}

cudnnStatus_t set_activation(Activation* a, cudnnActivationMode_t mode, cudnnNanPropagation_t nan, double coefficient) {
  if (!are_live(a)) return bad("the descriptor is none");
  if (mode > CUDNN_ACTIVATION_SWISH || nan > CUDNN_PROPAGATE_NAN) return bad("no such mode");
  a->mode = mode, a->nan = nan, a->coefficient = coefficient;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_activation(const Activation* a, cudnnActivationMode_t* mode, cudnnNanPropagation_t* nan,
                             double* coefficient) {
  if (!are_live(a)) return bad("the descriptor is none");
  if (mode) *mode = a->mode;
  if (nan) *nan = a->nan;
  if (coefficient) *coefficient = a->coefficient;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t set_swish(Activation* a, double beta) {
  if (!are_live(a)) return bad("the descriptor is none");
  a->swish_beta = beta;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_swish(Activation* a, double* beta) {
  if (!are_live(a) || !beta) return bad("the descriptor is none");
  *beta = a->swish_beta;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t activate(const Call& call, Activation* a, const void* alpha, const Tensor* of_x, const void* x,
                       const void* beta, const Tensor* of_y, void* y) {
  if (!are_live(a)) return bad("the descriptor is none");
  if (const auto status = check_same({{of_x, x}, {of_y, y}}); status != CUDNN_STATUS_SUCCESS) return status;
  const auto p = pointwise_of(*a);
  if (!p) return bad("the activation is none that runs alone");
  const Operand from(of_x, x), to(of_y, y);
  return call.compute(from.is_double(), cost_of(from, 4),
                      [=, factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        using T = decltype(number);
                        to.write(running, dnn::apply<T>(*p, from.read<T>(running), nullptr, nullptr, to.sizes()),
                                 factors.alpha, factors.beta);
                      });
}

cudnnStatus_t activate_back(const Call& call, Activation* a, const void* alpha, const Tensor* of_y, const void* y,
                            const Tensor* of_dy, const void* dy, const Tensor* of_x, const void* x, const void* beta,
                            const Tensor* of_dx, void* dx) {
  if (!are_live(a)) return bad("the descriptor is none");
  if (const auto status = check_same({{of_x, x}, {of_y, y}, {of_dy, dy}, {of_dx, dx}}); status != CUDNN_STATUS_SUCCESS)
    return status;
  auto p = pointwise_of(*a);
  if (!p) return bad("the activation is none that runs alone");
  p->mode = static_cast<dnn::Mode>(static_cast<int>(p->mode) + 100);
  const Operand gradient(of_dy, dy), from(of_x, x), to(of_dx, dx);
  return call.compute(from.is_double(), cost_of(from, 6),
                      [=, factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        using T = decltype(number);
                        const auto input = from.read<T>(running);
                        to.write(running, dnn::apply<T>(*p, gradient.read<T>(running), &input, nullptr, to.sizes()),
                                 factors.alpha, factors.beta);
                      });
}

cudnnStatus_t run_softmax(const Call& call, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode, const void* alpha,
                          const Tensor* of_x, const void* x, const void* beta, const Tensor* of_y, void* y) {
  if (const auto status = check_same({{of_x, x}, {of_y, y}}); status != CUDNN_STATUS_SUCCESS) return status;
  const auto s = softmax_of(algo, mode, of_x->layout.sizes);
  if (!s) return bad("no such algorithm or mode");
  const Operand from(of_x, x), to(of_y, y);
  return call.compute(from.is_double(), cost_of(from, 8),
                      [=, factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        using T = decltype(number);
                        dnn::Array<T> out(to.sizes());
                        dnn::softmax(*s, from.read<T>(running).data(), out.edit());
                        to.write(running, out, factors.alpha, factors.beta);
                      });
}

cudnnStatus_t softmax_gradient(const Call& call, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode,
                               const void* alpha, const Tensor* of_y, const void* y, const Tensor* of_dy,
                               const void* dy, const void* beta, const Tensor* of_dx, void* dx) {
  if (const auto status = check_same({{of_y, y}, {of_dy, dy}, {of_dx, dx}}); status != CUDNN_STATUS_SUCCESS)
    return status;
  const auto s = softmax_of(algo, mode, of_y->layout.sizes);
  if (!s) return bad("no such algorithm or mode");
  const Operand from(of_y, y), gradient(of_dy, dy), to(of_dx, dx);
  return call.compute(
      from.is_double(), cost_of(from, 8), [=, factors = Factors(alpha, beta, from)](auto number, Running& running) {
        using T = decltype(number);
        dnn::Array<T> out(to.sizes());
        dnn::softmax_back(*s, from.read<T>(running).data(), gradient.read<T>(running).data(), out.edit());
        to.write(running, out, factors.alpha, factors.beta);
      });
}

}  // namespace nvmlkit::cudnn::functions
