// What fused operations are made of.
#pragma once

#include "libraries/cudnn/operand.hpp"

namespace nvmlkit::cudnn::functions {

inline bool has_convolution(cudnnFusedOps_t ops) { return ops <= CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD; }
inline bool is_training(cudnnFusedOps_t ops) { return ops == CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING; }

inline const Tensor* tensor_of(const FusedConstants& c, cudnnFusedOpsConstParamLabel_t label) {
  const auto found = c.tensors.find(label);
  return found == c.tensors.end() || !found->second.is_set() ? nullptr : &found->second;
}
inline const Filter* filter_of(const FusedConstants& c) {
  const auto found = c.filters.begin();  // w or its gradient
  return found == c.filters.end() || !found->second.is_set() ? nullptr : &found->second;
}
inline const Convolution* convolution_in(const FusedConstants& c) {
  const auto found = c.convolutions.begin();
  return found == c.convolutions.end() ? nullptr : &found->second;
}
inline cudnnActivationMode_t activation_in(const FusedConstants& c) {
  const auto found = c.activations.begin();
  return found == c.activations.end() ? CUDNN_ACTIVATION_IDENTITY : found->second.mode;
}
// Whether a step is there: its descriptor is, and its pointer will be.
inline bool has_step(const FusedConstants& c, cudnnFusedOpsConstParamLabel_t descriptor,
                     cudnnFusedOpsConstParamLabel_t placeholder) {
  return tensor_of(c, descriptor) && c.number(placeholder) != CUDNN_PTR_NULL;
}

// The work of plans that are right, with pointers that are as their plans say.
cudnnStatus_t run_fused_forward(const Call& call, const FusedConstants& c, const FusedVariants& v);
cudnnStatus_t run_fused_to_filter(const Call& call, const FusedConstants& c, const FusedVariants& v);
cudnnStatus_t run_fused_statistics(const Call& call, const FusedConstants& c, const FusedVariants& v);

}  // namespace nvmlkit::cudnn::functions
