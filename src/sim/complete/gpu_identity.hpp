// The identity of a GPU, if the machine file leaves it out.
#pragma once

#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// Derives UUIDs, PCI addresses, board ids and other values that distinguish GPUs.
void complete_identity(Machine& machine);

}  // namespace nvmlkit::sim
