// The files of a driver below /proc: version, parameters, GPUs, capabilities.
#pragma once

#include <vector>

#include "root/devices.hpp"
#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

void add_proc(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus);

// As /proc and /sys write it: with four digits of domain, in small letters.
std::string kernel_bus_id(const sim::model::PciBusId& id);

}  // namespace nvmlkit::root
