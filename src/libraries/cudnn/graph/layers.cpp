// Convolutions, pointwise operations and normalizations of a graph.
#include "libraries/cudnn/graph/operations.hpp"
#include "libraries/dnn/normalization.hpp"

namespace nvmlkit::cudnn::graph {
namespace {

// The places that share statistics: those of a descriptor, or what the sizes of the scale leave.
dnn::Sizes sizes_of_statistics(const Content& c, const dnn::Sizes& x) {
  if (const auto* const view = c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC)) return view->layout.sizes;
  dnn::Sizes out = x;
  const auto& scale = c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC)->layout.sizes;
  const bool is_instance = c.get<int>(CUDNN_ATTR_OPERATION_NORM_FWD_MODE) == CUDNN_INSTANCE_NORM;
  for (std::size_t k = 0; k < out.size(); ++k)
    if (is_instance ? k >= 2 : scale[k] != 1) out[k] = 1;
  return out;
}

// Around 0, where there is no mean.
template <class T>
dnn::Moments<T> moments_around_zero(const dnn::Array<T>& x, const dnn::Sizes& sizes) {
  dnn::Array<T> squares(x.sizes());
  for (std::int64_t k = 0; k < x.count(); ++k) squares.edit()[k] = x[k] * x[k];
  return {dnn::Array<T>(sizes), dnn::moments(squares, sizes).mean, 1};
}

template <class T>
void update_running(const Content& c, Tables<T>& tables, Name from, Name to, const dnn::Array<T>& now, double factor,
                    double scale) {
  const auto* const out = c.tensor_of(to);
  if (!out) return;
  const auto* const before = tables.read(c.tensor_of(from));
  dnn::Array<T> made(out->layout.sizes);
  for (std::int64_t k = 0; k < made.count(); ++k)
    made.edit()[k] = static_cast<T>((before ? (1 - factor) * (*before)[k] : 0) + factor * scale * now[k]);
  tables.write(*out, std::move(made));
}

template <class T>
void train(const Content& c, Tables<T>& tables, const dnn::Array<T>& x, dnn::Array<T>& mean, dnn::Array<T>& inverse,
           double epsilon) {
  const bool is_rms = c.get<int>(CUDNN_ATTR_OPERATION_NORM_FWD_MODE) == CUDNN_RMS_NORM;
  const auto sizes = sizes_of_statistics(c, x.sizes());
  const auto found = is_rms ? moments_around_zero(x, sizes) : dnn::moments(x, sizes);
  mean = found.mean;
  inverse = dnn::inverse_deviation(found.variance, epsilon);
  if (const auto* const out = c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC); out && !is_rms)
    tables.write(*out, mean);
  if (const auto* const out = c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC)) tables.write(*out, inverse);
  const double factor = tables.number(c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC), 1);
  const double count = static_cast<double>(found.count);
  update_running(c, tables, CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC,
                 CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC, found.mean, factor, 1);
  update_running(c, tables, CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC,
                 CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC, found.variance, factor,
                 count > 1 ? count / (count - 1) : 1);
}

}  // namespace

template <class T>
void run_convolution(const Content& c, Tables<T>& tables) {
  const auto how_of = [&](Name description) {
    auto how = convolution_of(*c.child(description));
    how.rounds = tables.rounds();
    return how;
  };
  if (c.kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
    const auto& y = *c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
    const auto& x = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X));
    const auto& w = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W));
    const auto how = how_of(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
    return tables.write(y, dnn::convolve(how, x, w, y.layout.sizes, tables.tick()),
                        c.number(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1),
                        c.number(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0));
  }
  if (c.kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) {
    const auto& dx = *c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX);
    const auto& dy = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY));
    const auto& w = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W));
    const auto how = how_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC);
    return tables.write(dx, dnn::convolve_back_to_data(how, dy, w, dx.layout.sizes, tables.tick()),
                        c.number(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1),
                        c.number(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0));
  }
  const auto& dw = *c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
  const auto& x = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X));
  const auto& dy = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY));
  const auto how = how_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC);
  tables.write(dw, dnn::convolve_back_to_filter(how, x, dy, dw.layout.sizes, tables.tick()),
               c.number(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 1),
               c.number(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 0));
}

template <class T>
void run_pointwise(const Content& c, Tables<T>& tables) {
  const auto p = pointwise_of(*c.child(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR));
  const bool is_back = dnn::is_backward(p.mode);
  const auto& out =
      *c.tensor_of(is_back ? CUDNN_ATTR_OPERATION_POINTWISE_DXDESC : CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  const auto scaled = [&](Name tensor, Name factor) {
    const auto* const view = c.tensor_of(tensor);
    dnn::Array<T> made;
    if (!view) return made;
    made = tables.read(*view);
    const double by = c.number(factor, 1);
    if (by == 1) return made;
    dnn::Array<T> product(made.sizes());
    for (std::int64_t k = 0; k < made.count(); ++k) product.edit()[k] = made[k] * static_cast<T>(by);
    return product;
  };
  const auto x = scaled(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1);
  const auto b = scaled(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2);
  const auto* const t = tables.read(c.tensor_of(CUDNN_ATTR_OPERATION_POINTWISE_TDESC));
  if (is_back) {
    const auto& dy = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC));
    return tables.write(out, dnn::apply<T>(p, dy, &x, nullptr, out.layout.sizes));
  }
  tables.write(out, dnn::apply<T>(p, x, dnn::arity(p.mode) >= 2 ? &b : nullptr, t, out.layout.sizes));
}

template <class T>
void run_normalization(const Content& c, Tables<T>& tables) {
  const auto& y = *c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC);
  const auto& x = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC));
  const double epsilon = tables.number(c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC), 0);
  const bool is_training = c.get<int>(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_TRAINING;
  dnn::Array<T> mean, inverse;
  if (c.get<int>(CUDNN_ATTR_OPERATION_NORM_FWD_MODE) == CUDNN_BATCH_NORM && !is_training) {
    mean = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC));
    inverse = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC));
  } else {
    train(c, tables, x, mean, inverse, epsilon);
  }
  const auto* const scale = tables.read(c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC));
  const auto* const bias = tables.read(c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC));
  tables.write(y, dnn::normalized(x, mean, inverse, scale, bias));
}

template <class T>
void run_normalization_back(const Content& c, Tables<T>& tables) {
  const auto& x = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC));
  const auto& dy = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC));
  const auto& inverse = tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC));
  const bool has_mean = c.get<int>(CUDNN_ATTR_OPERATION_NORM_BWD_MODE) != CUDNN_RMS_NORM;
  const auto mean =
      has_mean ? tables.read(*c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC)) : dnn::Array<T>(inverse.sizes());
  const auto* const scale = tables.read(c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC));
  const auto* const to_scale = c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC);
  const auto* const to_bias = c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC);
  const auto& sizes = to_scale ? to_scale->layout.sizes : to_bias ? to_bias->layout.sizes : inverse.sizes();
  auto found = dnn::normalized_back(x, dy, mean, inverse, scale, sizes, has_mean);
  if (to_scale) tables.write(*to_scale, std::move(found.scale));
  if (to_bias) tables.write(*to_bias, std::move(found.bias));
  tables.write(*c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC), std::move(found.x));
}

#define NVMLKIT_DNN_FOR(T)                                     \
  template void run_convolution(const Content&, Tables<T>&);   \
  template void run_pointwise(const Content&, Tables<T>&);     \
  template void run_normalization(const Content&, Tables<T>&); \
  template void run_normalization_back(const Content&, Tables<T>&)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::cudnn::graph
