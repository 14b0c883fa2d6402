#include "cli/target.hpp"

#include <cstring>

#include "sim/state/read.hpp"

namespace nvmlkit::cli {

void require(const sim::state::Lock& lock) {
  if (lock.refusal() == sim::state::Refusal::read_only) throw Refused("the state file may only be read");
  if (!lock) throw Refused("a writer of the machine is stopped");
}

std::unique_ptr<sim::model::Gpu> snapshot(const sim::Machine& machine, std::size_t index) {
  auto copy = std::make_unique<sim::model::Gpu>();
  const auto& gpu = machine.gpus()[index];
  if (!sim::state::consistently(machine, machine.sequence(gpu),
                                [&] { std::memcpy(static_cast<void*>(copy.get()), &gpu, sizeof gpu); }))
    throw Refused("a writer of the machine is stopped");
  return copy;
}

}  // namespace nvmlkit::cli
