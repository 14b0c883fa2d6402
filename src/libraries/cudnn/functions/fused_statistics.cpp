// Scale and bias that do what a normalization does, from its statistics.
#include <bit>
#include <cmath>

#include "libraries/cudnn/functions/fused_parts.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// The statistics of a normalization, and the scale and bias that do the same as it.
struct Statistics {
  dnn::Layout sums, learned, equivalent;
  const void *sum, *squares, *scale, *bias;
  void *saved_mean, *saved_inverse, *running_mean, *running_variance, *to_scale, *to_bias;
  double count, factor, epsilon;
  bool trains;
};

dnn::Array<double> read_if(Running& running, const dnn::Layout& layout, const void* at) {
  return at ? Operand(layout, at).read<double>(running) : dnn::Array<double>(layout.sizes);
}
void write_if(Running& running, const dnn::Layout& layout, void* at, const dnn::Array<double>& numbers) {
  if (at) Operand(layout, at).write(running, numbers);
}

void finalize(const Statistics& s, Running& running) {
  auto mean = read_if(running, s.learned, s.running_mean), variance = read_if(running, s.learned, s.running_variance);
  if (s.trains) {
    const auto sum = read_if(running, s.sums, s.sum), squares = read_if(running, s.sums, s.squares);
    const double unbiased = s.count > 1 ? s.count / (s.count - 1) : 1;
    dnn::Array<double> now(sum.sizes()), spread(sum.sizes()), old_mean(sum.sizes()), old_variance(sum.sizes());
    for (std::int64_t k = 0; k < sum.count(); ++k) {
      now.edit()[k] = sum[k] / s.count;
      spread.edit()[k] = squares[k] / s.count - now[k] * now[k];
      old_mean.edit()[k] = (1 - s.factor) * mean[k] + s.factor * now[k];
      old_variance.edit()[k] = (1 - s.factor) * variance[k] + s.factor * spread[k] * unbiased;
    }
    write_if(running, s.learned, s.running_mean, old_mean);
    write_if(running, s.learned, s.running_variance, old_variance);
    write_if(running, s.learned, s.saved_mean, now);
    mean = now, variance = spread;
  }
  const auto scale = read_if(running, s.learned, s.scale), bias = read_if(running, s.learned, s.bias);
  dnn::Array<double> inverse(mean.sizes()), by(mean.sizes()), added(mean.sizes());
  for (std::int64_t k = 0; k < mean.count(); ++k) {
    inverse.edit()[k] = 1 / std::sqrt(variance[k] + s.epsilon);
    by.edit()[k] = scale[k] * inverse[k];
    added.edit()[k] = bias[k] - mean[k] * by[k];
  }
  write_if(running, s.learned, s.saved_inverse, inverse);
  write_if(running, s.equivalent, s.to_scale, by);
  write_if(running, s.equivalent, s.to_bias, added);
}

}  // namespace

cudnnStatus_t run_fused_statistics(const Call& call, const FusedConstants& c, const FusedVariants& v) {
  const bool trains = is_training(c.ops);
  const auto number = [&](cudnnFusedOpsVariantParamLabel_t label) { return std::bit_cast<double>(v.value(label)); };
  const auto count = static_cast<std::int64_t>(v.value(CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT));
  const auto& learned = tensor_of(c, CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC)->layout;
  const Statistics s{.sums = trains ? tensor_of(c, CUDNN_PARAM_YSTATS_DESC)->layout : learned,
                     .learned = learned,
                     .equivalent = tensor_of(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC)->layout,
                     .sum = v.pointer(CUDNN_PTR_YSUM),
                     .squares = v.pointer(CUDNN_PTR_YSQSUM),
                     .scale = v.pointer(CUDNN_PTR_BN_SCALE),
                     .bias = v.pointer(CUDNN_PTR_BN_BIAS),
                     .saved_mean = v.pointer(CUDNN_PTR_BN_SAVED_MEAN),
                     .saved_inverse = v.pointer(CUDNN_PTR_BN_SAVED_INVSTD),
                     .running_mean = v.pointer(CUDNN_PTR_BN_RUNNING_MEAN),
                     .running_variance = v.pointer(CUDNN_PTR_BN_RUNNING_VAR),
                     .to_scale = v.pointer(CUDNN_PTR_BN_EQSCALE),
                     .to_bias = v.pointer(CUDNN_PTR_BN_EQBIAS),
                     .count = static_cast<double>(count),
                     .factor = number(CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR),
                     .epsilon = number(CUDNN_SCALAR_DOUBLE_BN_EPSILON),
                     .trains = trains};
  if (!s.scale || !s.bias) return bad("no scale or no bias");
  if (trains ? !s.sum || !s.squares || count < 1 : !s.running_mean || !s.running_variance)
    return bad("the statistics are missing");
  if (!(s.epsilon >= 0)) return bad("epsilon is below 0");
  const Cost cost{.operations = 20.0 * static_cast<double>(learned.count()),
                  .bytes = 40.0 * static_cast<double>(learned.count())};
  return call.enqueue(cost, [s](Running& running) { finalize(s, running); });
}

}  // namespace nvmlkit::cudnn::functions
