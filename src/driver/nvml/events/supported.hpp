// The event types that a GPU supports.
#pragma once

#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

// Newer drivers know more types; the GPU's architecture and its ECC decide which of them it has.
unsigned long long supported_events(const sim::Machine& machine, const sim::model::Gpu& gpu);

}  // namespace nvmlkit::driver
