// InfiniBand adapters below /sys/class/infiniband: identity, ports, counters.
#pragma once

#include <cstdint>

#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

// The PCI device id of the adapters, which is the number of their type: 4129 of MT4129.
std::uint32_t adapter_model(const sim::Machine& machine);

void add_infiniband(Tree& tree, const sim::Machine& machine);

}  // namespace nvmlkit::root
