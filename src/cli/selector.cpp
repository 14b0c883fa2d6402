#include "cli/selector.hpp"

#include <cstring>

#include "cli/command_error.hpp"
#include "sim/state/file.hpp"
#include "sim/state/follow.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/selector.hpp"

namespace nvmlkit::cli {

std::unique_ptr<sim::Machine> attach(const std::string& state) { return value_of(sim::state::attach(state)); }

std::unique_ptr<sim::Machine> machine_of(const UpMachineOptions& options) { return attach(options.existing_path()); }

Declared declare_gpus(Arguments& arguments, std::string& selector) {
  return arguments.argument("GPUS", Kind::gpu, selector,
                            "gpu=INDEX, gpu=UUID, gpu=BUS-ID, several as gpu=0,3, or gpu=all");
}

std::vector<std::size_t> select(const sim::Machine& machine, const std::string& selector) {
  return value_of(sim::select_gpus(machine, selector));
}

std::unique_ptr<sim::model::Gpu> snapshot(const sim::Machine& machine, std::size_t index) {
  auto copy = std::make_unique<sim::model::Gpu>();
  const auto& gpu = machine.gpus()[index];
  if (!sim::state::consistently(machine, machine.sequence(gpu),
                                [&] { std::memcpy(static_cast<void*>(copy.get()), &gpu, sizeof gpu); }))
    throw CommandError({.kind = sim::ProblemKind::busy, .what = "a writer of the machine is stopped"});
  return copy;
}

std::unique_ptr<sim::Machine> snapshot(const sim::Machine& machine) {
  auto copy = sim::Machine::create(machine.gpus().size());
  if (!copy) throw CommandError({.kind = sim::ProblemKind::out_of_memory});
  if (!sim::state::copy_now(machine, *copy))
    throw CommandError({.kind = sim::ProblemKind::busy, .what = "a writer of the machine is stopped"});
  return copy;
}

}  // namespace nvmlkit::cli
