#include "libraries/cudnn/functions/local_responses.hpp"

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/local_response.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// Of the header.
constexpr unsigned kMost = 16;
constexpr double kLeastK = 1e-5, kLeastBeta = 0.01;

dnn::LocalResponse response_of(const Lrn& l) {
  return {.n = static_cast<int>(l.n), .alpha = l.alpha, .beta = l.beta, .k = l.k};
}
Cost cost_of(const Operand& x, const Lrn& l) {
  return {.operations = (2.0 * l.n + 20) * static_cast<double>(x.layout.count()), .bytes = 2 * x.bytes()};
}
cudnnStatus_t check(const Lrn* l, cudnnLRNMode_t mode, std::initializer_list<const Tensor*> tensors) {
  if (!are_live(l)) return bad("the descriptor is none");
  if (mode != CUDNN_LRN_CROSS_CHANNEL_DIM1) return bad("no such mode");
  for (const Tensor* const t : tensors) {
    if (!are_live(t) || !t->is_set()) return bad("a descriptor is none, or not set");
    const auto& sizes = t->layout.sizes;
    if (sizes.size() < 4 || sizes.size() > 5) return bad("4 or 5 dimensions are needed");
    if (sizes != (*tensors.begin())->layout.sizes) return bad("the tensors have different sizes");
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t set_response(Lrn* l, unsigned n, double alpha, double beta, double k) {
  if (!are_live(l)) return bad("the descriptor is none");
  if (n < 1 || n > kMost || beta < kLeastBeta || k < kLeastK) return bad("n, beta or k is out of its range");
  l->n = n, l->alpha = alpha, l->beta = beta, l->k = k;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_response(const Lrn* l, unsigned* n, double* alpha, double* beta, double* k) {
  if (!are_live(l)) return bad("the descriptor is none");
  if (n) *n = l->n;
  if (alpha) *alpha = l->alpha;
  if (beta) *beta = l->beta;
  if (k) *k = l->k;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t respond(const Call& call, const Lrn* l, cudnnLRNMode_t mode, const void* alpha, const Tensor* of_x,
                      const void* x, const void* beta, const Tensor* of_y, void* y) {
  if (const auto status = check(l, mode, {of_x, of_y}); status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !y) return bad("no memory of a tensor");
  const Operand from(of_x, x), to(of_y, y);
  return call.compute(from.is_double(), cost_of(from, *l),
                      [=, how = response_of(*l), factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        to.write(running, dnn::local_response(from.read<decltype(number)>(running), how), factors.alpha,
                                 factors.beta);
                      });
}

// The output is made again from x: it may have been blended with what was there.
cudnnStatus_t response_gradient(const Call& call, const Lrn* l, cudnnLRNMode_t mode, const void* alpha,
                                const Tensor* of_y, const void* y, const Tensor* of_dy, const void* dy,
                                const Tensor* of_x, const void* x, const void* beta, const Tensor* of_dx, void* dx) {
  if (const auto status = check(l, mode, {of_x, of_y, of_dy, of_dx}); status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !y || !dy || !dx) return bad("no memory of a tensor");
  const Operand from(of_x, x), slopes(of_dy, dy), to(of_dx, dx);
  return call.compute(from.is_double(), cost_of(from, *l),
                      [=, how = response_of(*l), factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        using T = decltype(number);
                        to.write(running, dnn::local_response_back(from.read<T>(running), slopes.read<T>(running), how),
                                 factors.alpha, factors.beta);
                      });
}

}  // namespace nvmlkit::cudnn::functions
