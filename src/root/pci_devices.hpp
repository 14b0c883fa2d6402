// The PCI devices of a machine: GPUs, NVSwitches that the host sees, network adapters.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "root/bars.hpp"
#include "root/numa.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

struct PciLink {
  std::uint32_t generation = 0, width = 0;
};

struct PciDevice {
  sim::model::PciBusId id;
  std::uint32_t vendor, device, subsystem_vendor, subsystem, revision, base_class, sub_class, irq;
  std::uint32_t address_bits;  // of its DMA
  std::string_view driver;
  std::optional<PciLink> current, best;
  Bars bars;
  Near near;
  bool is_present = true;  // on the bus
  bool answers = true;     // reads of its configuration space
  bool is_driven = true;   // by a driver that is loaded
};

inline constexpr std::uint32_t kNvidia = 0x10de;

// Also those that are off the bus, so that the places and addresses of the others stay.
std::vector<PciDevice> pci_devices(const sim::Machine& machine);

}  // namespace nvmlkit::root
