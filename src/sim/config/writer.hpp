// Writes a machine as a file. The reader reads the same machine from it.
#pragma once

#include <string>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// See text/machine_text.hpp.
std::string write_machine(const Machine& machine);

}  // namespace nvmlkit::sim
