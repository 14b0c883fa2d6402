#include "cli/scenario_machine.hpp"

#include <cstdlib>

#include "cli/command_error.hpp"
#include "cli/selector.hpp"
#include "sim/config/load.hpp"

namespace nvmlkit::cli {

void ScenarioMachineOptions::declare(Arguments& arguments) {
  const auto made = made_.declare(arguments);
  for (auto& up : up_.declare(arguments))
    for (const auto& other : made) up.excludes(other);
}

bool ScenarioMachineOptions::own() const {
  const auto choice = made_.choice();
  return !choice.machine.empty() || choice.gpu_count || !choice.driver.empty();
}

std::unique_ptr<sim::Machine> ScenarioMachineOptions::own_machine() const {
  unsetenv("NVMLKIT_STATE");
  export_choice(made_.choice());
  return value_of(sim::load_machine(sim::Environment::process()));
}

std::unique_ptr<sim::Machine> ScenarioMachineOptions::up_machine() const { return machine_of(up_); }

}  // namespace nvmlkit::cli
