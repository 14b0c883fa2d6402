// The GPUs and network adapters below /sys: PCI devices, InfiniBand devices, the driver's
// module.
#pragma once

#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

void add_sys(Tree& tree, const sim::Machine& machine);

}  // namespace nvmlkit::root
