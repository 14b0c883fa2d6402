#include "scenario/play.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>

#include "sim/state/clock.hpp"
#include "sim/state/follow.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/command.hpp"
#include "sim/telemetry/change.hpp"

namespace nvmlkit::scenario {

using namespace sim;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// An hour after the start of the host.
constexpr std::int64_t kBegin = 3600 * kSecond;
// Clocks count in floating point: a smaller step may be no step.
constexpr std::int64_t kSmallestStep = 1000;
constexpr std::int64_t kShortestSleep = 1'000'000;

double pace_of(const Machine& machine) {
  Clock clock{};
  static_cast<void>(state::consistently(machine, machine.sequence(), [&] { clock = machine.host().clock; }));
  return clock.set == 0 ? 1 : clock.pace;
}

timespec monotonic_after(std::int64_t ns) {
  timespec out{};
  clock_gettime(CLOCK_MONOTONIC, &out);
  const auto sum = out.tv_nsec + ns;
  out.tv_sec += sum / kSecond;
  out.tv_nsec = sum % kSecond;
  return out;
}

void sleep_for(const Machine& machine, std::uint32_t seen, std::int64_t machine_ns, double pace) {
  const double real = static_cast<double>(machine_ns) / pace;
  const auto deadline = monotonic_after(std::max(static_cast<std::int64_t>(std::min(real, 1e16)), kShortestSleep));
  state::wait_for_change(machine, seen, &deadline);
}

}  // namespace

Expected<void> play(Run& run, const Machine& machine, const Watch* watch) {
  const auto begin = now_ns(machine);
  std::int64_t look_ns = 0;
  while (true) {
    const auto seen = state::count_changes(machine);
    const auto now = now_ns(machine) - begin;
    run.advance(now);
    if (watch != nullptr && look_ns <= now) {
      watch->look();
      look_ns += ((now - look_ns) / watch->every_ns + 1) * watch->every_ns;
    }
    std::optional<std::int64_t> next;
    if (!run.is_over()) next = run.next(now);
    const bool watches = watch != nullptr && now < watch->until_ns;
    if (!next && !run.is_over()) run.end(now);
    if (!next && !watches) return {};
    if (watch != nullptr) next = next ? std::min(*next, look_ns) : look_ns;
    if (*next <= now) continue;
    const double pace = pace_of(machine);
    if (pace > 0)
      sleep_for(machine, seen, *next - now, pace);
    else if (auto moved = steering::advance_time(machine, std::max(*next - now, kSmallestStep)); !moved)
      return moved;
  }
}

void begin_anew(Machine& machine, double pace) {
  machine.host().clock = {1, real_time_ns(), kBegin, pace, 0};
  for (auto& gpu : machine.gpus()) gpu.motion = {};
  telemetry::start(machine);
}

}  // namespace nvmlkit::scenario
