#include "libraries/cudnn/functions/fused_plans.hpp"

#include "libraries/cudnn/functions/convolution_settings.hpp"
#include "libraries/cudnn/functions/fused_labels.hpp"
#include "libraries/cudnn/functions/fused_parts.hpp"
#include "libraries/cudnn/functions/tensors.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

using Constant = cudnnFusedOpsConstParamLabel_t;

dnn::Sizes sizes_of_channels(std::size_t dimensions, std::int64_t channels) {
  dnn::Sizes out(dimensions, 1);
  out[1] = channels;
  return out;
}

// A tensor of a number for each channel, in one of the types.
cudnnStatus_t check_channels(const FusedConstants& c, Constant label, std::size_t dimensions, std::int64_t channels,
                             bool may_be_half) {
  const auto& layout = tensor_of(c, label)->layout;
  if (c.number(CUDNN_PARAM_BN_MODE) == CUDNN_BATCHNORM_PER_ACTIVATION)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the mode of the normalization");
  if (layout.sizes != sizes_of_channels(dimensions, channels)) return bad("the sizes of a tensor of channels");
  const bool is_right = layout.type == dnn::Type::f32 || (may_be_half && layout.type == dnn::Type::f16);
  return is_right ? CUDNN_STATUS_SUCCESS : refuse(CUDNN_STATUS_NOT_SUPPORTED, "the type of a tensor of channels");
}

cudnnStatus_t check_convolution_plan(const FusedConstants& c) {
  const bool is_forward = c.ops == CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS;
  const Tensor *const x = tensor_of(c, CUDNN_PARAM_XDESC), *const y = tensor_of(
                                                               c, is_forward ? CUDNN_PARAM_YDESC : CUDNN_PARAM_DYDESC);
  const Filter* const w = filter_of(c);
  const Convolution* const how = convolution_in(c);
  if (!x || !y || !w || !how) return bad("a descriptor is missing");
  if (!convolution_of(*how).fits(x->layout.sizes, w->layout.sizes, y->layout.sizes)) return bad("the sizes do not fit");
  const bool is_half = x->layout.type == dnn::Type::f16 && y->layout.type == dnn::Type::f16 &&
                       (w->layout.type == dnn::Type::f16 || (!is_forward && w->layout.type == dnn::Type::f32));
  if (!is_half) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "tensors of other types than 16 bits");
  const auto activation = activation_in(c);
  if (activation != CUDNN_ACTIVATION_RELU && activation != CUDNN_ACTIVATION_IDENTITY)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "another activation than relu");
  const auto dimensions = x->layout.sizes.size();
  if (tensor_of(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC))
    if (const auto status = check_channels(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC, dimensions, x->layout.sizes[1], true);
        status != CUDNN_STATUS_SUCCESS)
      return status;
  if (!tensor_of(c, CUDNN_PARAM_YSTATS_DESC)) return CUDNN_STATUS_SUCCESS;
  return check_channels(c, CUDNN_PARAM_YSTATS_DESC, dimensions, y->layout.sizes[1], false);
}

cudnnStatus_t check_statistics_plan(const FusedConstants& c) {
  const Tensor* const learned = tensor_of(c, CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC);
  if (!learned || !tensor_of(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC) ||
      (is_training(c.ops) && !tensor_of(c, CUDNN_PARAM_YSTATS_DESC)))
    return bad("a descriptor is missing");
  const auto dimensions = learned->layout.sizes.size();
  if (dimensions < 4 || dimensions > 5) return bad("4 or 5 dimensions are needed");
  const auto channels = learned->layout.sizes[1];
  auto status = check_channels(c, CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC, dimensions, channels, false);
  if (status == CUDNN_STATUS_SUCCESS)
    status = check_channels(c, CUDNN_PARAM_BN_EQSCALEBIAS_DESC, dimensions, channels, true);
  if (status == CUDNN_STATUS_SUCCESS && is_training(c.ops))
    status = check_channels(c, CUDNN_PARAM_YSTATS_DESC, dimensions, channels, false);
  return status;
}

// A pointer is there and aligned, as the constants promise.
cudnnStatus_t check_pointers(const FusedConstants& c, const FusedVariants& v) {
  for (unsigned k = 0; k < 64; ++k) {
    const auto label = static_cast<Constant>(k);
    const auto pointer = has_parameter(c.ops, label) ? pointer_of(label) : std::nullopt;
    if (!pointer) continue;
    const auto promised = c.number(label);
    const auto at = v.value(*pointer);
    if (promised == CUDNN_PTR_NULL && at) return bad("a pointer whose placeholder is null");
    if (promised != CUDNN_PTR_NULL && !at) return bad("a pointer is missing");
    if (promised == CUDNN_PTR_16B_ALIGNED && at % 16 != 0) return bad("a pointer is not aligned");
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t create_fused_plan(FusedPlan** plan, cudnnFusedOps_t ops) {
  if (ops > CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM) return bad("no such operations");
  const auto status = create_descriptor(plan);
  if (status == CUDNN_STATUS_SUCCESS) (*plan)->ops = ops;
  return status;
}
cudnnStatus_t destroy_fused_plan(FusedPlan* plan) { return destroy_descriptor(plan); }

cudnnStatus_t make_fused_plan(const Call&, FusedPlan* plan, const FusedConstants* pack, std::size_t* workspace) {
  if (!are_live(plan) || !are_live(pack) || !workspace) return bad("the plan or the pack is none, or no place");
  if (plan->ops != pack->ops) return bad("the plan and the pack are of different operations");
  if (pack->ops > CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, "operations that are reserved for future use");
  const auto status = has_convolution(pack->ops) ? check_convolution_plan(*pack) : check_statistics_plan(*pack);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  plan->made = *pack;
  *workspace = 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t run_fused_plan(const Call& call, const FusedPlan* plan, FusedVariants* pack) {
  if (!are_live(plan) || !are_live(pack)) return bad("the plan or the pack is none");
  if (plan->ops != pack->ops) return bad("the plan and the pack are of different operations");
  if (!plan->made) return refuse(CUDNN_STATUS_NOT_INITIALIZED, "the plan is not made");
  const FusedConstants& made = *plan->made;
  if (const auto status = check_pointers(made, *pack); status != CUDNN_STATUS_SUCCESS) return status;
  if (!has_convolution(plan->ops)) return run_fused_statistics(call, made, *pack);
  return plan->ops == CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS ? run_fused_forward(call, made, *pack)
                                                                     : run_fused_to_filter(call, made, *pack);
}

}  // namespace nvmlkit::cudnn::functions
