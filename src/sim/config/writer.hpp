// Writes a machine as a file. The reader reads the same machine from it.
#pragma once

#include <string>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// YAML. Common values of all GPUs are under device_defaults, different values under devices. Absent values
// are written (as N/A) only where the reader would otherwise put one.
std::string write_machine(const Machine& machine);

}  // namespace nvmlkit::sim
