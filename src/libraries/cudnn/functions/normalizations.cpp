#include "libraries/cudnn/functions/normalizations.hpp"

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/normalization.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// What all share: x, and where scale, bias and statistics lie, which have the sizes of one descriptor.
struct Normalization {
  Operand x;
  dnn::Layout statistics;
  double epsilon;

  Operand place(const void* at) const { return {statistics, at}; }
  bool in_double() const { return x.is_double(); }
  Cost cost() const { return {.operations = 10.0 * static_cast<double>(x.layout.count()), .bytes = 3 * x.bytes()}; }
};

// One number of each channel, or of each element of an image.
dnn::Sizes sizes_of(cudnnBatchNormMode_t mode, const dnn::Sizes& x) {
  dnn::Sizes out = x;
  out[0] = 1;
  for (std::size_t k = 2; k < out.size() && mode != CUDNN_BATCHNORM_PER_ACTIVATION; ++k) out[k] = 1;
  return out;
}

cudnnStatus_t check(cudnnBatchNormMode_t mode, const Tensor* x, const Tensor* other, const Tensor* scale,
                    double epsilon) {
  if (!are_live(x, other, scale) || !x->is_set() || !other->is_set() || !scale->is_set())
    return bad("a descriptor is none, or not set");
  if (mode > CUDNN_BATCHNORM_SPATIAL_PERSISTENT) return bad("no such mode");
  if (x->layout.sizes.size() < 4 || x->layout.sizes.size() > 5) return bad("4 or 5 dimensions are needed");
  if (x->layout.sizes != other->layout.sizes) return bad("the tensors have different sizes");
  if (scale->layout.sizes != sizes_of(mode, x->layout.sizes)) return bad("the sizes of scale and bias");
  return epsilon < 0 ? bad("epsilon is below 0") : CUDNN_STATUS_SUCCESS;
}

// The mean and 1 / deviation that were saved, or those of x.
template <class T>
std::pair<dnn::Array<T>, dnn::Array<T>> statistics_of(const Normalization& n, const void* mean, const void* inverse,
                                                      const dnn::Array<T>& x, Running& running) {
  if (mean && inverse) return {n.place(mean).read<T>(running), n.place(inverse).read<T>(running)};
  const auto found = dnn::moments(x, n.statistics.sizes);
  return {found.mean, dnn::inverse_deviation(found.variance, n.epsilon)};
}

template <class T>
void update(const Normalization& n, void* at, const dnn::Array<T>& now, double factor, double scale, Running& running) {
  if (!at) return;
  const Operand place = n.place(at);
  place.write(running, now, factor * scale, factor == 1 ? 0 : 1 - factor);
}

struct Training {
  Normalization n;
  Operand y, z;
  Factors factors;
  const void *scale, *bias;
  void *running_mean, *running_variance, *saved_mean, *saved_inverse;
  double factor;
  bool has_relu;
};

template <class T>
void train(const Training& t, Running& running) {
  const auto x = t.n.x.read<T>(running);
  const auto found = dnn::moments(x, t.n.statistics.sizes);
  const auto inverse = dnn::inverse_deviation(found.variance, t.n.epsilon);
  const double count = static_cast<double>(found.count);
  update(t.n, t.running_mean, found.mean, t.factor, 1, running);
  update(t.n, t.running_variance, found.variance, t.factor, count > 1 ? count / (count - 1) : 1, running);
  if (t.saved_mean) t.n.place(t.saved_mean).write(running, found.mean);
  if (t.saved_inverse) t.n.place(t.saved_inverse).write(running, inverse);
  const auto scale = t.n.place(t.scale).read<T>(running), bias = t.n.place(t.bias).read<T>(running);
  auto y = dnn::normalized(x, found.mean, inverse, &scale, &bias);
  if (t.z.address) {
    const auto z = t.z.read<T>(running);
    for (std::int64_t k = 0; k < y.count(); ++k) y.edit()[k] += z[k];
  }
  for (std::int64_t k = 0; t.has_relu && k < y.count(); ++k) y.edit()[k] = std::max(T{0}, y[k]);
  t.y.write(running, y, t.factors.alpha, t.factors.beta);
}

struct Gradients {
  Normalization n;
  Operand y, dy, dz, dx;
  Factors factors, scale_factors;
  const void *scale, *saved_mean, *saved_inverse;
  void *dscale, *dbias;
};

