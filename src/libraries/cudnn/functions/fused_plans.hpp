// Fused operations: a convolution with what stands before and behind it; scale and bias of a normalization.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t create_fused_plan(FusedPlan** plan, cudnnFusedOps_t ops);
cudnnStatus_t destroy_fused_plan(FusedPlan* plan);
cudnnStatus_t make_fused_plan(const Call& call, FusedPlan* plan, const FusedConstants* pack, std::size_t* workspace);
cudnnStatus_t run_fused_plan(const Call& call, const FusedPlan* plan, FusedVariants* pack);

}  // namespace nvmlkit::cudnn::functions
