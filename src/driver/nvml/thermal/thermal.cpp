#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::driver::functions {

using sim::telemetry::Reading;

namespace {

// All fans of a GPU that work turn alike. Any fan of a GPU without fans is an invalid argument.
bool has_fan(const Gpu& gpu, unsigned int fan) { return fan < gpu.fan.count.value_or(0); }

// Reading it fails: nvidia-smi prints ERR!.
bool has_failed(const Gpu& gpu, unsigned int fan) { return fan < 32 && (gpu.faults.fans_failed >> fan & 1) != 0; }

using Speed = sim::model::Field<std::uint32_t>;

bool by_hand(const Gpu& gpu) {
  const bool manual = gpu.fan.policy && *gpu.fan.policy == static_cast<std::uint32_t>(FAN_POLICY_MANUAL);
  return manual && gpu.fan.manual_percent;
}

// The speed that was set by hand, else what the GPU chooses itself.
template <class Automatic>
Speed speed_of(const Machine& machine, const Gpu& gpu, const Automatic& automatic) {
  return by_hand(gpu) ? gpu.fan.manual_percent : Reading(machine, gpu)(automatic);
}

bool knows_hottest_part(const Machine& machine) {
  constexpr unsigned int kFirst = 615;
  const auto& version = machine.system().driver_version;
  const auto branch = version ? sim::branch_number(version->view()) : 0;
  return branch == 0 || branch >= kFirst;
}

// The hottest part is as much warmer than the core as the machine file says.
template <class Out>
nvmlReturn_t temperature_at(const Machine& machine, const Gpu& gpu, nvmlTemperatureSensors_t sensor, Out* out) {
  const bool hottest = sensor == NVML_TEMPERATURE_GPU_MAX;
  if (hottest && !gpu.thermal.hottest_part_above_c)
    return knows_hottest_part(machine) ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
  const auto result = read(Reading(machine, gpu)(gpu.thermal.temperature_gpu_c), out);
  if (result == NVML_SUCCESS && hottest) *out += static_cast<Out>(*gpu.thermal.hottest_part_above_c);
  return result;
}

}  // namespace

nvmlReturn_t DeviceGetTemperature(const Machine& machine, const Gpu& gpu, nvmlTemperatureSensors_t sensorType,
                                  unsigned int* temp) {
  return temperature_at(machine, gpu, sensorType, temp);
}

