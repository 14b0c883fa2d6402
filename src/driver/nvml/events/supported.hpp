// Which events there are: the types that a GPU supports, and what this process may see of them.
#pragma once

#include "sim/events/ring.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

// By the driver of the machine.
unsigned long long supported_events(const sim::Machine& machine, const sim::model::Gpu& gpu);

// Events of one GPU instance are for those who may see the whole GPU.
bool may_see(const sim::Machine& machine, const sim::events::Event& event);

}  // namespace nvmlkit::driver
