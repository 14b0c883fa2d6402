// Constraints between fields of a machine.
#pragma once

#include "sim/config/layers.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::config {

// Throws ConfigFailure at the place of whatever contradicts the rest: a UUID or PCI address that two GPUs have, more
// memory in use than there is, power limits in the wrong order, CUDA versions that disagree.
void check_machine(const Layers& layers, const Machine& machine);

// The same of what surrounds the GPUs; a part of check_machine().
void check_equipment(const Layers& layers, const Machine& machine);

// The message of check_machine() about the values of one GPU; empty if they are valid.
std::string contradiction(const model::Gpu& gpu);

}  // namespace nvmlkit::sim::config
