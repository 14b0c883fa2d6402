// Locked clocks, applications clocks, auto boost, clock offsets.
#include "driver/nvml/call/setters.hpp"

#include <algorithm>

#include "driver/nvml/generated/functions.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver::functions {
namespace {

using Clock = sim::model::Field<std::uint32_t>;
using Offset = sim::model::Field<std::int32_t>;

// A symbolic limit as the clock that it stands for.
unsigned int in_mhz(unsigned int limit, const Clock& tdp, const Clock& highest) {
  if (limit == NVML_CLOCK_LIMIT_ID_TDP) return tdp.value_or(highest.value_or(0));
  if (limit == NVML_CLOCK_LIMIT_ID_UNLIMITED) return highest.value_or(0);
  return limit;
}

nvmlReturn_t lock(Clock& lowest, Clock& highest, unsigned int min, unsigned int max) {
  if (min > max || max == 0) return NVML_ERROR_INVALID_ARGUMENT;
  lowest = min;
  highest = max;
  return NVML_SUCCESS;
}

nvmlReturn_t unlock(Clock& lowest, Clock& highest) {
  lowest.reset();
  highest.reset();
  return NVML_SUCCESS;
}

bool can_lock(const Gpu& gpu, const Clock& clock, sim::Trait trait) { return clock && sim::has(gpu, trait); }

nvmlReturn_t set_offset(Offset& offset, int wanted, const Offset& min, const Offset& max) {
  if (!offset) return NVML_ERROR_NOT_SUPPORTED;
  if (const auto result = check_range(wanted, min, max); result != NVML_SUCCESS) return result;
  offset = wanted;
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceSetGpuLockedClocks(const Machine&, Gpu& gpu, unsigned int minGpuClockMHz,
                                      unsigned int maxGpuClockMHz) {
  auto& c = gpu.clocks;
  if (!can_lock(gpu, c.graphics_max, sim::Trait::locked_graphics_clocks)) return NVML_ERROR_NOT_SUPPORTED;
  return lock(c.graphics_locked_min, c.graphics_locked_max, in_mhz(minGpuClockMHz, c.base_graphics, c.graphics_max),
              in_mhz(maxGpuClockMHz, c.base_graphics, c.graphics_max));
}

nvmlReturn_t DeviceResetGpuLockedClocks(const Machine&, Gpu& gpu) {
  if (!can_lock(gpu, gpu.clocks.graphics_max, sim::Trait::locked_graphics_clocks)) return NVML_ERROR_NOT_SUPPORTED;
  return unlock(gpu.clocks.graphics_locked_min, gpu.clocks.graphics_locked_max);
}

nvmlReturn_t DeviceSetMemoryLockedClocks(const Machine&, Gpu& gpu, unsigned int minMemClockMHz,
                                         unsigned int maxMemClockMHz) {
  auto& c = gpu.clocks;
  if (!can_lock(gpu, c.memory_max, sim::Trait::locked_memory_clocks)) return NVML_ERROR_NOT_SUPPORTED;
  return lock(c.memory_locked_min, c.memory_locked_max, in_mhz(minMemClockMHz, c.memory_max, c.memory_max),
              in_mhz(maxMemClockMHz, c.memory_max, c.memory_max));
}

nvmlReturn_t DeviceResetMemoryLockedClocks(const Machine&, Gpu& gpu) {
  if (!can_lock(gpu, gpu.clocks.memory_max, sim::Trait::locked_memory_clocks)) return NVML_ERROR_NOT_SUPPORTED;
  return unlock(gpu.clocks.memory_locked_min, gpu.clocks.memory_locked_max);
}

// Only pairs that the GPU lists.
nvmlReturn_t DeviceSetApplicationsClocks(const Machine&, Gpu& gpu, unsigned int memClockMHz,
                                         unsigned int graphicsClockMHz) {
  auto& c = gpu.clocks;
  const auto listed = gpu.supported_clocks.memory_clocks.span();
  if (!c.graphics_app || !c.memory_app || listed.empty()) return NVML_ERROR_NOT_SUPPORTED;
  const auto memory = std::find_if(listed.begin(), listed.end(),
                                   [&](const auto& clock) { return clock.freq_mhz && *clock.freq_mhz == memClockMHz; });
  if (memory == listed.end()) return NVML_ERROR_INVALID_ARGUMENT;
  const auto graphics = memory->graphics_clocks.span();
  if (std::find(graphics.begin(), graphics.end(), graphicsClockMHz) == graphics.end())
    return NVML_ERROR_INVALID_ARGUMENT;
  c.memory_app = memClockMHz;
  c.graphics_app = graphicsClockMHz;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceResetApplicationsClocks(const Machine&, Gpu& gpu) {
  auto& c = gpu.clocks;
  if (!c.graphics_app || !c.memory_app) return NVML_ERROR_NOT_SUPPORTED;
  if (c.graphics_app_default) c.graphics_app = *c.graphics_app_default;
  if (c.memory_app_default) c.memory_app = *c.memory_app_default;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetAutoBoostedClocksEnabled(const Machine&, Gpu& gpu, nvmlEnableState_t enabled) {
  return set_present(gpu.clocks.auto_boost, enabled);
}

nvmlReturn_t DeviceSetDefaultAutoBoostedClocksEnabled(const Machine&, Gpu& gpu, nvmlEnableState_t enabled,
                                                      unsigned int) {
  return set_present(gpu.clocks.auto_boost_default, enabled);
}

nvmlReturn_t DeviceSetGpcClkVfOffset(const Machine&, Gpu& gpu, int offset) {
  auto& c = gpu.clocks;
  return set_offset(c.graphics_offset, offset, c.graphics_offset_min, c.graphics_offset_max);
}

nvmlReturn_t DeviceSetMemClkVfOffset(const Machine&, Gpu& gpu, int offset) {
  auto& c = gpu.clocks;
  return set_offset(c.memory_offset, offset, c.memory_offset_min, c.memory_offset_max);
}

nvmlReturn_t DeviceSetClockOffsets(const Machine& machine, Gpu& gpu, nvmlClockOffset_t* info) {
  switch (info->type) {
    case NVML_CLOCK_GRAPHICS:
      return DeviceSetGpcClkVfOffset(machine, gpu, info->clockOffsetMHz);
    case NVML_CLOCK_MEM:
      return DeviceSetMemClkVfOffset(machine, gpu, info->clockOffsetMHz);
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace nvmlkit::driver::functions
