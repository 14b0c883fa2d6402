// The identity of a GPU, if the machine file leaves it out.
#pragma once

#include <string_view>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// Derives UUIDs, PCI addresses, board ids and other values that distinguish GPUs. UUIDs follow from the seed, too.
void complete_identity(Machine& machine, std::string_view seed);

}  // namespace nvmlkit::sim
