// The list of functions in a machine file that fail from the start.
#pragma once

#include "sim/config/layers.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::config {

// Makes them call rules of the machine. A problem: there is no such function, or no such error.
Expected<void> install_failing_functions(const Layers& layers, const Machine& machine);

}  // namespace nvmlkit::sim::config
