#include "root/firmware.hpp"

#include <fmt/format.h>

namespace nvmlkit::root {

void add_firmware(Tree& tree, const sim::Machine& machine) {
  const auto& version = machine.system().driver_version;
  if (!version) return;
  const Place folder(tree, fmt::format("usr/lib/firmware/nvidia/{}", version->view()));
  // One file for Turing and the GA100, one for all later chips.
  for (const auto* name : {"gsp_tu10x.bin", "gsp_ga10x.bin"})
    folder.add(name, fmt::format("Simulated by nvmlkit: no firmware. {} of driver {}.", name, version->view()), 0644);
}

}  // namespace nvmlkit::root
