// Profiles of GPU instances and compute instances: contents, placements, remaining capacity.
#include <cstring>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig/handles.hpp"
#include "driver/nvml/mig/instances.hpp"
#include "sim/mig/placement.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::driver {

bool tells_profiles(const sim::model::Gpu& gpu) {
  return sim::mig::enabled(gpu) || (sim::mig::supported(gpu) && gpu.mig.query_without_mode.value_or(true));
}

namespace functions {
namespace {

using sim::mig::ComputeProfile;
using sim::model::MigProfile;

template <class Info>
void tell(const MigProfile& profile, Info& info) {
  info.id = profile.id.value_or(0);
  info.sliceCount = sim::mig::compute_slices(profile);
  info.instanceCount = profile.instances.value_or(0);
  info.multiprocessorCount = profile.sm.value_or(0);
  info.copyEngineCount = profile.ce.value_or(0);
  info.decoderCount = profile.dec.value_or(0);
  info.encoderCount = profile.enc.value_or(0);
  info.jpegCount = profile.jpeg.value_or(0);
  info.ofaCount = profile.ofa.value_or(0);
  info.memorySizeMB = profile.memory_mib.value_or(0);
}

template <class Info>
void tell(const MigProfile& profile, const ComputeProfile& compute, Info& info) {
  info.id = compute.id;
  info.sliceCount = compute.slices;
  info.instanceCount = compute.instances;
  info.multiprocessorCount = compute.sm;
  info.sharedCopyEngineCount = profile.ce.value_or(0);
  info.sharedDecoderCount = profile.dec.value_or(0);
  info.sharedEncoderCount = profile.enc.value_or(0);
  info.sharedJpegCount = profile.jpeg.value_or(0);
  info.sharedOfaCount = profile.ofa.value_or(0);
}

template <std::size_t N>
void tell_name(std::string_view name, char (&out)[N]) {
  std::memset(out, 0, N);
  std::memcpy(out, "MIG ", 4);
  std::memcpy(out + 4, name.data(), std::min(name.size(), N - 5));
}

unsigned int branch_of(const Machine& machine) {
  const auto& version = machine.system().driver_version;
  return version ? sim::branch_number(version->view()) : 0;
}

// The version selects one of two layouts of the same size. Branch 580 leaves the name of the newer one empty.
void tell_versioned(const Machine& machine, const MigProfile& profile, nvmlGpuInstanceProfileInfo_v2_t* info) {
  const auto name = profile.name ? profile.name->view() : std::string_view();
  const unsigned int p2p = profile.p2p.value_or(false) ? 1 : 0;
  if (info->version == version_tag<nvmlGpuInstanceProfileInfo_v2_t>) {
    tell(profile, *info);
    info->isP2pSupported = p2p;
    return tell_name(name, info->name);
  }
  nvmlGpuInstanceProfileInfo_v3_t v3{};
  v3.version = info->version;
  tell(profile, v3);
  if (branch_of(machine) != 580) tell_name(name, v3.name);
  v3.capabilities = (p2p != 0 ? GPU_INSTANCE_PROFILE_CAPS_P2P : 0) |
                    (sim::mig::has_graphics(profile) ? GPU_INSTANCE_PROFILE_CAPS_GFX : 0);
  static_assert(sizeof v3 == sizeof *info);
  std::memcpy(info, &v3, sizeof v3);
}

// The profile of a number: one behind the last constant of the driver's header is wrong, one that the GPU lacks not
// supported. The header of branch 595 has a constant more than those before.
nvmlReturn_t find(const Machine& machine, const Gpu& gpu, unsigned int number, const MigProfile*& profile) {
  const auto branch = branch_of(machine);
  const bool older = branch != 0 && branch < 595;
  const unsigned int count = older ? GPU_INSTANCE_PROFILE_3_SLICE_GFX : GPU_INSTANCE_PROFILE_COUNT;
  if (number >= count) return NVML_ERROR_INVALID_ARGUMENT;
  profile = tells_profiles(gpu) ? sim::mig::profile_by_number(gpu, number) : nullptr;
  return profile ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

template <class Placement>
nvmlReturn_t fill_starts(std::size_t needed, Placement* placements, unsigned int* count, auto placement_at) {
  *count = static_cast<unsigned int>(needed);
  for (std::size_t i = 0; placements && i < needed; ++i) placements[i] = placement_at(i);
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceGetGpuInstanceProfileInfo(const Machine& machine, const Gpu& gpu, unsigned int profile,
                                             nvmlGpuInstanceProfileInfo_t* info) {
  const MigProfile* found = nullptr;
  if (const auto result = find(machine, gpu, profile, found); result != NVML_SUCCESS) return result;
  tell(*found, *info);
  info->isP2pSupported = found->p2p.value_or(false) ? 1 : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetGpuInstanceProfileInfoV(const Machine& machine, const Gpu& gpu, unsigned int profile,
                                              nvmlGpuInstanceProfileInfo_v2_t* info) {
  const MigProfile* found = nullptr;
  if (const auto result = find(machine, gpu, profile, found); result != NVML_SUCCESS) return result;
  tell_versioned(machine, *found, info);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetGpuInstanceProfileInfoByIdV(const Machine& machine, const Gpu& gpu, unsigned int profileId,
                                                  nvmlGpuInstanceProfileInfo_v2_t* info) {
  if (!tells_profiles(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto* found = sim::mig::profile_by_id(gpu, profileId);
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  tell_versioned(machine, *found, info);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetGpuInstancePossiblePlacements_v2(const Machine&, const Gpu& gpu, unsigned int profileId,
                                                       nvmlGpuInstancePlacement_t* placements, unsigned int* count) {
  if (!tells_profiles(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto* found = sim::mig::profile_by_id(gpu, profileId);
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  const auto starts = found->starts.span();
  return fill_starts(starts.size(), placements, count, [&](std::size_t i) {
    return nvmlGpuInstancePlacement_t{starts[i], found->size.value_or(0)};
  });
}

// The first version does not know the one profile with all media engines.
nvmlReturn_t DeviceGetGpuInstancePossiblePlacements(const Machine& machine, const Gpu& gpu, unsigned int profileId,
                                                    nvmlGpuInstancePlacement_t* placements, unsigned int* count) {
  const auto* found = sim::mig::profile_by_id(gpu, profileId);
  if (found && found == sim::mig::profile_by_number(gpu, GPU_INSTANCE_PROFILE_1_SLICE_REV1))
    return NVML_ERROR_NOT_SUPPORTED;
  return DeviceGetGpuInstancePossiblePlacements_v2(machine, gpu, profileId, placements, count);
}

// With the mode off, the capacity of the empty GPU: nvidia-smi from 550 on asks for it then, too.
nvmlReturn_t DeviceGetGpuInstanceRemainingCapacity(const Machine&, const Gpu& gpu, unsigned int profileId,
                                                   unsigned int* count) {
  if (!tells_profiles(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto* found = sim::mig::profile_by_id(gpu, profileId);
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  *count = sim::mig::capacity(gpu, *found);
  return NVML_SUCCESS;
}

namespace {

// The GPU instance of a handle with its profile, and a compute instance profile of it.
struct Found {
  InstanceRef in;
  ComputeProfile compute;
};

nvmlReturn_t find_compute(const Machine& machine, nvmlGpuInstance_t handle, unsigned int id, Found& found) {
  if (!find(machine, handle, found.in)) return NVML_ERROR_INVALID_ARGUMENT;
  const auto profiles = sim::mig::compute_profiles(*found.in.gpu, *found.in.profile);
  const auto* compute = profiles.find(id);
  if (!compute) return NVML_ERROR_NOT_SUPPORTED;
  found.compute = *compute;
  return NVML_SUCCESS;
}

nvmlReturn_t find_number(const Machine& machine, nvmlGpuInstance_t handle, unsigned int profile,
                         unsigned int engProfile, Found& found) {
  if (profile >= COMPUTE_INSTANCE_PROFILE_COUNT || engProfile >= COMPUTE_INSTANCE_ENGINE_PROFILE_COUNT)
    return NVML_ERROR_INVALID_ARGUMENT;
  return find_compute(machine, handle, profile, found);
}

}  // namespace

nvmlReturn_t GpuInstanceGetComputeInstanceProfileInfo(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                      unsigned int profile, unsigned int engProfile,
                                                      nvmlComputeInstanceProfileInfo_t* info) {
  Found found;
  if (const auto result = find_number(machine, gpuInstance, profile, engProfile, found); result != NVML_SUCCESS)
    return result;
  tell(*found.in.profile, found.compute, *info);
  return NVML_SUCCESS;
}

nvmlReturn_t GpuInstanceGetComputeInstanceProfileInfoV(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                       unsigned int profile, unsigned int engProfile,
                                                       nvmlComputeInstanceProfileInfo_v2_t* info) {
  Found found;
  if (const auto result = find_number(machine, gpuInstance, profile, engProfile, found); result != NVML_SUCCESS)
    return result;
  tell(*found.in.profile, found.compute, *info);
  tell_name(sim::mig::compute_name(*found.in.profile, found.compute).view(), info->name);
  if (info->version == version_tag<nvmlComputeInstanceProfileInfo_v3_t>)  // the same, and one member more
    reinterpret_cast<nvmlComputeInstanceProfileInfo_v3_t*>(info)->capabilities =
        sim::mig::has_graphics(*found.in.profile) ? COMPUTE_INSTANCE_PROFILE_CAPS_GFX : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t GpuInstanceGetComputeInstanceRemainingCapacity(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                            unsigned int profileId, unsigned int* count) {
  Found found;
  if (const auto result = find_compute(machine, gpuInstance, profileId, found); result != NVML_SUCCESS) return result;
  *count = sim::mig::capacity(*found.in.gpu, *found.in.instance, found.compute);
  return NVML_SUCCESS;
}

nvmlReturn_t GpuInstanceGetComputeInstancePossiblePlacements(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                             unsigned int profileId,
                                                             nvmlComputeInstancePlacement_t* placements,
                                                             unsigned int* count) {
  Found found;
  if (const auto result = find_compute(machine, gpuInstance, profileId, found); result != NVML_SUCCESS) return result;
  const auto needed = sim::mig::last_compute_start(*found.in.profile, found.compute) + 1;
  return fill_starts(needed, placements, count, [&](std::size_t i) {
    return nvmlComputeInstancePlacement_t{static_cast<unsigned int>(i), found.compute.size};
  });
}

}  // namespace functions
}  // namespace nvmlkit::driver
