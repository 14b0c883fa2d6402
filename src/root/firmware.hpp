// The firmware that a driver of this version loads into GPUs.
#pragma once

#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

// usr/lib/firmware/nvidia/VERSION. The files are there for programs that mount or count them, and hold no firmware.
void add_firmware(Tree& tree, const sim::Machine& machine);

}  // namespace nvmlkit::root
