// The two functions that return a list of token=value pairs.
#include <algorithm>
#include <cstdio>
#include <string>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::driver::functions {
namespace {

struct Range {
  unsigned int current = 0;
  unsigned int low = 0;
  unsigned int high = 0;
};

// The clocks of one domain; `listed` visits every clock that can be asked for.
template <class Listed>
Range range_of(unsigned int current, Listed listed) {
  Range range{current, current, current};
  listed([&](unsigned int mhz) {
    range.low = std::min(range.low, mhz);
    range.high = std::max(range.high, mhz);
  });
  return range;
}

void append(std::string& out, const char* domain, const Range& range, unsigned int factor) {
  char text[160];
  std::snprintf(text, sizeof text, "%s%s=%u, %smin=%u, %smax=%u, %seditable=0", out.empty() ? "" : ", ", domain,
                range.current * factor, domain, range.low * factor, domain, range.high * factor, domain);
  out += text;
}

// Empty when the machine does not tell the clocks.
std::string clocks_text(const Machine& machine, const Gpu& gpu) {
  if (!gpu.clocks.graphics_current || !gpu.clocks.memory_current) return {};
  const sim::telemetry::Reading now(machine, gpu);
  const auto memory_clocks = gpu.supported_clocks.memory_clocks.span();
  const auto graphics = range_of(*now(gpu.clocks.graphics_current), [&](auto visit) {
    for (const auto& memory : memory_clocks)
      for (const auto mhz : memory.graphics_clocks) visit(mhz);
  });
  const auto memory = range_of(*now(gpu.clocks.memory_current), [&](auto visit) {
    for (const auto& clock : memory_clocks) visit(*clock.freq_mhz);
  });
  std::string out;
  append(out, "nvclock", graphics, 1);
  append(out, "memclock", memory, 1);
  append(out, "memtransferrate", memory, 2);  // two transfers a cycle
  return out + " ;";
}

}  // namespace

nvmlReturn_t DeviceGetCurrentClockFreqs(const Machine& machine, const Gpu& gpu,
                                        nvmlDeviceCurrentClockFreqs_t* frequencies) {
  const auto text = clocks_text(machine, gpu);
  if (text.empty()) return NVML_ERROR_NOT_SUPPORTED;
  return write_text(text, frequencies->str, sizeof frequencies->str);
}

// Performance levels count from the slowest, P-states from the fastest: P15 is level 0.
nvmlReturn_t DeviceGetPerformanceModes(const Machine& machine, const Gpu& gpu, nvmlDevicePerfModes_t* modes) {
  const auto clocks = clocks_text(machine, gpu);
  if (clocks.empty()) return NVML_ERROR_NOT_SUPPORTED;
  const auto pstate = std::min<unsigned int>(
      sim::telemetry::Reading(machine, gpu)(gpu.performance_state).value_or(NVML_PSTATE_0), NVML_PSTATE_15);
  return write_text("perf=" + std::to_string(NVML_PSTATE_15 - pstate) + ", " + clocks, modes->str, sizeof modes->str);
}

}  // namespace nvmlkit::driver::functions
