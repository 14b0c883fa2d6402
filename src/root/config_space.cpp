#include "root/config_space.hpp"

namespace nvmlkit::root {
namespace {

constexpr std::size_t kConfigurationSize = 256;

}  // namespace

std::string configuration_space(const PciDevice& device) {
  if (!device.answers) return std::string(kConfigurationSize, '\xFF');
  std::string space(kConfigurationSize, '\0');
  const auto put = [&](std::size_t at, std::uint32_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) space[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
  };
  constexpr std::size_t kExpress = 0x40;
  put(0x00, device.vendor, 2);
  put(0x02, device.device, 2);
  put(0x04, 0x0406, 2);  // answers to memory accesses, may be bus master, no legacy interrupt
  put(0x06, 0x0010, 2);  // has capabilities
  put(0x08, device.revision, 1);
  put(0x0A, device.sub_class, 1);
  put(0x0B, device.base_class, 1);
  for (std::size_t bar = 0; bar < kBars; ++bar) put(0x10 + 4 * bar, register_of(device.bars, bar), 4);
  put(0x2C, device.subsystem_vendor, 2);
  put(0x2E, device.subsystem, 2);
  put(0x34, kExpress, 1);
  put(0x3D, 1, 1);  // interrupt pin A

  const auto link = [](const std::optional<PciLink>& of) {
    return of ? (of->generation & 0xF) | (of->width & 0x3F) << 4 : 0;
  };
  put(kExpress, 0x10, 1);           // PCI Express, and no capability after it
  put(kExpress + 0x02, 0x0002, 2);  // version 2, an endpoint
  put(kExpress + 0x0C, link(device.best), 4);
  put(kExpress + 0x12, link(device.current), 2);
  return space;
}

}  // namespace nvmlkit::root
