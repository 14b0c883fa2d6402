// A PCI address, and its spellings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nvmlkit::sim::model {

struct PciBusId {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  std::uint32_t function = 0;

  friend constexpr bool operator==(const PciBusId&, const PciBusId&) = default;
};

// Reads [DOMAIN:]BUS:DEVICE[.FUNCTION], hexadecimal.
std::optional<PciBusId> parse_pci_bus_id(std::string_view text);

// Writes DOMAIN:BUS:DEVICE.FUNCTION with `domain_digits` (4 or 8) digits of domain into `out`, which holds at least 20
// bytes, and returns what was written, without the terminating NUL that follows it.
std::string_view format_pci_bus_id(const PciBusId& id, int domain_digits, char* out);

}  // namespace nvmlkit::sim::model
