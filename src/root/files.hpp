// All files of a driver that follow from the machine: below /dev, /proc, /sys, /var and /usr/lib/firmware.
#pragma once

#include <vector>

#include "root/devices.hpp"
#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

void add_files(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus);

// The folders and links of a host that programs expect in a root, and may change to with chroot.
void add_folders(Tree& tree);

}  // namespace nvmlkit::root
