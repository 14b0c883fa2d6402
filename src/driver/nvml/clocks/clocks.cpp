#include <algorithm>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::driver::functions {

using sim::telemetry::Reading;

namespace {

using Clock = sim::model::Field<std::uint32_t>;

// A clock that a domain lacks: no GPU has an applications clock for video, for one.
constexpr Clock kNone{};

const Clock& by_domain(nvmlClockType_t type, const Clock& graphics, const Clock& sm, const Clock& memory,
                       const Clock& video) {
  switch (type) {
    case NVML_CLOCK_GRAPHICS:
      return graphics;
    case NVML_CLOCK_SM:
      return sm;
    case NVML_CLOCK_MEM:
      return memory;
    default:
      return video;
  }
}

}  // namespace

nvmlReturn_t DeviceGetClockInfo(const Machine& machine, const Gpu& gpu, nvmlClockType_t type, unsigned int* clock) {
  const auto& c = gpu.clocks;
  const Reading now(machine, gpu);
  switch (type) {
    case NVML_CLOCK_GRAPHICS:
      return read(now(c.graphics_current), clock);
    case NVML_CLOCK_SM:
      return read(now(c.sm_current), clock);
    case NVML_CLOCK_MEM:
      return read(now(c.memory_current), clock);
    default:
      return read(now(c.video_current), clock);
  }
}

nvmlReturn_t DeviceGetMaxClockInfo(const Machine&, const Gpu& gpu, nvmlClockType_t type, unsigned int* clock) {
  const auto& c = gpu.clocks;
  return read(by_domain(type, c.graphics_max, c.sm_max, c.memory_max, c.video_max), clock);
}

nvmlReturn_t DeviceGetApplicationsClock(const Machine&, const Gpu& gpu, nvmlClockType_t clockType,
                                        unsigned int* clockMHz) {
  const auto& c = gpu.clocks;
  return read(by_domain(clockType, c.graphics_app, c.graphics_app, c.memory_app, kNone), clockMHz);
}

nvmlReturn_t DeviceGetDefaultApplicationsClock(const Machine&, const Gpu& gpu, nvmlClockType_t clockType,
                                               unsigned int* clockMHz) {
  const auto& c = gpu.clocks;
  return read(by_domain(clockType, c.graphics_app_default, c.graphics_app_default, c.memory_app_default, kNone),
              clockMHz);
}

nvmlReturn_t DeviceGetMaxCustomerBoostClock(const Machine&, const Gpu& gpu, nvmlClockType_t clockType,
                                            unsigned int* clockMHz) {
  const auto& c = gpu.clocks;
  return read(by_domain(clockType, c.graphics_max_customer_boost, c.graphics_max_customer_boost,
                        c.memory_max_customer_boost, kNone),
              clockMHz);
}

nvmlReturn_t DeviceGetClock(const Machine& machine, const Gpu& gpu, nvmlClockType_t clockType, nvmlClockId_t clockId,
                            unsigned int* clockMHz) {
  switch (clockId) {
    case NVML_CLOCK_ID_CURRENT:
      return DeviceGetClockInfo(machine, gpu, clockType, clockMHz);
    case NVML_CLOCK_ID_APP_CLOCK_TARGET:
      return DeviceGetApplicationsClock(machine, gpu, clockType, clockMHz);
    case NVML_CLOCK_ID_APP_CLOCK_DEFAULT:
      return DeviceGetDefaultApplicationsClock(machine, gpu, clockType, clockMHz);
    default:
      return DeviceGetMaxCustomerBoostClock(machine, gpu, clockType, clockMHz);
  }
}

nvmlReturn_t DeviceGetSupportedMemoryClocks(const Machine&, const Gpu& gpu, unsigned int* count,
                                            unsigned int* clocksMHz) {
  const auto clocks = gpu.supported_clocks.memory_clocks.span();
  if (clocks.empty()) return NVML_ERROR_NOT_SUPPORTED;
  return fill(clocks, count, clocksMHz, [](const auto& clock) { return *clock.freq_mhz; });
}

nvmlReturn_t DeviceGetSupportedGraphicsClocks(const Machine&, const Gpu& gpu, unsigned int memoryClockMHz,
                                              unsigned int* count, unsigned int* clocksMHz) {
  const auto clocks = gpu.supported_clocks.memory_clocks.span();
  if (clocks.empty()) return NVML_ERROR_NOT_SUPPORTED;
  if (memoryClockMHz == 0) return NVML_ERROR_INVALID_ARGUMENT;
  for (const auto& clock : clocks)
    if (*clock.freq_mhz == memoryClockMHz)
      return fill(clock.graphics_clocks.span(), count, clocksMHz, [](unsigned int mhz) { return mhz; });
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t DeviceGetCurrentClocksEventReasons(const Machine& machine, const Gpu& gpu, unsigned long long* reasons) {
  const auto& r = gpu.clocks_throttle_reasons;
  long long mask = ClocksEventReasonNone;
  const Reading now(machine, gpu);
  const auto add = [&](const auto& active, long long bit) {
    if (now(active).value_or(false)) mask |= bit;
  };
  add(r.gpu_idle, ClocksEventReasonGpuIdle);
  add(r.applications_clocks_setting, ClocksEventReasonApplicationsClocksSetting);
  add(r.sw_power_cap, ClocksEventReasonSwPowerCap);
  add(r.hw_slowdown, ClocksThrottleReasonHwSlowdown);
  add(r.sync_boost, ClocksEventReasonSyncBoost);
  add(r.sw_thermal_slowdown, ClocksEventReasonSwThermalSlowdown);
  add(r.hw_thermal_slowdown, ClocksThrottleReasonHwThermalSlowdown);
  add(r.hw_power_brake_slowdown, ClocksThrottleReasonHwPowerBrakeSlowdown);
  add(r.display_clocks_setting, ClocksEventReasonDisplayClockSetting);
  add(r.board_limit, ClocksEventReasonBoardLimit);
  add(r.reliability, ClocksEventReasonReliability);
  *reasons = static_cast<unsigned long long>(mask);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetCurrentClocksThrottleReasons(const Machine& machine, const Gpu& gpu,
                                                   unsigned long long* reasons) {
  return DeviceGetCurrentClocksEventReasons(machine, gpu, reasons);
}

nvmlReturn_t DeviceGetClockOffsets(const Machine&, const Gpu& gpu, nvmlClockOffset_t* info) {
  const auto& c = gpu.clocks;
  const bool memory = info->type == NVML_CLOCK_MEM;
  if (!memory && info->type != NVML_CLOCK_GRAPHICS) return NVML_ERROR_INVALID_ARGUMENT;
  const auto& offset = memory ? c.memory_offset : c.graphics_offset;
  if (!offset) return NVML_ERROR_NOT_SUPPORTED;
  info->clockOffsetMHz = *offset;
  info->minClockOffsetMHz = (memory ? c.memory_offset_min : c.graphics_offset_min).value_or(0);
  info->maxClockOffsetMHz = (memory ? c.memory_offset_max : c.graphics_offset_max).value_or(0);
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
