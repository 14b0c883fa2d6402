// Which machine a command means, and what the simulation says about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/config/environment.hpp"
#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// What the options -m, -c, -n and --driver of a command chose.
struct MachineChoice {
  std::string machine;  // a built-in name or a path; empty: the environment's machine
  std::optional<std::uint32_t> gpu_count;
  std::string driver;  // a branch or a version; empty: that of the environment or the machine
};

// Puts the choice into this process's environment, where the driver library looks for it. A machine that was chosen
// replaces all that the environment said before.
void export_choice(const MachineChoice& choice);

struct MachineSummary {
  std::string gpus;      // "2 x NVIDIA H100 80GB HBM3, 1 x Tesla T4"
  std::string gpu_name;  // of the first GPU, as the rest
  std::size_t gpu_count = 0;
  std::uint64_t memory_bytes = 0;
  std::string architecture;
  std::string driver_version;
};

// How many of which, in the order of the first of each; of more than four models only the first three are named.
std::string list_models(const sim::Machine& machine);

// Reads and checks the machine, as the driver library will; or says what is wrong with it.
sim::Expected<MachineSummary> inspect(const sim::Environment& environment);

}  // namespace nvmlkit::cli
