#include "kernel_log/follower.hpp"

#include "kernel_log/lines.hpp"
#include "sim/events/ring.hpp"

namespace nvmlkit::kernel_log {

using namespace sim;

Place end_of(const Machine& machine) { return events::now(machine.events()); }

void wake(const Machine& machine) {
  if (machine.access() != Access::read_only) events::ring_bell(machine.events());
}

std::vector<Record> Follower::take() {
  heard_ = events::listen(machine_->events());  // before the look: what comes behind it ends the next wait
  std::vector<Record> out;
  events::Published event{};
  while (events::take(machine_->events(), place_, event))
    if (auto record = record_of(*machine_, event)) out.push_back(std::move(*record));
  return out;
}

bool Follower::wait(const timespec* deadline) { return events::wait(machine_->events(), heard_, deadline); }

}  // namespace nvmlkit::kernel_log
