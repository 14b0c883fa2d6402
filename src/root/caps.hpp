// Capabilities: files below /proc that say which node of /dev/nvidia-caps gives which right.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "root/devices.hpp"
#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

// A right about the whole machine: to manage IMEX, to profile.
struct SystemCapability {
  std::string_view name;
  unsigned int minor;
};

// Those of the machine's driver.
std::vector<SystemCapability> system_capabilities(const sim::Machine& machine);

void add_capabilities(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus);

}  // namespace nvmlkit::root
