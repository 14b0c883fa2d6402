// Where a PCI device is near: CPUs and NUMA node, in the words of /sys.
#pragma once

#include <string>

#include "sim/state/machine.hpp"
#include "sim/topology/affinity.hpp"

namespace nvmlkit::root {

struct Near {
  sim::topology::CpuSet cpus;
  int node = -1;  // as the kernel has it: -1 where no one node is the nearest
};

// What nvidia-smi topo -m shows of the GPU.
Near near(const sim::Machine& machine, const sim::model::Gpu& gpu);
// What the machine file says of the root complex that the device hangs under.
Near near(const sim::Machine& machine, const sim::model::PciBusId& id);

// "0-3,8"
std::string list_of(const sim::topology::CpuSet& cpus);
// Words of 32 bits, the highest first, as many as the highest CPU needs.
std::string mask_of(const sim::topology::CpuSet& cpus);

}  // namespace nvmlkit::root
