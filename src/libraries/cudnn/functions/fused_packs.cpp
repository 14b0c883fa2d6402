#include "libraries/cudnn/functions/fused_packs.hpp"

#include <cstring>

#include "libraries/cudnn/functions/fused_labels.hpp"
#include "libraries/cudnn/functions/tensors.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

template <class Pack>
cudnnStatus_t create_pack(Pack** pack, cudnnFusedOps_t ops) {
  if (ops > CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM) return bad("no such operations");
  const auto status = create_descriptor(pack);
  if (status == CUDNN_STATUS_SUCCESS) (*pack)->ops = ops;
  return status;
}

// A copy of a descriptor; without one, nothing.
template <class T>
cudnnStatus_t keep(std::map<unsigned, T>& all, unsigned label, const void* value) {
  const auto* const given = static_cast<const T*>(value);
  if (!given) {
    all.erase(label);
    return CUDNN_STATUS_SUCCESS;
  }
  if (!Live<T>::has(given)) return bad("the descriptor is none");
  all.insert_or_assign(label, *given);
  return CUDNN_STATUS_SUCCESS;
}
template <class T>
cudnnStatus_t give(const std::map<unsigned, T>& all, unsigned label, void* value, int* is_null) {
  const auto found = all.find(label);
  *is_null = found == all.end();
  if (found == all.end()) return CUDNN_STATUS_SUCCESS;
  auto* const to = static_cast<T*>(value);
  if (!Live<T>::has(to)) return bad("the descriptor is none");
  *to = found->second;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t create_constants(FusedConstants** pack, cudnnFusedOps_t ops) { return create_pack(pack, ops); }
cudnnStatus_t destroy_constants(FusedConstants* pack) { return destroy_descriptor(pack); }

cudnnStatus_t set_constant(FusedConstants* pack, cudnnFusedOpsConstParamLabel_t label, const void* value) {
  if (!are_live(pack)) return bad("the pack is none");
  if (!has_parameter(pack->ops, label)) return bad("the operations have no such parameter");
  switch (kind_of(label)) {
    case FusedKind::tensor:
      return keep(pack->tensors, label, value);
    case FusedKind::filter:
      return keep(pack->filters, label, value);
    case FusedKind::convolution:
      return keep(pack->convolutions, label, value);
    case FusedKind::activation:
      return keep(pack->activations, label, value);
    default:
      pack->numbers[label] = value ? *static_cast<const int*>(value) : 0;
      return CUDNN_STATUS_SUCCESS;
  }
}

// As NVIDIA's library, whose packs of some operations give nothing back.
cudnnStatus_t get_constant(const FusedConstants* pack, cudnnFusedOpsConstParamLabel_t label, void* value,
                           int* is_null) {
  if (!are_live(pack) || !value || !is_null) return bad("the pack is none, or no place for an answer");
  *is_null = 0;
  if (!has_parameter(pack->ops, label) || pack->ops == CUDNN_FUSED_CONV_SCALE_BIAS_ADD_ACTIVATION)
    return bad("the operations have no such parameter");
  switch (kind_of(label)) {
    case FusedKind::tensor:
      return give(pack->tensors, label, value, is_null);
    case FusedKind::filter:
      return give(pack->filters, label, value, is_null);
    case FusedKind::convolution:
      return give(pack->convolutions, label, value, is_null);
    case FusedKind::activation:
      return give(pack->activations, label, value, is_null);
    default:
      *static_cast<int*>(value) = pack->number(label);
      return CUDNN_STATUS_SUCCESS;
  }
}

cudnnStatus_t create_variants(FusedVariants** pack, cudnnFusedOps_t ops) { return create_pack(pack, ops); }
cudnnStatus_t destroy_variants(FusedVariants* pack) { return destroy_descriptor(pack); }

cudnnStatus_t set_variant(FusedVariants* pack, cudnnFusedOpsVariantParamLabel_t label, void* value) {
  if (!are_live(pack)) return bad("the pack is none");
  if (!has_parameter(pack->ops, label)) return bad("the operations have no such parameter");
  auto& kept = pack->values[label];
  kept = 0;
  if (!is_scalar(label))
    kept = reinterpret_cast<std::uintptr_t>(value);
  else if (value)
    std::memcpy(&kept, value, sizeof kept);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_variant(const FusedVariants* pack, cudnnFusedOpsVariantParamLabel_t label, void* value) {
  if (!are_live(pack) || !value) return bad("the pack is none, or no place for an answer");
  if (!has_parameter(pack->ops, label) || pack->ops == CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE)
    return bad("the operations have no such parameter");
  const std::uint64_t kept = pack->value(label);
  std::memcpy(value, &kept, sizeof kept);
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
