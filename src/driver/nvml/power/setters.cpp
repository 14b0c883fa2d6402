// Power limits.
#include "driver/nvml/call/setters.hpp"

#include <algorithm>

#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

nvmlReturn_t set_module_limit(Gpu& gpu, unsigned int limit) {
  auto& module = gpu.module_power;
  if (const auto result = check_range(limit, module.min_limit_mw, module.max_limit_mw); result != NVML_SUCCESS)
    return result;
  module.requested_limit_mw = limit;
  module.limit_mw = limit;
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceSetPowerManagementLimit(const Machine&, Gpu& gpu, unsigned int limit) {
  auto& power = gpu.power;
  if (!power.management_supported.value_or(false) || !power.limit_mw) return NVML_ERROR_NOT_SUPPORTED;
  if (const auto result = check_range(limit, power.min_limit_mw, power.max_limit_mw); result != NVML_SUCCESS)
    return result;
  power.limit_mw = limit;
  power.enforced_limit_mw = std::min(limit, power.other_limit_mw.value_or(limit));
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetPowerManagementLimit_v2(const Machine& machine, Gpu& gpu, nvmlPowerValue_v2_t* powerValue) {
  switch (powerValue->powerScope) {
    case POWER_SCOPE_GPU:
      return DeviceSetPowerManagementLimit(machine, gpu, powerValue->powerValueMw);
    case POWER_SCOPE_MODULE:
      return set_module_limit(gpu, powerValue->powerValueMw);
    case POWER_SCOPE_MEMORY:
    case POWER_SCOPE_GPU_BASE:
      return NVML_ERROR_NOT_SUPPORTED;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace nvmlkit::driver::functions
