// PCI devices below /sys: their files, drivers, and IOMMU groups.
#pragma once

#include <string>

#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

// As /proc and /sys write it: with four digits of domain, in small letters.
std::string kernel_bus_id(const sim::model::PciBusId& id);

// sys/devices/pci.../...
std::string pci_folder(const sim::Machine& machine, const sim::model::PciBusId& id);

void add_pci(Tree& tree, const sim::Machine& machine);

}  // namespace nvmlkit::root
