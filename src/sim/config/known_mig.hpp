// MIG profiles of the GPUs of the built-in machines.
#pragma once

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::config {

// Gives GPUs that have MIG and no profiles those of the built-in machine whose GPU has the same name.
void adopt_mig_profiles(Machine& machine);

}  // namespace nvmlkit::sim::config
