// Memory: the frame buffer, its window on PCIe, the protected part; the compute mode stands behind them.
#include <fmt/format.h>

#include "smi/log/row.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::Bar1Memory;
using nvml::Device;
using nvml::Memory;

// Whole MiB of the window are cut off in every version, and what is not used is free.
unsigned long long whole(nvml::Bytes bytes) { return static_cast<unsigned long long>(bytes.count()) >> 20; }
std::string window_used(const Gpu& gpu) {
  return shown_as<&Gpu::bar1, &Bar1Memory::used>(gpu,
                                                 [](nvml::Bytes used) { return fmt::format("{} MiB", whole(used)); });
}
std::string window_free(const Gpu& gpu) {
  const auto& bar1 = gpu.bar1();
  return bar1 ? fmt::format("{} MiB", whole(bar1->total) - whole(bar1->used)) : gpu.failure(bar1.error());
}

constexpr Sections kMemory = Section::kLog | Section::kMemory;

// clang-format off
constexpr Row kMemoryRows[] = {
    {1, "FB Memory Usage", "fb_memory_usage", nullptr, kAlways, nullptr, kMemory},
    {2, "Total", "total", show<&Gpu::memory, &Memory::total>},
    {2, "Reserved", "reserved", show<&Gpu::memory, &Memory::reserved>},
    {2, "Used", "used", show<&Gpu::memory, &Memory::used>},
    {2, "Free", "free", show<&Gpu::memory, &Memory::free>},
    {1, "BAR1 Memory Usage", "bar1_memory_usage", nullptr, kAlways, nullptr, kMemory},
    {2, "Total", "total", show<&Gpu::bar1, &Bar1Memory::total>},
    {2, "Used", "used", window_used},
    {2, "Free", "free", window_free},
    {1, "Conf Compute Protected Memory Usage", "cc_protected_memory_usage", nullptr, kAlways, nullptr, kMemory},
    {2, "Total", "total", show<&Gpu::protected_memory, &Memory::total>},
    {2, "Used", "used", show<&Gpu::protected_memory, &Memory::used>},
    {2, "Free", "free", show<&Gpu::protected_memory, &Memory::free>},
    {1, "Compute Mode", "compute_mode", show<&Device::compute_mode>, kAlways, nullptr, Section::kLog | Section::kCompute},
};
// clang-format on

}  // namespace

std::span<const Row> memory_rows() { return kMemoryRows; }

}  // namespace nvmlkit::smi
