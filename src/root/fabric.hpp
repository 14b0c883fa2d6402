// What the fabric manager leaves on a host whose GPUs are connected by NVSwitches.
#pragma once

#include <vector>

#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

// The NVSwitches that the host sees. The number of one is its place.
std::vector<sim::model::PciBusId> visible_switches(const sim::Machine& machine);

// Does a fabric manager of this host serve the GPUs? That of a rack runs elsewhere.
bool has_fabric_manager(const sim::Machine& machine);

// Log and folder of the fabric manager, and the files of the switches below /proc.
void add_fabric(Tree& tree, const sim::Machine& machine);

}  // namespace nvmlkit::root
