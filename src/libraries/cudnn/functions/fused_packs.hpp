// Packs of parameters of fused operations.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t create_constants(FusedConstants** pack, cudnnFusedOps_t ops);
cudnnStatus_t destroy_constants(FusedConstants* pack);
cudnnStatus_t set_constant(FusedConstants* pack, cudnnFusedOpsConstParamLabel_t label, const void* value);
cudnnStatus_t get_constant(const FusedConstants* pack, cudnnFusedOpsConstParamLabel_t label, void* value, int* is_null);
cudnnStatus_t create_variants(FusedVariants** pack, cudnnFusedOps_t ops);
cudnnStatus_t destroy_variants(FusedVariants* pack);
cudnnStatus_t set_variant(FusedVariants* pack, cudnnFusedOpsVariantParamLabel_t label, void* value);
cudnnStatus_t get_variant(const FusedVariants* pack, cudnnFusedOpsVariantParamLabel_t label, void* value);

}  // namespace nvmlkit::cudnn::functions
