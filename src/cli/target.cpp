#include "cli/target.hpp"

#include <cstring>

#include "cli/state.hpp"
#include "sim/selector.hpp"
#include "sim/state/file.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::cli {

std::unique_ptr<sim::Machine> machine_of(const std::string& state) {
  const auto path = find_state(state);
  if (!path) throw Refused(path.error());
  std::string error;
  auto machine = sim::state::attach(*path, error);
  if (!machine) throw Refused(error);
  return machine;
}

std::vector<std::size_t> select(const sim::Machine& machine, const std::string& selector) {
  std::string error;
  auto out = sim::select_gpus(machine, selector, error);
  if (out.empty()) throw Refused(error);
  return out;
}

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
