#include "sim/telemetry/dynamic_load.hpp"

#include <algorithm>

namespace nvmlkit::sim::telemetry {

std::optional<DynamicLoad> dynamic_load(const model::Gpu& gpu, std::uint32_t engine) {
  const auto& d = gpu.dynamic_metrics.utilization;
  const bool said = d.pattern || d.gpu_min || d.gpu_max || d.memory_min || d.memory_max;
  if (!said || engine > Engine::memory) return std::nullopt;
  const bool of_gpu = engine == Engine::gpu;
  const double low = (of_gpu ? d.gpu_min : d.memory_min).value_or(0);
  const double high = (of_gpu ? d.gpu_max : d.memory_max).value_or(100);
  const double quarter = (high - low) / 4;
  const Range idle{low, low + quarter}, busy{high - quarter, high};
  const auto pattern = d.pattern ? d.pattern->view() : std::string_view("steady");
  if (pattern == "steady") return DynamicLoad{{low, high}, {low, high}, 0};
  if (pattern == "busy") return DynamicLoad{busy, busy, 0};
  if (pattern != "burst") return DynamicLoad{idle, idle, 0};
  constexpr std::int64_t kSecond = 1'000'000'000;
  return DynamicLoad{idle, busy, std::max<std::int64_t>(d.burst_period_sec.value_or(30), 1) * kSecond};
}

}  // namespace nvmlkit::sim::telemetry
