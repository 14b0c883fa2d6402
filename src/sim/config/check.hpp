// Constraints between fields of a machine.
#pragma once

#include "sim/config/layers.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::config {

// A problem at the place of whatever contradicts the rest: a UUID or PCI address that two GPUs have, more memory in use
// than there is, power limits in the wrong order, CUDA versions that disagree.
Expected<void> check_machine(const Layers& layers, const Machine& machine);

// The same of what surrounds the GPUs; a part of check_machine().
Expected<void> check_equipment(const Layers& layers, const Machine& machine);

// What check_machine() would say about the values of one GPU.
Expected<void> check_values(const model::Gpu& gpu);

}  // namespace nvmlkit::sim::config
