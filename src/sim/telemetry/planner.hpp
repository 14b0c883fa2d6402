// Divides the future of a GPU into phases.
#pragma once

#include "sim/telemetry/plan.hpp"

namespace nvmlkit::sim::telemetry {

// Appends the phases from `now` on, as far as there is room; the last of them lasts for ever.
void append_phases(State& state, const Inputs& inputs, const Checkpoint& now);

}  // namespace nvmlkit::sim::telemetry
