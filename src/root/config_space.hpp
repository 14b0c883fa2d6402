// The configuration space of a PCI device.
#pragma once

#include <string>

#include "root/pci_devices.hpp"

namespace nvmlkit::root {

// 256 bytes: the standard header, and one capability, PCI Express, with the state of the link.
// Of a device that does not answer, all bits are set: a bus has this value where nobody drives it.
std::string configuration_space(const PciDevice& device);

}  // namespace nvmlkit::root
