#include "root/bars.hpp"

#include <fmt/format.h>

#include <bit>

#include "sim/traits/architecture.hpp"

namespace nvmlkit::root {
namespace {

using sim::model::Architecture;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kEndOf32 = 0xFEC00000, kEndOfIo = 0x10000;  // where the interrupt controllers begin; of ports
constexpr std::size_t kOthers = 7;                                  // the ROM, and virtual functions

// The kernel's flags of a resource (IORESOURCE_*); the low bits are those of the register.
constexpr std::uint64_t kIo = 0x100, kMemory = 0x200, kPrefetch = 0x2000, kSizeAligned = 0x40000, k64Bits = 0x100000,
                        kUnset = 0x20000000;

std::uint32_t register_bits(Space space) {
  return space == Space::io ? 0x1 : space == Space::prefetchable_64 ? 0xC : 0x0;
}

std::uint64_t flags_of(const Bar& bar) {
  std::uint64_t flags = kSizeAligned | register_bits(bar.space);
  flags |= bar.space == Space::io ? kIo : kMemory;
  if (bar.space == Space::prefetchable_64) flags |= kPrefetch | k64Bits;
  return bar.start == 0 ? flags | kUnset : flags;
}

// BAR1 of the model. GPUs with coherent memory state none, and map all of their memory.
std::uint64_t aperture_of(const sim::model::Gpu& gpu) {
  if (gpu.bar1_memory.total_bytes) return std::bit_ceil(*gpu.bar1_memory.total_bytes);
  if (gpu.memory.total_bytes) return std::bit_ceil(*gpu.memory.total_bytes);
  return 256 * kMiB;
}

// The accelerators from Hopper on have three registers of 64 bits.
bool is_wide(const sim::model::Gpu& gpu) {
  if (!gpu.compute_capability.major) return sim::is_from(gpu, Architecture::hopper);
  return *gpu.compute_capability.major == 9 || *gpu.compute_capability.major == 10;
}

}  // namespace

Bars bars_of_gpu(const sim::model::Gpu& gpu) {
  constexpr std::uint64_t kRegisters = 16 * kMiB, kInstances = 32 * kMiB, kPorts = 128;
  Bars bars;
  const Bar aperture{Space::prefetchable_64, aperture_of(gpu)}, instances{Space::prefetchable_64, kInstances};
  if (is_wide(gpu)) {
    bars[0] = {Space::prefetchable_64, kRegisters};
    bars[2] = aperture;
    bars[4] = instances;
    return bars;
  }
  bars[0] = {Space::memory_32, kRegisters};
  bars[1] = aperture;
  bars[3] = instances;
  if (gpu.pci.sub_class.value_or(2) == 0) bars[5] = {Space::io, kPorts};  // of VGA
  return bars;
}

Bars bars_of_switch() {
  Bars bars;
  bars[0] = {Space::memory_32, 32 * kMiB};
  return bars;
}

Bars bars_of_adapter() {
  Bars bars;
  bars[0] = {Space::prefetchable_64, 32 * kMiB};
  return bars;
}

void AddressMap::place(Bars& bars) {
  for (auto& bar : bars) {
    if (bar.space == Space::none) continue;
    auto& next = bar.space == Space::io ? io_ : bar.space == Space::memory_32 ? memory_32_ : prefetchable_64_;
    const auto start = (next + bar.size - 1) & ~(bar.size - 1);
    const auto end = start + bar.size;
    if ((bar.space == Space::io && end > kEndOfIo) || (bar.space == Space::memory_32 && end > kEndOf32)) continue;
    bar.start = start;
    next = end;
  }
}

std::string resource_file(const Bars& bars) {
  std::string out;
  const auto line = [&](std::uint64_t start, std::uint64_t end, std::uint64_t flags) {
    out += fmt::format("0x{:016x} 0x{:016x} 0x{:016x}\n", start, end, flags);
  };
  for (const auto& bar : bars)
    if (bar.space == Space::none)
      line(0, 0, 0);
    else
      line(bar.start, bar.start + bar.size - 1, flags_of(bar));
  for (std::size_t i = 0; i < kOthers; ++i) line(0, 0, 0);
  return out;
}

std::uint32_t register_of(const Bars& bars, std::size_t index) {
  const auto& bar = bars[index];
  if (bar.space != Space::none) return static_cast<std::uint32_t>(bar.start) | register_bits(bar.space);
  if (index > 0 && bars[index - 1].space == Space::prefetchable_64)
    return static_cast<std::uint32_t>(bars[index - 1].start >> 32);
  return 0;
}

}  // namespace nvmlkit::root