template <class T>
void back(const Gradients& g, Running& running) {
  const auto x = g.n.x.read<T>(running);
  auto dy = g.dy.read<T>(running);
  if (g.y.address) {  // a relu stood behind
    const auto y = g.y.read<T>(running);
    dnn::Array<T> kept(dy.sizes());
    for (std::int64_t k = 0; k < dy.count(); ++k) kept.edit()[k] = y[k] > T{0} ? dy[k] : T{0};
    dy = std::move(kept);
  }
  if (g.dz.address) g.dz.write(running, dy);
  const auto [mean, inverse] = statistics_of(g.n, g.saved_mean, g.saved_inverse, x, running);
  const auto scale = g.n.place(g.scale).read<T>(running);
  const auto found = dnn::normalized_back(x, dy, mean, inverse, &scale, g.n.statistics.sizes);
  g.n.place(g.dscale).write(running, found.scale, g.scale_factors.alpha, g.scale_factors.beta);
  g.n.place(g.dbias).write(running, found.bias, g.scale_factors.alpha, g.scale_factors.beta);
  g.dx.write(running, found.x, g.factors.alpha, g.factors.beta);
}

cudnnStatus_t check_fusion(const Call& call, cudnnBatchNormOps_t ops, const Activation* activation, const Tensor* z) {
  if (ops > CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION) return bad("no such fusion");
  if (ops == CUDNN_BATCHNORM_OPS_BN) return CUDNN_STATUS_SUCCESS;
  if (!are_live(activation)) return bad("no activation");
  if (ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION && (!are_live(z) || !z->is_set())) return bad("nothing to add");
  if (activation->mode != CUDNN_ACTIVATION_RELU && activation->mode != CUDNN_ACTIVATION_IDENTITY)
    return call.unsupported("with another activation than relu");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t train_any(const Call& call, const Training& t) {
  if (!t.n.x.address || !t.y.address || !t.scale || !t.bias) return bad("no memory of a tensor");
  if (!t.running_mean != !t.running_variance || !t.saved_mean != !t.saved_inverse) return bad("one of two statistics");
  return call.compute(t.n.in_double(), t.n.cost(),
                      [t](auto number, Running& running) { train<decltype(number)>(t, running); });
}

cudnnStatus_t back_any(const Call& call, const Gradients& g) {
  if (!g.n.x.address || !g.dy.address || !g.dx.address || !g.scale || !g.dscale || !g.dbias)
    return bad("no memory of a tensor");
  if (!g.saved_mean != !g.saved_inverse) return bad("one of two statistics");
  return call.compute(g.n.in_double(), g.n.cost(),
                      [g](auto number, Running& running) { back<decltype(number)>(g, running); });
}

}  // namespace

