// Creation, lists, lookup and destruction of compute instances.
#include "driver/nvml/call/access.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig/instances.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::mig::DeviceId;
using sim::setters::MigPlacement;

nvmlReturn_t create(const Machine& machine, nvmlGpuInstance_t handle, unsigned int profileId,
                    std::optional<MigPlacement> placement, nvmlComputeInstance_t* computeInstance) {
  const auto in = find_gpu_instance(machine, handle);
  if (!in) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  std::uint32_t id = 0;
  const auto result = edit_gpu(machine, *in->gpu, [&](Gpu& changed) {
    return result_of(sim::setters::create_compute_instance(changed, in->id, profileId, placement, id));
  });
  if (result == NVML_SUCCESS) *computeInstance = compute_instance_handle_of(index_of(machine, *in->gpu), {in->id, id});
  return result;
}

nvmlReturn_t info_of(const Machine& machine, nvmlComputeInstance_t handle, nvmlComputeInstanceInfo_t& info) {
  const auto id = find_compute_instance(machine, handle);
  const auto found = id ? sim::mig::find_device(*id->gpu, id->id) : std::nullopt;
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  const auto gpu = index_of(machine, *id->gpu);
  info.device = handle_of(gpu);
  info.gpuInstance = gpu_instance_handle_of(gpu, id->id.instance);
  info.id = id->id.compute;
  info.profileId = found->compute_profile.id;
  info.placement = {found->compute->start.value_or(0), found->compute_profile.size};
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t GpuInstanceCreateComputeInstance(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                              unsigned int profileId, nvmlComputeInstance_t* computeInstance) {
  return create(machine, gpuInstance, profileId, {}, computeInstance);
}

nvmlReturn_t GpuInstanceCreateComputeInstanceWithPlacement(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                           unsigned int profileId,
                                                           const nvmlComputeInstancePlacement_t* placement,
                                                           nvmlComputeInstance_t* computeInstance) {
  return create(machine, gpuInstance, profileId, MigPlacement{placement->start, placement->size}, computeInstance);
}

nvmlReturn_t ComputeInstanceDestroy(const Machine& machine, nvmlComputeInstance_t computeInstance) {
  const auto found = find_compute_instance(machine, computeInstance);
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  return edit_gpu(machine, *found->gpu, [&](Gpu& changed) {
    return result_of(sim::setters::destroy_compute_instance(machine, *found->gpu, changed, found->id));
  });
}

nvmlReturn_t GpuInstanceGetComputeInstances(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                            unsigned int profileId, nvmlComputeInstance_t* computeInstances,
                                            unsigned int* count) {
  InstanceRef in;
  if (!find(machine, gpuInstance, in)) return NVML_ERROR_INVALID_ARGUMENT;
  const auto profiles = sim::mig::compute_profiles(*in.gpu, *in.profile);
  if (!profiles.find(profileId)) return NVML_ERROR_NOT_SUPPORTED;
  unsigned int found = 0;
  for (const auto& compute : in.instance->compute_instances) {
    const auto profile = sim::mig::compute_profile_of(*in.gpu, *in.profile, compute);
    if (!profile || profile->id != profileId) continue;
    if (computeInstances)
      computeInstances[found] =
          compute_instance_handle_of(index_of(machine, *in.gpu), {in.instance->id.value_or(0), compute.id.value_or(0)});
    ++found;
  }
  *count = found;
  return NVML_SUCCESS;
}

nvmlReturn_t GpuInstanceGetComputeInstanceById(const Machine& machine, nvmlGpuInstance_t gpuInstance, unsigned int id,
                                               nvmlComputeInstance_t* computeInstance) {
  InstanceRef in;
  if (!find(machine, gpuInstance, in)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!sim::mig::find_compute(*in.instance, id)) return NVML_ERROR_NOT_FOUND;
  *computeInstance = compute_instance_handle_of(index_of(machine, *in.gpu), {in.instance->id.value_or(0), id});
  return NVML_SUCCESS;
}

nvmlReturn_t ComputeInstanceGetInfo_v2(const Machine& machine, nvmlComputeInstance_t computeInstance,
                                       nvmlComputeInstanceInfo_t* info) {
  return info_of(machine, computeInstance, *info);
}

// The first version ends before the placement.
nvmlReturn_t ComputeInstanceGetInfo(const Machine& machine, nvmlComputeInstance_t computeInstance,
                                    nvmlComputeInstanceInfo_t* info) {
  nvmlComputeInstanceInfo_t all{};
  const auto result = info_of(machine, computeInstance, all);
  if (result == NVML_SUCCESS) std::memcpy(info, &all, offsetof(nvmlComputeInstanceInfo_t, placement));
  return result;
}

}  // namespace nvmlkit::driver::functions
