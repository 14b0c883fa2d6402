// The files of a driver below /proc: version, parameters, GPUs, numbers of devices.
#pragma once

#include <vector>

#include "root/devices.hpp"
#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

void add_proc(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus);

}  // namespace nvmlkit::root
