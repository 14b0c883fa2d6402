// Adaptive total graphics power. What an administrator decides out of band is a part of the machine file.
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

nvmlEnableState_t state_of(bool enabled) { return enabled ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED; }

bool is_enabled(const sim::model::Field<std::uint32_t>& state, bool unless_stated) {
  return state ? static_cast<nvmlEnableState_t>(*state) == NVML_FEATURE_ENABLED : unless_stated;
}

}  // namespace

nvmlReturn_t DeviceGetAdaptiveTgpModeInfo_v1(const Machine&, const Gpu& gpu, nvmlAdaptiveTgpModeInfo_v1_t* info) {
  const auto& tgp = gpu.adaptive_tgp;
  if (!tgp.requested) return NVML_ERROR_NOT_SUPPORTED;
  const bool requested = is_enabled(tgp.requested, false), allowed = is_enabled(tgp.allowed, true);
  const bool overridden = is_enabled(tgp.admin_override, false);
  const bool active = allowed && (requested || overridden);
  *info = {state_of(requested), state_of(allowed), state_of(overridden), state_of(active),
           active ? tgp.adjusted_limit_mw.value_or(gpu.power.limit_mw.value_or(0)) : 0};
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetAdaptiveTgpMode_v1(const Machine&, Gpu& gpu, nvmlEnableState_t mode) {
  if (!gpu.adaptive_tgp.requested) return NVML_ERROR_NOT_SUPPORTED;
  gpu.adaptive_tgp.requested = static_cast<std::uint32_t>(mode);
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
