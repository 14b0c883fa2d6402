// Settings of NVLink: its low power threshold and its bandwidth modes.
#include <algorithm>

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/call/setters.hpp"
#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/processes/clients.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver {

using namespace abi;

nvmlReturn_t nvlink_low_power(const sim::model::Gpu& gpu, unsigned int id, unsigned int, nvmlFieldValue_t& out) {
  const auto& low = gpu.nvlink_low_power;
  if (!low.supported.value_or(false)) return NVML_ERROR_NOT_SUPPORTED;
  switch (id) {
    case FI_DEV_NVLINK_GET_POWER_THRESHOLD:
      return put_uint(low.threshold, out);
    case FI_DEV_NVLINK_GET_POWER_THRESHOLD_MIN:
      return put_uint(low.min_threshold, out);
    case FI_DEV_NVLINK_GET_POWER_THRESHOLD_MAX:
      return put_uint(low.max_threshold, out);
    default:
      return put_uint(low.units, out);
  }
}

namespace functions {
namespace {

// The mode of the machine is one for all GPUs, so that all must know it.
bool has_bandwidth_mode(const Machine& machine) {
  const auto gpus = machine.gpus();
  return !gpus.empty() && std::all_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) {
    return sim::is_from(gpu, sim::model::Architecture::hopper);
  });
}

// Whether objects for peer access exist the driver knows and we do not: processes on the GPUs may hold some.
bool may_have_peers(const Machine& machine) {
  const auto gpus = machine.gpus();
  return std::any_of(gpus.begin(), gpus.end(),
                     [&](const Gpu& gpu) { return sim::processes::in_use(machine, gpu, machine.index_of(gpu)); });
}

bool knows(const Gpu& gpu, std::uint32_t mode) {
  const auto modes = gpu.nvlink_bandwidth.modes.span();
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

nvmlReturn_t set_bandwidth_mode(Gpu& gpu, bool best, std::uint32_t mode) {
  auto& bandwidth = gpu.nvlink_bandwidth;
  if (bandwidth.modes.empty() || !bandwidth.mode) return NVML_ERROR_NOT_SUPPORTED;
  const auto wanted = best ? bandwidth.best_mode.value_or(*bandwidth.mode) : mode;
  if (!knows(gpu, wanted)) return NVML_ERROR_INVALID_ARGUMENT;
  bandwidth.mode = wanted;
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceSetNvLinkDeviceLowPowerThreshold(const Machine&, Gpu& gpu, nvmlNvLinkPowerThres_t* info) {
  auto& low = gpu.nvlink_low_power;
  if (!low.supported.value_or(false)) return NVML_ERROR_NOT_SUPPORTED;
  const auto wanted = info->lowPwrThreshold;
  if (wanted == NVLINK_LOW_POWER_THRESHOLD_RESET) return set_present(low.threshold, low.default_threshold.value_or(0));
  if (const auto result = check_range(wanted, low.min_threshold, low.max_threshold); result != NVML_SUCCESS)
    return result;
  return set_present(low.threshold, wanted);
}

nvmlReturn_t SystemGetNvlinkBwMode(const Machine& machine, unsigned int* nvlinkBwMode) {
  return has_bandwidth_mode(machine) ? read(machine.system().nvlink_bw_mode, nvlinkBwMode) : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t SystemSetNvlinkBwMode(const Machine& machine, unsigned int nvlinkBwMode) {
  constexpr unsigned int kHighest = 4;
  if (!has_bandwidth_mode(machine)) return NVML_ERROR_NOT_SUPPORTED;
  if (nvlinkBwMode > kHighest) return NVML_ERROR_INVALID_ARGUMENT;
  const sim::state::Lock lock(machine);
  if (lock.refusal() == sim::state::Refusal::read_only) return NVML_ERROR_NO_PERMISSION;
  if (!lock) return NVML_ERROR_TIMEOUT;
  if (may_have_peers(machine)) return NVML_ERROR_IN_USE;
  auto changed = machine.system().nvlink_bw_mode;
  changed = nvlinkBwMode;
  return lock.replace(machine.system().nvlink_bw_mode, changed) ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

nvmlReturn_t DeviceGetNvlinkSupportedBwModes(const Machine&, const Gpu& gpu,
                                             nvmlNvlinkSupportedBwModes_t* supportedBwMode) {
  const auto modes = gpu.nvlink_bandwidth.modes.span();
  if (modes.empty()) return NVML_ERROR_NOT_SUPPORTED;
  std::size_t count = 0;
  for (const auto mode : modes)
    if (count < std::size(supportedBwMode->bwModes))
      supportedBwMode->bwModes[count++] = static_cast<unsigned char>(mode);
  supportedBwMode->totalBwModes = static_cast<unsigned char>(count);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetNvlinkBwMode(const Machine&, const Gpu& gpu, nvmlNvlinkGetBwMode_t* getBwMode) {
  const auto& bandwidth = gpu.nvlink_bandwidth;
  if (bandwidth.modes.empty() || !bandwidth.mode) return NVML_ERROR_NOT_SUPPORTED;
  getBwMode->bwMode = static_cast<unsigned char>(*bandwidth.mode);
  getBwMode->bIsBest = bandwidth.best_mode && *bandwidth.best_mode == *bandwidth.mode ? 1 : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetNvlinkBwMode(const Machine&, Gpu& gpu, nvmlNvlinkSetBwMode_t* setBwMode) {
  return set_bandwidth_mode(gpu, setBwMode->bSetBest != 0, setBwMode->bwMode);
}

// The mode is in force at once, which is within the time that is returned.
nvmlReturn_t DeviceSetNvlinkBwModeAsync_v1(const Machine& machine, Gpu& gpu,
                                           nvmlNvlinkSetBwModeAsync_v1_t* setBwModeAsync) {
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  const auto result = set_bandwidth_mode(gpu, setBwModeAsync->bSetBest != 0, setBwModeAsync->bwMode);
  if (result == NVML_SUCCESS) setBwModeAsync->asyncPollTimeoutMs = gpu.nvlink_bandwidth.set_time_ms.value_or(0);
  return result;
}

}  // namespace functions
}  // namespace nvmlkit::driver
