// Utilization that moves without a workload.
#pragma once

#include <optional>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim::telemetry {

struct Range {
  double low, high;  // per cent
};

struct DynamicLoad {
  Range calm, burst;       // the latter in every second period
  std::int64_t period_ns;  // 0: no bursts

  const Range& at(std::int64_t since_start_ns) const {
    return period_ns > 0 && since_start_ns / period_ns % 2 != 0 ? burst : calm;
  }
};

// Of Engine::gpu or Engine::memory; nothing if the machine file has no such key.
std::optional<DynamicLoad> dynamic_load(const model::Gpu& gpu, std::uint32_t engine);

}  // namespace nvmlkit::sim::telemetry
