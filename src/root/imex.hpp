// IMEX: memory that the hosts of an NVLink fabric share. A process needs the node of a channel for it.
#pragma once

#include <cstdint>

#include "sim/state/machine.hpp"

namespace nvmlkit::root {

inline constexpr std::uint32_t kImexChannels = 2048;  // that a driver registers unless told otherwise

// Does the driver know IMEX channels? From 550 on.
bool knows_imex(const sim::Machine& machine);

// Do GPUs of this host belong to a fabric of several hosts? Such hosts run the IMEX service, and have channel 0.
bool shares_memory(const sim::Machine& machine);

}  // namespace nvmlkit::root
