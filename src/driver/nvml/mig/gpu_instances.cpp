// Creation, lists, lookup and destruction of GPU instances.
#include "driver/nvml/call/access.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig/instances.hpp"

namespace nvmlkit::driver {

bool find(const sim::Machine& machine, abi::nvmlGpuInstance_t handle, InstanceRef& found) {
  const auto id = find_gpu_instance(machine, handle);
  if (!id || !sim::mig::enabled(*id->gpu)) return false;
  found.gpu = id->gpu;
  found.instance = sim::mig::find_instance(*id->gpu, id->id);
  found.profile = found.instance ? sim::mig::profile_of(*id->gpu, *found.instance) : nullptr;
  return found.profile != nullptr;
}

abi::nvmlReturn_t result_of(sim::setters::MigRefusal refusal) {
  using sim::setters::MigRefusal;
  switch (refusal) {
    case MigRefusal::none:
      return abi::NVML_SUCCESS;
    case MigRefusal::not_supported:
    case MigRefusal::no_profile:
      return abi::NVML_ERROR_NOT_SUPPORTED;
    case MigRefusal::no_instance:
    case MigRefusal::no_placement:
      return abi::NVML_ERROR_INVALID_ARGUMENT;
    case MigRefusal::insufficient:
      return abi::NVML_ERROR_INSUFFICIENT_RESOURCES;
    case MigRefusal::in_use:
      break;
  }
  return abi::NVML_ERROR_IN_USE;
}

namespace functions {
namespace {

using sim::setters::MigPlacement;
using sim::setters::MigRefusal;

nvmlReturn_t create(const Machine& machine, const Gpu& gpu, unsigned int profileId,
                    std::optional<MigPlacement> placement, nvmlGpuInstance_t* gpuInstance) {
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  std::uint32_t id = 0;
  const auto result = edit_gpu(machine, gpu, [&](Gpu& changed) {
    const auto refusal = sim::setters::create_gpu_instance(machine, gpu, changed, profileId, placement, id);
    return refusal == MigRefusal::no_profile ? NVML_ERROR_INVALID_ARGUMENT : result_of(refusal);
  });
  if (result == NVML_SUCCESS) *gpuInstance = gpu_instance_handle_of(index_of(machine, gpu), id);
  return result;
}

}  // namespace

nvmlReturn_t DeviceCreateGpuInstance(const Machine& machine, const Gpu& gpu, unsigned int profileId,
                                     nvmlGpuInstance_t* gpuInstance) {
  return create(machine, gpu, profileId, {}, gpuInstance);
}

nvmlReturn_t DeviceCreateGpuInstanceWithPlacement(const Machine& machine, const Gpu& gpu, unsigned int profileId,
                                                  const nvmlGpuInstancePlacement_t* placement,
                                                  nvmlGpuInstance_t* gpuInstance) {
  return create(machine, gpu, profileId, MigPlacement{placement->start, placement->size}, gpuInstance);
}

nvmlReturn_t GpuInstanceDestroy(const Machine& machine, nvmlGpuInstance_t gpuInstance) {
  const auto id = find_gpu_instance(machine, gpuInstance);
  if (!id) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  return edit_gpu(machine, *id->gpu, [&](Gpu& changed) {
    return result_of(sim::setters::destroy_gpu_instance(machine, *id->gpu, changed, id->id));
  });
}

nvmlReturn_t DeviceGetGpuInstances(const Machine& machine, const Gpu& gpu, unsigned int profileId,
                                   nvmlGpuInstance_t* gpuInstances, unsigned int* count) {
  if (!tells_profiles(gpu)) return NVML_ERROR_NOT_SUPPORTED;  // with the mode off, none is there
  const auto* profile = sim::mig::profile_by_id(gpu, profileId);
  if (!profile) return NVML_ERROR_INVALID_ARGUMENT;
  unsigned int found = 0;
  for (const auto& instance : gpu.mig.instances) {
    if (sim::mig::profile_of(gpu, instance) != profile) continue;
    if (gpuInstances) gpuInstances[found] = gpu_instance_handle_of(index_of(machine, gpu), instance.id.value_or(0));
    ++found;
  }
  *count = found;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetGpuInstanceById(const Machine& machine, const Gpu& gpu, unsigned int id,
                                      nvmlGpuInstance_t* gpuInstance) {
  if (!tells_profiles(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!sim::mig::enabled(gpu) || !sim::mig::find_instance(gpu, id)) return NVML_ERROR_NOT_FOUND;
  *gpuInstance = gpu_instance_handle_of(index_of(machine, gpu), id);
  return NVML_SUCCESS;
}

nvmlReturn_t GpuInstanceGetInfo(const Machine& machine, nvmlGpuInstance_t gpuInstance, nvmlGpuInstanceInfo_t* info) {
  InstanceRef found;
  if (!find(machine, gpuInstance, found)) return NVML_ERROR_INVALID_ARGUMENT;
  info->device = handle_of(index_of(machine, *found.gpu));
  info->id = found.instance->id.value_or(0);
  info->profileId = found.profile->id.value_or(0);
  info->placement = {found.instance->start.value_or(0), found.profile->size.value_or(0)};
  return NVML_SUCCESS;
}

}  // namespace functions
}  // namespace nvmlkit::driver
