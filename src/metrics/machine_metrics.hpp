// A machine as metrics: its values as they are, whatever faults keep a driver from reporting.
#pragma once

#include "metrics/event_counter.hpp"
#include "metrics/exposition.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::metrics {

// False where a writer of the machine is stopped.
bool add_machine(Exposition& out, const sim::Machine& machine, const EventCounter& events);

}  // namespace nvmlkit::metrics
