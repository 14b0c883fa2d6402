#include "node/due.hpp"

#include <algorithm>
#include <cstdint>

#include "sim/state/clock.hpp"

namespace nvmlkit::node {

std::optional<std::chrono::milliseconds> next_phase(const sim::Machine& machine) {
  const auto now = sim::now_ns(machine);
  std::optional<std::int64_t> next;
  for (const auto& gpu : machine.gpus()) {
    const auto count = std::min(gpu.motion.phase_count, sim::telemetry::kMaxPhases);
    for (std::uint32_t i = 0; gpu.motion.moving != 0 && i < count; ++i)
      if (const auto start = gpu.motion.phases[i].start_ns; start > now) next = std::min(next.value_or(start), start);
  }
  const auto& clock = machine.host().clock;
  const double pace = clock.set == 0 ? 1 : clock.pace;
  if (!next || !(pace > 0)) return std::nullopt;
  constexpr double kLongest = 1e9;  // milliseconds, ten days: poll() counts with an int
  const double ms = static_cast<double>(sim::elapsed_ns(now, *next)) / pace / 1e6;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(ms, 0.0, kLongest)) + 1);
}

}  // namespace nvmlkit::node
