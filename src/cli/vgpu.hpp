// The commands that make, show and destroy vGPUs of the machine that is up: vgpu create, list, destroy.
#pragma once

#include <vector>

#include "cli/steering.hpp"

namespace nvmlkit::cli {

std::vector<Command> add_vgpu_commands(CLI::App& app);

}  // namespace nvmlkit::cli
