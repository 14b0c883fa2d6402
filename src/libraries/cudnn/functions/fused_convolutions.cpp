// Convolutions with scale, bias and activation before them, and statistics behind.
#include "libraries/cudnn/functions/convolution_settings.hpp"
#include "libraries/cudnn/functions/fused_parts.hpp"
#include "libraries/dnn/reduction.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// As a tensor of the type has them.
dnn::Array<float> rounded_to(dnn::Type type, const dnn::Array<float>& from) {
  if (type == dnn::Type::f32) return from;
  std::vector<std::uint16_t> narrow(static_cast<std::size_t>(from.count()));
  dnn::Array<float> out(from.sizes());
  dnn::store_row(type, from.data(), from.count(), narrow.data());
  dnn::load_row(type, narrow.data(), from.count(), out.edit());
  return out;
}

// Scale, bias and activation of the input of a convolution.
struct Prologue {
  Operand x, scale, bias;
  bool has_relu;

  Prologue(const FusedConstants& c, const FusedVariants& v)
      : x(tensor_of(c, CUDNN_PARAM_XDESC), v.pointer(CUDNN_PTR_XDATA)),
        has_relu(activation_in(c) == CUDNN_ACTIVATION_RELU) {
    if (has_step(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC, CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER))
      scale = Operand(tensor_of(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC), v.pointer(CUDNN_PTR_BN_EQSCALE));
    if (has_step(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC, CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER))
      bias = Operand(tensor_of(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC), v.pointer(CUDNN_PTR_BN_EQBIAS));
  }

  dnn::Array<float> read(Running& running) const {
    const auto given = x.read<float>(running);
    const auto by = scale.address ? scale.read<float>(running) : dnn::Array<float>();
    const auto added = bias.address ? bias.read<float>(running) : dnn::Array<float>();
    if (!scale.address && !bias.address && !has_relu) return given;
    const auto channels = given.size(1), plane = given.count() / std::max<std::int64_t>(1, given.size(0) * channels);
    dnn::Array<float> out(given.sizes());
    for (std::int64_t k = 0; k < given.count(); ++k) {
      const auto channel = k / plane % channels;
      out.edit()[k] = given[k] * (scale.address ? by[channel] : 1) + (bias.address ? added[channel] : 0);
    }
    out = rounded_to(x.layout.type, out);
    for (std::int64_t k = 0; has_relu && k < out.count(); ++k) out.edit()[k] = std::max(0.0F, out[k]);
    return out;
  }
};

dnn::Tick tick_in(Running& running) {
  return [&running] { running.tick(); };
}

Cost cost_of_fused(const dnn::Convolution& how, const Operand& x, const Operand& w, const Operand& y) {
  return {.operations = how.operations(w.sizes(), y.sizes()),
          .bytes = x.bytes() + w.bytes() + y.bytes(),
          .pipe = pipe_of_layer(x.layout.type, false)};
}

}  // namespace

cudnnStatus_t run_fused_forward(const Call& call, const FusedConstants& c, const FusedVariants& v) {
  const Prologue in(c, v);
  const Operand w(filter_of(c), v.pointer(CUDNN_PTR_WDATA)),
      y(tensor_of(c, CUDNN_PARAM_YDESC), v.pointer(CUDNN_PTR_YDATA));
  Operand sum, squares;
  if (has_step(c, CUDNN_PARAM_YSTATS_DESC, CUDNN_PARAM_YSUM_PLACEHOLDER))
    sum = Operand(tensor_of(c, CUDNN_PARAM_YSTATS_DESC), v.pointer(CUDNN_PTR_YSUM));
  if (has_step(c, CUDNN_PARAM_YSTATS_DESC, CUDNN_PARAM_YSQSUM_PLACEHOLDER))
    squares = Operand(tensor_of(c, CUDNN_PARAM_YSTATS_DESC), v.pointer(CUDNN_PTR_YSQSUM));
  if (!in.x.address || !w.address || !y.address) return bad("no memory of a tensor");
  const auto how = convolution_of(*convolution_in(c));
  return call.enqueue(cost_of_fused(how, in.x, w, y), [=](Running& running) {
    const auto found = dnn::convolve(how, in.read(running), w.read<float>(running), y.sizes(), tick_in(running));
    y.write(running, found);
    // Of the numbers that y has.
    auto stored = rounded_to(y.layout.type, found);
    if (sum.address) sum.write(running, dnn::reduce(dnn::Reduction::add, stored, sum.sizes()));
    for (std::int64_t k = 0; squares.address && k < stored.count(); ++k) stored.edit()[k] *= stored[k];
    if (squares.address) squares.write(running, dnn::reduce(dnn::Reduction::add, stored, squares.sizes()));
  });
}

cudnnStatus_t run_fused_to_filter(const Call& call, const FusedConstants& c, const FusedVariants& v) {
  const Prologue in(c, v);
  const Operand dw(filter_of(c), v.pointer(CUDNN_PTR_DWDATA)),
      dy(tensor_of(c, CUDNN_PARAM_DYDESC), v.pointer(CUDNN_PTR_DYDATA));
  if (!in.x.address || !dw.address || !dy.address) return bad("no memory of a tensor");
  const auto how = convolution_of(*convolution_in(c));
  return call.enqueue(cost_of_fused(how, in.x, dw, dy), [=](Running& running) {
    dw.write(running, dnn::convolve_back_to_filter(how, in.read(running), dy.read<float>(running), dw.sizes(),
                                                   tick_in(running)));
  });
}

}  // namespace nvmlkit::cudnn::functions
