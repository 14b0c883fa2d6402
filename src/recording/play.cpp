#include "recording/play.hpp"

#include <algorithm>
#include <ctime>

#include "sim/state/clock.hpp"
#include "sim/state/follow.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::recording {

using namespace sim;

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

double pace_now(const Machine& machine) {
  Clock clock{};
  static_cast<void>(state::consistently(machine, machine.sequence(), [&] { clock = machine.host().clock; }));
  return clock.set == 0 ? 1 : clock.pace;
}

// Another program may change the pace meanwhile, which ends the sleep.
void sleep_machine_ns(const Machine& machine, std::uint32_t seen, std::int64_t ns, double pace) {
  const double real = std::min(static_cast<double>(ns) / pace, 1e16);
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const auto sum = until.tv_nsec + std::max(static_cast<std::int64_t>(real), kNsPerMs);
  until.tv_sec += sum / kNsPerSecond;
  until.tv_nsec = sum % kNsPerSecond;
  state::wait_for_change(machine, seen, &until);
}

Expected<void> wait_until(const Machine& machine, std::int64_t at_ns) {
  while (true) {
    const auto seen = state::count_changes(machine);
    const auto left = at_ns - now_ns(machine);
    if (left <= 0) return {};
    const double pace = pace_now(machine);
    if (pace > 0)
      sleep_machine_ns(machine, seen, left, pace);
    else if (auto moved = steering::advance_time(machine, std::max<std::int64_t>(left, 1000)); !moved)
      return moved;
  }
}

}  // namespace

Expected<void> play(Drive& drive, const Machine& machine, const Timeline& timeline,
                    const std::function<void(const Frame&)>& look) {
  const auto frames = timeline.frames();
  const auto begin = now_ns(machine);
  for (const auto& frame : frames) {
    if (auto waited = wait_until(machine, begin + (frame.at_ms - frames.front().at_ms) * kNsPerMs); !waited)
      return waited;
    if (auto applied = drive.apply(frame); !applied) return applied;
    look(frame);
  }
  return {};
}

}  // namespace nvmlkit::recording
