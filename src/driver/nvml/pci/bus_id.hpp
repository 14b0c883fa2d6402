// PCI addresses in the form of NVML's structs.
#pragma once

#include <cstring>

#include "nvmlkit/generated/abi.hpp"
#include "sim/model/pci_bus_id.hpp"

namespace nvmlkit::driver {

inline void write_pci_address(const sim::model::PciBusId& id, int domain_digits, char* out) {
  char text[24];
  const auto written = sim::model::format_pci_bus_id(id, domain_digits, text);
  std::memcpy(out, written.data(), written.size());
  out[written.size()] = '\0';
}

inline void write_pci_info(const sim::model::PciBusId& id, unsigned int device_id, unsigned int subsystem_id,
                           abi::nvmlPciInfo_t& out) {
  write_pci_address(id, 4, out.busIdLegacy);
  write_pci_address(id, 8, out.busId);
  out.domain = id.domain;
  out.bus = id.bus;
  out.device = id.device;
  out.pciDeviceId = device_id;
  out.pciSubSystemId = subsystem_id;
}

}  // namespace nvmlkit::driver
