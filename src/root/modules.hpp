// The driver's kernel modules: /proc/modules and /sys/module.
#pragma once

#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

// Do the GPUs need the open kernel modules? From Blackwell on, nothing else drives them.
bool has_open_modules(const sim::Machine& machine);

void add_modules(Tree& tree, const sim::Machine& machine);

}  // namespace nvmlkit::root
