// What the computer's firmware says of the computer: /sys/class/dmi/id.
#pragma once

#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

void add_dmi(Tree& tree, const sim::Machine& machine);

}  // namespace nvmlkit::root
