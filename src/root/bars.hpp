// The base address registers (BARs) of PCI devices, and the addresses that they get.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/state/machine.hpp"

namespace nvmlkit::root {

inline constexpr std::size_t kBars = 6;

enum class Space : std::uint8_t { none, memory_32, prefetchable_64, io };

// One register, or two where the address has 64 bits: the second stays Space::none.
struct Bar {
  Space space = Space::none;
  std::uint64_t size = 0;   // a power of two
  std::uint64_t start = 0;  // 0: the firmware had no room for it
};
using Bars = std::array<Bar, kBars>;

Bars bars_of_gpu(const sim::model::Gpu& gpu);
Bars bars_of_switch();
Bars bars_of_adapter();

// Gives addresses, as the firmware of a computer does. A device that is asked for as the nth of a machine has the same
// addresses every time.
class AddressMap {
 public:
  void place(Bars& bars);

 private:
  std::uint64_t memory_32_ = 0x90000000, prefetchable_64_ = std::uint64_t{0x38} << 40, io_ = 0x3000;
};

// /sys/bus/pci/devices/*/resource: six BARs, the ROM, and six BARs of virtual functions.
std::string resource_file(const Bars& bars);

// What stands in register `index` of the configuration space.
std::uint32_t register_of(const Bars& bars, std::size_t index);

}  // namespace nvmlkit::root
