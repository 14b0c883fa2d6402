#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/processes/occupants.hpp"

namespace nvmlkit::driver::functions {
namespace {

// What is left of `total`, never below zero.
unsigned long long left(unsigned long long total, unsigned long long taken) {
  return total > taken ? total - taken : 0;
}

}  // namespace

nvmlReturn_t DeviceGetMemoryInfo_v2(const Machine& machine, const Gpu& gpu, nvmlMemory_v2_t* memory) {
  if (!gpu.memory.total_bytes) return NVML_ERROR_NOT_SUPPORTED;
  const auto now = sim::processes::memory_of_board(machine, gpu);
  memory->total = now.total;
  memory->reserved = now.reserved;
  memory->used = now.used;
  memory->free = now.free;
  return NVML_SUCCESS;
}

// The first version knows no reserved memory and counts it as used.
nvmlReturn_t DeviceGetMemoryInfo(const Machine& machine, const Gpu& gpu, nvmlMemory_t* memory) {
  nvmlMemory_v2_t info{};
  if (const auto result = DeviceGetMemoryInfo_v2(machine, gpu, &info); result != NVML_SUCCESS) return result;
  memory->total = info.total;
  memory->free = info.free;
  memory->used = info.used + info.reserved;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetBAR1MemoryInfo(const Machine&, const Gpu& gpu, nvmlBAR1Memory_t* bar1Memory) {
  const auto& bar1 = gpu.bar1_memory;
  if (!bar1.total_bytes) return NVML_ERROR_NOT_SUPPORTED;
  bar1Memory->bar1Total = *bar1.total_bytes;
  bar1Memory->bar1Used = bar1.used_bytes.value_or(0);
  bar1Memory->bar1Free = bar1.free_bytes.value_or(left(bar1Memory->bar1Total, bar1Memory->bar1Used));
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
