#include "driver/nvml/call/process_hooks.hpp"

#include <cstdlib>

#include "driver/nvml/call/log.hpp"
#include "sim/steering/fault.hpp"

namespace nvmlkit::driver {
namespace {

#ifdef NVMLKIT_IN_PROCESS
// A driver inside a program uses the machine that the program made, and ignores the environment.
const char* variable(const char*) { return nullptr; }
#else
const char* variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : nullptr;
}
#endif

int wanted_log() {
  if (const char* destination = variable("NVMLKIT_DEBUG")) return open_log(destination);
  return variable("MOCK_NVML_DEBUG") != nullptr ? open_log("stderr") : -1;
}

}  // namespace

ProcessHooks& process_hooks() {
  static ProcessHooks hooks{wanted_log()};
  return hooks;
}

const char* process_faults() { return variable("NVMLKIT_FAULT"); }

sim::Expected<void> apply_process_faults(const sim::Machine& machine) {
  const char* commands = process_faults();
  if (commands == nullptr) return {};
  auto& rules = process_hooks().rules;
  for (std::size_t i = 0; i < sim::calls::Rules::kCapacity; ++i) rules.remove(i);
  auto done = sim::steering::inject_here(machine, commands, rules);
  if (!done) done.error().place = {"NVMLKIT_FAULT", 0, 0};
  return done;
}

bool watches_process() { return process_hooks().log >= 0 || !process_hooks().rules.empty(); }

}  // namespace nvmlkit::driver
