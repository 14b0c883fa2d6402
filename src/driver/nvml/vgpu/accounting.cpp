// Accounting in VMs: the work of their processes on the vGPU. The VM needs a driver with accounting turned on.
#include <algorithm>

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/vgpu/vgpu.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::model::VgpuInstance;
using sim::model::VgpuProcess;
using sim::vgpu::Active;

nvmlReturn_t check(const VgpuInstance& instance) {
  if (!sim::vgpu::has_driver(instance)) return NVML_ERROR_DRIVER_NOT_LOADED;
  const bool on = instance.accounting && *instance.accounting == sim::model::EnableState::enabled;
  return on ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

template <class Answer>
nvmlReturn_t with_records(const Machine& machine, nvmlVgpuInstance_t id, Answer answer) {
  return on_vgpu(machine, id, [&](const Active& active) {
    const auto result = check(*active.instance);
    return result == NVML_SUCCESS ? answer(active) : result;
  });
}

}  // namespace

nvmlReturn_t VgpuInstanceGetAccountingMode(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                           nvmlEnableState_t* mode) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    if (!sim::vgpu::has_driver(*active.instance)) return NVML_ERROR_DRIVER_NOT_LOADED;
    *mode = static_cast<nvmlEnableState_t>(active.instance->accounting.value_or(NVML_FEATURE_DISABLED));
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetAccountingPids(const Machine& machine, nvmlVgpuInstance_t vgpuInstance, unsigned int* count,
                                           unsigned int* pids) {
  return with_records(machine, vgpuInstance, [&](const Active& active) {
    Filling<unsigned int> all{pids, *count};
    for (const auto& process : active.instance->processes) all.give(process.pid.value_or(0));
    return all.end(count);
  });
}

nvmlReturn_t VgpuInstanceGetAccountingStats(const Machine& machine, nvmlVgpuInstance_t vgpuInstance, unsigned int pid,
                                            nvmlAccountingStats_t* stats) {
  return with_records(machine, vgpuInstance, [&](const Active& active) {
    const auto processes = active.instance->processes.span();
    const auto found = std::find_if(processes.begin(), processes.end(),
                                    [&](const VgpuProcess& process) { return process.pid && *process.pid == pid; });
    if (found == processes.end()) return NVML_ERROR_NOT_FOUND;
    const bool running = !found->ended.value_or(false);
    const auto used = sim::vgpu::part_of(sim::vgpu::utilization_of(machine, active), active, *found);
    *stats = {};
    stats->gpuUtilization = used.gpu;
    stats->memoryUtilization = used.memory;
    stats->maxMemoryUsage = std::min<std::uint64_t>(found->used_memory_mib.value_or(0), UINT64_MAX >> 20) << 20;
    stats->time = running ? 0 : found->time_ms.value_or(0);
    stats->isRunning = running;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceClearAccountingPids(const Machine& machine, nvmlVgpuInstance_t vgpuInstance) {
  return change_vgpu(machine, vgpuInstance, [](VgpuInstance& instance) {
    if (const auto result = check(instance); result != NVML_SUCCESS) return result;
    const auto all = instance.processes.span();
    const auto end = std::remove_if(all.begin(), all.end(),
                                    [](const VgpuProcess& process) { return process.ended.value_or(false); });
    instance.processes.count = static_cast<std::uint32_t>(end - all.begin());
    return NVML_SUCCESS;
  });
}

}  // namespace nvmlkit::driver::functions
