// The P-states that a GPU can run in, each with its memory clock.
#pragma once

#include <array>
#include <cstddef>

#include "nvmlkit/generated/abi.hpp"
#include "sim/generated/model.hpp"

namespace nvmlkit::driver {

struct PerformanceLevel {
  abi::nvmlPstates_t state = abi::NVML_PSTATE_0;
  const sim::model::MemoryClock* clock = nullptr;  // null where the machine lists no memory clocks
};

// From the slowest, as drivers list them.
struct PerformanceLevels {
  std::array<PerformanceLevel, 16> levels{};
  std::size_t count = 0;

  const PerformanceLevel* begin() const { return levels.data(); }
  const PerformanceLevel* end() const { return levels.data() + count; }
  const PerformanceLevel* find(abi::nvmlPstates_t state) const;
};

// One for each memory clock: the highest belongs to P0, the next to P2 (seen on an H100, driver 580), then P3, P5 and
// P8. The lowest belongs to the P-state in which the machine says that the GPU idles, if that is not P0.
PerformanceLevels performance_levels(const sim::model::Gpu& gpu);

}  // namespace nvmlkit::driver
