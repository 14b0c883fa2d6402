// Memory: the frame buffer, its window on PCIe, the protected part; the compute mode stands behind them.
#include "smi/log/row.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::Bar1Memory;
using nvml::Device;
using nvml::Memory;

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
    {2, "Used", "used", show<&Gpu::bar1, &Bar1Memory::used>},
    {2, "Free", "free", show<&Gpu::bar1, &Bar1Memory::free>},
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
