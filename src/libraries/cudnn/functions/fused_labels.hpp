// Which parameters fused operations have.
#pragma once

#include <optional>

#include "libraries/cudnn/types.hpp"

namespace nvmlkit::cudnn::functions {

// What a constant parameter is.
enum class FusedKind { tensor, filter, convolution, activation, number };
FusedKind kind_of(cudnnFusedOpsConstParamLabel_t label);

bool has_parameter(cudnnFusedOps_t ops, cudnnFusedOpsConstParamLabel_t label);
bool has_parameter(cudnnFusedOps_t ops, cudnnFusedOpsVariantParamLabel_t label);

// Others than pointers to memory of the device.
inline bool is_scalar(cudnnFusedOpsVariantParamLabel_t label) {
  return label >= CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES;
}
// The pointer that a constant parameter promises something of.
std::optional<cudnnFusedOpsVariantParamLabel_t> pointer_of(cudnnFusedOpsConstParamLabel_t label);

}  // namespace nvmlkit::cudnn::functions
