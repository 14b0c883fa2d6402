#include "sim/topology/distance.hpp"

#include <algorithm>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::topology {

using model::TopologyLevel;

const model::RootComplex* root_complex_of(const Machine& machine, const model::PciBusId& device) {
  for (const auto& complex : machine.host().pcie_topology.root_complexes) {
    const auto devices = complex.devices.span();
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) return &complex;
  }
  return nullptr;
}

std::uint32_t distance(const Machine& machine, const model::PciBusId& a, const model::PciBusId& b,
                       std::uint32_t otherwise) {
  if (a == b) return TopologyLevel::internal;
  const auto* of_a = root_complex_of(machine, a);
  const auto* of_b = root_complex_of(machine, b);
  if (!of_a || !of_b) return otherwise;
  if (of_a == of_b) return of_a->level.value_or(TopologyLevel::hostbridge);
  const bool one_node = of_a->numa_node && of_b->numa_node && *of_a->numa_node == *of_b->numa_node;
  if (!one_node) return TopologyLevel::system;
  return machine.host().pcie_topology.node_level.value_or(TopologyLevel::node);
}

}  // namespace nvmlkit::sim::topology
