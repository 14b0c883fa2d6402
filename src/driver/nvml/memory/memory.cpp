#include <algorithm>
#include <string_view>

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/processes/limits.hpp"
#include "sim/processes/occupants.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver::functions {
namespace {

// What is left of `total`, never below zero.
unsigned long long left(unsigned long long total, unsigned long long taken) {
  return total > taken ? total - taken : 0;
}

nvmlReturn_t memory_info(const Machine& machine, const Gpu& gpu, nvmlMemory_v2_t* memory) {
  if (!gpu.memory.total_bytes || sim::has(gpu, sim::Trait::integrated)) return NVML_ERROR_NOT_SUPPORTED;
  const auto now = sim::processes::memory_of_board(machine, gpu);
  memory->total = now.total;
  memory->reserved = now.reserved;
  memory->used = now.used;
  memory->free = now.free;
  return NVML_SUCCESS;
}

nvmlReturn_t result_of(sim::processes::Outcome outcome) {
  using sim::processes::Outcome;
  switch (outcome) {
    case Outcome::done:
      return NVML_SUCCESS;
    case Outcome::read_only:
      return NVML_ERROR_NO_PERMISSION;
    case Outcome::busy:
      return NVML_ERROR_TIMEOUT;
    case Outcome::full:
      return NVML_ERROR_INSUFFICIENT_RESOURCES;
    default:
      return NVML_ERROR_UNKNOWN;
  }
}

}  // namespace

// A process whose cgroup has a limit sees the part of the memory that is its cgroup's: the hard limit, what the cgroup
// uses of it, and what is left of both the limit and the GPU.
nvmlReturn_t DeviceGetMemoryInfo_v2(const Machine& machine, const Gpu& gpu, nvmlMemory_v2_t* memory) {
  if (const auto result = memory_info(machine, gpu, memory); result != NVML_SUCCESS) return result;
  const auto budget = sim::processes::own_budget(machine, machine.index_of(gpu), false);
  if (!budget || budget->hard >= memory->total) return NVML_SUCCESS;
  memory->total = budget->hard;
  memory->reserved = 0;
  memory->used = budget->used;
  memory->free = std::min<unsigned long long>(budget->left(), memory->free);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetMemoryLimits_v1(const Machine& machine, const Gpu& gpu, nvmlGetMemoryLimits_v1_t* limits) {
  if (!gpu.memory.total_bytes) return NVML_ERROR_NOT_SUPPORTED;
  if (!limits->nameSpace) return NVML_ERROR_INVALID_ARGUMENT;
  const auto cgroup = sim::processes::cgroup_at(limits->nameSpace);
  if (!cgroup) return NVML_ERROR_OPERATING_SYSTEM;
  const auto index = machine.index_of(gpu);
  const auto* known = sim::processes::limit_of(machine.process_table(index), *cgroup);
  if (!known) return NVML_ERROR_NOT_FOUND;
  limits->softLimit = known->soft;
  limits->hardLimit = known->hard;
  limits->currentUsed = sim::processes::held_in(machine, index, *cgroup);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetMemoryLimits_v1(const Machine& machine, const Gpu& gpu, nvmlSetMemoryLimits_v1_t* limits) {
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  unsigned long long total = 0;
  const auto read_total = [&] { return read(gpu.memory.total_bytes, &total); };
  if (const auto result = consistent(machine, machine.sequence(gpu), read_total); result != NVML_SUCCESS) return result;
  const auto exceeds = [&](unsigned long long limit) { return limit != DEVICE_MEMORY_LIMIT_MAX && limit > total; };
  if (!limits->nameSpace || limits->softLimit > limits->hardLimit || exceeds(limits->softLimit) ||
      exceeds(limits->hardLimit))
    return NVML_ERROR_INVALID_ARGUMENT;
  const auto cgroup = sim::processes::cgroup_at(limits->nameSpace);
  if (!cgroup) return NVML_ERROR_OPERATING_SYSTEM;
  sim::processes::MemoryLimit wanted{*cgroup, limits->softLimit, limits->hardLimit, {}};
  if (const std::string_view path = limits->nameSpace; path.size() < sizeof wanted.path.data) wanted.path = path;
  return result_of(sim::processes::set_limit(machine, machine.index_of(gpu), wanted));
}

// The first version knows no reserved memory and counts it as used, and it knows no cgroups.
nvmlReturn_t DeviceGetMemoryInfo(const Machine& machine, const Gpu& gpu, nvmlMemory_t* memory) {
  nvmlMemory_v2_t info{};
  if (const auto result = memory_info(machine, gpu, &info); result != NVML_SUCCESS) return result;
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
