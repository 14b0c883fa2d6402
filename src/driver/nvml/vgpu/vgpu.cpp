#include "driver/nvml/vgpu/vgpu.hpp"

#include <algorithm>

namespace nvmlkit::driver {

HostedType find_vgpu_type(const sim::Machine& machine, abi::nvmlVgpuTypeId_t id) {
  for (const auto& gpu : machine.gpus())
    if (const auto* type = sim::vgpu::type_by_id(gpu, id)) return {&gpu, type};
  return {};
}

abi::nvmlReturn_t find_vgpu(const sim::Machine& machine, abi::nvmlVgpuInstance_t id, sim::vgpu::Active& found) {
  if (id == 0) return abi::NVML_ERROR_INVALID_ARGUMENT;
  const auto active = sim::vgpu::find(machine, id);
  if (!active) return abi::NVML_ERROR_NOT_FOUND;
  found = *active;
  return abi::NVML_SUCCESS;
}

bool hosts_vgpus(const sim::Machine& machine) {
  return std::any_of(machine.gpus().begin(), machine.gpus().end(), sim::vgpu::is_host);
}

}  // namespace nvmlkit::driver