nvmlReturn_t DeviceGetTemperatureV(const Machine& machine, const Gpu& gpu, nvmlTemperature_t* temperature) {
  if (static_cast<unsigned int>(temperature->sensorType) >= NVML_TEMPERATURE_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
  return temperature_at(machine, gpu, temperature->sensorType, &temperature->temperature);
}

nvmlReturn_t DeviceGetTemperatureThreshold(const Machine&, const Gpu& gpu, nvmlTemperatureThresholds_t thresholdType,
                                           unsigned int* temp) {
  const auto& t = gpu.thermal;
  switch (thresholdType) {
    case NVML_TEMPERATURE_THRESHOLD_SHUTDOWN:
      return read(t.shutdown_threshold_c, temp);
    case NVML_TEMPERATURE_THRESHOLD_SLOWDOWN:
      return read(t.slowdown_threshold_c, temp);
    case NVML_TEMPERATURE_THRESHOLD_MEM_MAX:
      return read(t.memory_max_operating_c, temp);
    case NVML_TEMPERATURE_THRESHOLD_GPU_MAX:
      return read(t.max_operating_c, temp);
    case NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_MIN:
      return read(t.target_min_c, temp);
    case NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR:
      return read(t.target_temperature_c, temp);
    case NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_MAX:
      return read(t.target_max_c, temp);
    default:
      return NVML_ERROR_NOT_SUPPORTED;
  }
}

nvmlReturn_t DeviceGetMarginTemperature(const Machine& machine, const Gpu& gpu, nvmlMarginTemperature_t* margin) {
  return read(Reading(machine, gpu)(gpu.thermal.tlimit_c), &margin->marginTemperature);
}

nvmlReturn_t DeviceGetThermalSettings(const Machine& machine, const Gpu& gpu, unsigned int sensorIndex,
                                      nvmlGpuThermalSettings_t* settings) {
  if (!gpu.thermal.temperature_gpu_c) return NVML_ERROR_NOT_SUPPORTED;
  *settings = {};
  settings->count = 1;
  const std::size_t at = sensorIndex == static_cast<unsigned int>(NVML_THERMAL_TARGET_ALL) ? 0 : sensorIndex;
  if (at >= std::size(settings->sensor)) return NVML_SUCCESS;
  // The GPU has one sensor. A driver 580 names it in the other places too, without values.
  auto& sensor = settings->sensor[at];
  sensor.controller = NVML_THERMAL_CONTROLLER_GPU_INTERNAL;
  sensor.target = NVML_THERMAL_TARGET_GPU;
  if (at != 0) return NVML_SUCCESS;
  sensor.defaultMaxTemp = 127;
  sensor.currentTemp = *Reading(machine, gpu)(gpu.thermal.temperature_gpu_c);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetFanSpeed(const Machine& machine, const Gpu& gpu, unsigned int* speed) {
  if (gpu.faults.fans_failed != 0) return NVML_ERROR_UNKNOWN;
  return read(speed_of(machine, gpu, gpu.fan.speed_percent), speed);
}

nvmlReturn_t DeviceGetFanSpeed_v2(const Machine& machine, const Gpu& gpu, unsigned int fan, unsigned int* speed) {
  if (!has_fan(gpu, fan)) return NVML_ERROR_INVALID_ARGUMENT;
  return has_failed(gpu, fan) ? NVML_ERROR_UNKNOWN : read(speed_of(machine, gpu, gpu.fan.speed_percent), speed);
}

nvmlReturn_t DeviceGetTargetFanSpeed(const Machine& machine, const Gpu& gpu, unsigned int fan,
                                     unsigned int* targetSpeed) {
  return has_fan(gpu, fan) ? read(speed_of(machine, gpu, gpu.fan.target_speed_percent), targetSpeed)
                           : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t DeviceGetFanSpeedRPM(const Machine& machine, const Gpu& gpu, nvmlFanSpeedInfo_t* fanSpeed) {
  if (!has_fan(gpu, fanSpeed->fan)) return NVML_ERROR_INVALID_ARGUMENT;
  if (has_failed(gpu, fanSpeed->fan)) return NVML_ERROR_UNKNOWN;
  const auto& f = gpu.fan;
  const Reading now(machine, gpu);
  if (!f.speed_rpm || !by_hand(gpu) || !f.speed_percent) return read(now(f.speed_rpm), &fanSpeed->speed);
  const auto automatic = now(f.speed_percent);
  if (*automatic == 0) {
    fanSpeed->speed = sim::telemetry::kFullFanRpm * *f.manual_percent / 100;
    return NVML_SUCCESS;
  }
  fanSpeed->speed = static_cast<unsigned int>(std::uint64_t{*now(f.speed_rpm)} * *f.manual_percent / *automatic);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetFanControlPolicy_v2(const Machine&, const Gpu& gpu, unsigned int fan,
                                          nvmlFanControlPolicy_t* policy) {
  return has_fan(gpu, fan) ? read(gpu.fan.policy, policy) : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t DeviceGetCoolerInfo(const Machine&, const Gpu& gpu, nvmlCoolerInfo_t* coolerInfo) {
  if (gpu.fan.count.value_or(0) == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (!has_fan(gpu, coolerInfo->index)) return NVML_ERROR_INVALID_ARGUMENT;
  coolerInfo->signalType = NVML_THERMAL_COOLER_SIGNAL_VARIABLE;
  coolerInfo->target = NVML_THERMAL_COOLER_TARGET_GPU_RELATED;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
