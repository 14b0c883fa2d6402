// Fans and the target temperature.
#include "driver/nvml/call/setters.hpp"

#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

nvmlReturn_t check_fan(const Gpu& gpu, unsigned int fan) {
  const auto count = gpu.fan.count.value_or(0);
  if (count == 0) return NVML_ERROR_NOT_SUPPORTED;
  return fan < count ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

}  // namespace

nvmlReturn_t DeviceSetFanControlPolicy(const Machine&, Gpu& gpu, unsigned int fan, nvmlFanControlPolicy_t policy) {
  if (const auto result = check_fan(gpu, fan); result != NVML_SUCCESS) return result;
  if (policy != static_cast<nvmlFanControlPolicy_t>(FAN_POLICY_MANUAL) &&
      policy != static_cast<nvmlFanControlPolicy_t>(FAN_POLICY_TEMPERATURE_CONTINOUS_SW))
    return NVML_ERROR_INVALID_ARGUMENT;
  auto& f = gpu.fan;
  f.policy = policy;
  f.manual_percent.reset();
  if (policy == static_cast<nvmlFanControlPolicy_t>(FAN_POLICY_MANUAL) && f.speed_percent)
    f.manual_percent = *f.speed_percent;
  return NVML_SUCCESS;
}

// All fans of a GPU turn alike.
nvmlReturn_t DeviceSetFanSpeed_v2(const Machine&, Gpu& gpu, unsigned int fan, unsigned int speed) {
  if (const auto result = check_fan(gpu, fan); result != NVML_SUCCESS) return result;
  if (const auto result = check_range(speed, gpu.fan.min_percent, gpu.fan.max_percent); result != NVML_SUCCESS)
    return result;
  gpu.fan.policy = static_cast<std::uint32_t>(FAN_POLICY_MANUAL);
  gpu.fan.manual_percent = speed;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetDefaultFanSpeed_v2(const Machine& machine, Gpu& gpu, unsigned int fan) {
  return DeviceSetFanControlPolicy(machine, gpu, fan,
                                   static_cast<nvmlFanControlPolicy_t>(FAN_POLICY_TEMPERATURE_CONTINOUS_SW));
}

// Of the thresholds only the target can be set.
nvmlReturn_t DeviceSetTemperatureThreshold(const Machine&, Gpu& gpu, nvmlTemperatureThresholds_t thresholdType,
                                           int* temp) {
  auto& t = gpu.thermal;
  if (thresholdType != NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR || !t.target_temperature_c)
    return NVML_ERROR_NOT_SUPPORTED;
  if (const auto result = check_range(*temp, t.target_min_c, t.target_max_c); result != NVML_SUCCESS) return result;
  t.target_temperature_c = *temp;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
