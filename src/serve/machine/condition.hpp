// What of a machine changes by commands and programs: faults, MIG devices, processes, the state of links.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

nlohmann::ordered_json condition_of(const sim::Machine& machine);

// The GPU instances of each GPU in MIG mode; null for the others.
nlohmann::ordered_json mig_of(const sim::Machine& machine, const sim::model::Gpu& gpu);

nlohmann::ordered_json processes_of_machine(const sim::Machine& machine);

}  // namespace nvmlkit::serve
