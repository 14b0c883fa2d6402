#include "sim/state/clock.hpp"

#include "sim/state/machine.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::sim {
namespace {

Clock clock_of(const Machine& machine) {
  Clock clock{};
  state::consistently(machine, machine.sequence(), [&] { clock = machine.host().clock; });
  return clock;
}

}  // namespace

// Real time needs no look at the rest of the clock, which may be changing.
std::int64_t now_ns(const Machine& machine) {
  if (machine.host().clock.set == 0) [[likely]]
    return real_time_ns();
  const auto clock = clock_of(machine);
  return clock.at(real_time_ns());
}

std::uint64_t unix_us(const Machine& machine, std::int64_t at_ns) {
  auto epoch = machine.host().clock.epoch_ns;
  if (epoch == 0) epoch = real_epoch_ns();
  return (static_cast<std::uint64_t>(at_ns) + static_cast<std::uint64_t>(epoch)) / 1000;
}

}  // namespace nvmlkit::sim
