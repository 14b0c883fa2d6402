// The events of a change that a setter made.
#pragma once

#include "sim/generated/model.hpp"

namespace nvmlkit::sim::setters {

// Notes in `after`, the copy of an edit, an event for each subject that differs: clocks, P-state, MIG mode.
void raise_events(const model::Gpu& before, model::Gpu& after);

}  // namespace nvmlkit::sim::setters
