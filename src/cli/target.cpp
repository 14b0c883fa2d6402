#include "cli/target.hpp"

#include <cstring>

#include "sim/state/read.hpp"

namespace nvmlkit::cli {

void accept(const std::string& problem) {
  if (!problem.empty()) throw Refused(problem);
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
