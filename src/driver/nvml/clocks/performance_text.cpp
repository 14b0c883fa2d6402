// The two functions that return a list of token=value pairs.
#include <algorithm>
#include <cstdio>
#include <string>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/clocks/pstates.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::driver::functions {
namespace {

struct Range {
  unsigned int current = 0;
  unsigned int low = 0;
  unsigned int high = 0;
};

void append(std::string& out, const char* domain, const Range& range, unsigned int factor) {
  char text[160];
  std::snprintf(text, sizeof text, "%s%s=%u, %smin=%u, %smax=%u, %seditable=0", out.empty() ? "" : ", ", domain,
                range.current * factor, domain, range.low * factor, domain, range.high * factor, domain);
  out += text;
}

// The clocks that the GPU can choose at one memory clock.
std::string clocks_text(unsigned int graphics_now, unsigned int memory_now, const PerformanceLevel& level) {
  Range graphics{graphics_now, graphics_now, graphics_now};
  Range memory{memory_now, memory_now, memory_now};
  if (level.clock) {
    for (const auto mhz : level.clock->graphics_clocks) {
      graphics.low = std::min(graphics.low, mhz);
      graphics.high = std::max(graphics.high, mhz);
    }
    memory.low = memory.high = *level.clock->freq_mhz;
  }
  std::string out;
  append(out, "nvclock", graphics, 1);
  append(out, "memclock", memory, 1);
  append(out, "memTransferRate", memory, 2);  // two transfers a cycle
  return out;
}

bool tells_clocks(const Gpu& gpu) { return gpu.clocks.graphics_current && gpu.clocks.memory_current; }

}  // namespace

nvmlReturn_t DeviceGetCurrentClockFreqs(const Machine& machine, const Gpu& gpu,
                                        nvmlDeviceCurrentClockFreqs_t* frequencies) {
  if (!tells_clocks(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const sim::telemetry::Reading now(machine, gpu);
  const auto all = performance_levels(gpu);
  const auto memory = *now(gpu.clocks.memory_current);
  // The level of the clock that is at work; of a clock between two levels, the slower one.
  const auto* level = all.begin();
  for (const auto& other : all)
    if (other.clock && *other.clock->freq_mhz <= memory) level = &other;
  const auto text = clocks_text(*now(gpu.clocks.graphics_current), memory, *level);
  return write_text(text, frequencies->str, sizeof frequencies->str);
}

// Every level with its number, from the slowest on. The memory clock is that of the level, not the present one.
nvmlReturn_t DeviceGetPerformanceModes(const Machine& machine, const Gpu& gpu, nvmlDevicePerfModes_t* modes) {
  if (!tells_clocks(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const sim::telemetry::Reading now(machine, gpu);
  const auto graphics = *now(gpu.clocks.graphics_current), memory = *now(gpu.clocks.memory_current);
  const auto all = performance_levels(gpu);
  std::string text;
  for (const auto& level : all) {
    if (!text.empty()) text += " ; ";
    text += "perf=" + std::to_string(&level - all.begin()) + ", " +
            clocks_text(graphics, level.clock ? *level.clock->freq_mhz : memory, level);
  }
  return write_text(text, modes->str, sizeof modes->str);
}

}  // namespace nvmlkit::driver::functions