cudnnStatus_t derive_normalization(Tensor* out, const Tensor* x, cudnnBatchNormMode_t mode) {
  if (!are_live(out) || !are_live(x) || !x->is_set() || x->layout.sizes.size() < 2)
    return bad("a descriptor is none, or not set");
  if (mode > CUDNN_BATCHNORM_SPATIAL_PERSISTENT) return bad("no such mode");
  const auto sizes = sizes_of(mode, x->layout.sizes);
  out->layout = {x->layout.type == dnn::Type::f64 ? dnn::Type::f64 : dnn::Type::f32, sizes, dnn::dense_strides(sizes)};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t normalize(const Call& call, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
                        const Tensor* of_x, const void* x, const Tensor* of_y, void* y, const Tensor* of_scale,
                        const void* scale, const void* bias, const void* mean, const void* variance, double epsilon) {
  if (const auto status = check(mode, of_x, of_y, of_scale, epsilon); status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !y || !scale || !bias || !mean || !variance) return bad("no memory of a tensor");
  const Normalization n{{of_x, x}, of_scale->layout, epsilon};
  const Operand out(of_y, y);
  const Factors factors(alpha, beta, n.x);
  return call.compute(n.in_double(), n.cost(), [=](auto number, Running& running) {
    using T = decltype(number);
    const auto read = [&](const void* at) { return n.place(at).read<T>(running); };
    const auto of_each = read(scale), plus = read(bias);
    const auto inverse = dnn::inverse_deviation(read(variance), n.epsilon);
    out.write(running, dnn::normalized(n.x.read<T>(running), read(mean), inverse, &of_each, &plus), factors.alpha,
              factors.beta);
  });
}

cudnnStatus_t train_normalization(const Call& call, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
                                  const Tensor* of_x, const void* x, const Tensor* of_y, void* y,
                                  const Tensor* of_scale, const void* scale, const void* bias, double factor,
                                  void* running_mean, void* running_variance, double epsilon, void* saved_mean,
                                  void* saved_inverse) {
  if (const auto status = check(mode, of_x, of_y, of_scale, epsilon); status != CUDNN_STATUS_SUCCESS) return status;
  const Normalization n{{of_x, x}, of_scale->layout, epsilon};
  return train_any(call, {n,
                          {of_y, y},
                          {},
                          {alpha, beta, n.x},
                          scale,
                          bias,
                          running_mean,
                          running_variance,
                          saved_mean,
                          saved_inverse,
                          factor,
                          false});
}

cudnnStatus_t train_normalization_fused(const Call& call, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
                                        const void* alpha, const void* beta, const Tensor* of_x, const void* x,
                                        const Tensor* of_z, const void* z, const Tensor* of_y, void* y,
                                        const Tensor* of_scale, const void* scale, const void* bias, double factor,
                                        void* running_mean, void* running_variance, double epsilon, void* saved_mean,
                                        void* saved_inverse, Activation* activation, void*, size_t, void*, size_t) {
  if (const auto status = check(mode, of_x, of_y, of_scale, epsilon); status != CUDNN_STATUS_SUCCESS) return status;
  if (const auto status = check_fusion(call, ops, activation, of_z); status != CUDNN_STATUS_SUCCESS) return status;
  const Normalization n{{of_x, x}, of_scale->layout, epsilon};
  const bool adds = ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
  if (adds && (!z || of_z->layout.sizes != n.x.sizes())) return bad("nothing to add");
  return train_any(call, {n,
                          {of_y, y},
                          adds ? Operand(of_z, z) : Operand(),
                          {alpha, beta, n.x},
                          scale,
                          bias,
                          running_mean,
                          running_variance,
                          saved_mean,
                          saved_inverse,
                          factor,
                          ops != CUDNN_BATCHNORM_OPS_BN && activation->mode == CUDNN_ACTIVATION_RELU});
}

cudnnStatus_t normalization_gradients(const Call& call, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
                                      const void* alpha_scale, const void* beta_scale, const Tensor* of_x,
                                      const void* x, const Tensor* of_dy, const void* dy, const Tensor* of_dx, void* dx,
                                      const Tensor* of_scale, const void* scale, void* dscale, void* dbias,
                                      double epsilon, const void* saved_mean, const void* saved_inverse) {
  return normalization_gradients_fused(call, mode, CUDNN_BATCHNORM_OPS_BN, alpha, beta, alpha_scale, beta_scale, of_x,
                                       x, nullptr, nullptr, of_dy, dy, nullptr, nullptr, of_dx, dx, of_scale, scale,
                                       nullptr, dscale, dbias, epsilon, saved_mean, saved_inverse, nullptr, nullptr, 0,
                                       nullptr, 0);
}

cudnnStatus_t normalization_gradients_fused(
    const Call& call, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops, const void* alpha, const void* beta,
    const void* alpha_scale, const void* beta_scale, const Tensor* of_x, const void* x, const Tensor* of_y,
    const void* y, const Tensor* of_dy, const void* dy, const Tensor* of_dz, void* dz, const Tensor* of_dx, void* dx,
    const Tensor* of_scale, const void* scale, const void*, void* dscale, void* dbias, double epsilon,
    const void* saved_mean, const void* saved_inverse, Activation* activation, void*, size_t, void*, size_t) {
  for (const Tensor* const other : {of_dy, of_dx})
    if (const auto status = check(mode, of_x, other, of_scale, epsilon); status != CUDNN_STATUS_SUCCESS) return status;
  if (const auto status = check_fusion(call, ops, activation, of_dz); status != CUDNN_STATUS_SUCCESS) return status;
  const bool has_relu = ops != CUDNN_BATCHNORM_OPS_BN && activation->mode == CUDNN_ACTIVATION_RELU;
  if (has_relu && (!are_live(of_y) || !of_y->is_set() || !y)) return bad("no output of the activation");
  const bool adds = ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
  const Normalization n{{of_x, x}, of_scale->layout, epsilon};
  return back_any(call, {n,
                         has_relu ? Operand(of_y, y) : Operand(),
                         {of_dy, dy},
                         adds ? Operand(of_dz, dz) : Operand(),
                         {of_dx, dx},
                         {alpha, beta, n.x},
                         {alpha_scale, beta_scale, n.x},
                         scale,
                         saved_mean,
                         saved_inverse,
                         dscale,
                         dbias});
}

}  // namespace nvmlkit::cudnn::functions
