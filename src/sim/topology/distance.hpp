// The distance of two devices in the PCIe tree of a machine.
#pragma once

#include <cstdint>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim {
class Machine;
}

namespace nvmlkit::sim::topology {

// The root complex that a device hangs under; null where the machine file names none.
const model::RootComplex* root_complex_of(const Machine& machine, const model::PciBusId& device);

// One of model::TopologyLevel; `otherwise` where the tree does not tell.
std::uint32_t distance(const Machine& machine, const model::PciBusId& a, const model::PciBusId& b,
                       std::uint32_t otherwise);

}  // namespace nvmlkit::sim::topology
