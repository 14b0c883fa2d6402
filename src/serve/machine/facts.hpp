// What of a machine does not change while it is served: its GPUs, its driver, its topology.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

// Null where a writer of the machine is stopped.
nlohmann::ordered_json facts_of(const sim::Machine& machine);

// Root complexes with their devices, NVSwitches, and for each GPU where its NVLinks lead.
nlohmann::ordered_json topology_of(const sim::Machine& machine);

}  // namespace nvmlkit::serve
