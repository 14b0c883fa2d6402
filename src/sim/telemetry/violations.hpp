// Times that NVML counts over several reasons.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/generated/model.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::sim::telemetry {

// Heat is one policy, whether software or hardware slows the GPU down. At the hard limit both reasons hold, so that the
// longer time contains the shorter one: a sum would count that time twice.
inline std::uint64_t thermal_violation_us(const model::Gpu& gpu, const Reading& now) {
  const auto& c = gpu.clocks_throttle_reasons.counters;
  return std::max(now(c.sw_thermal_slowdown_us).value_or(0), now(c.hw_thermal_slowdown_us).value_or(0));
}

}  // namespace nvmlkit::sim::telemetry
