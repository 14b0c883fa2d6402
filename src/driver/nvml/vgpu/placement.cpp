// Heterogeneous mode, and possible and actual places of vGPUs in the frame buffer.
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig/instances.hpp"
#include "driver/nvml/vgpu/vgpu.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::model::EnableState;
using sim::vgpu::Region;
using sim::vgpu::Starts;

bool has_heterogeneous_mode(const Gpu& gpu) {
  return sim::vgpu::is_host(gpu) && gpu.vgpu.heterogeneous_mode && !sim::mig::enabled(gpu);
}

// GPU instances have a mode of their own from Blackwell on.
bool has_mode_in_instances(const Gpu& gpu) { return sim::vgpu::is_host(gpu) && gpu.vgpu.mig_timeslicing; }

bool is_mode(unsigned int mode) { return mode == NVML_FEATURE_DISABLED || mode == NVML_FEATURE_ENABLED; }

// The caller's array has room for the most vGPUs of the type that there can be, says the header: `count` is its room.
nvmlReturn_t give(const Starts& starts, unsigned int room, unsigned int* count, unsigned int* out) {
  *count = starts.count;
  if (starts.count == 0) return NVML_SUCCESS;
  if (starts.count > room || !out) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (std::uint32_t i = 0; i < starts.count; ++i) out[i] = starts.items[i];
  return NVML_SUCCESS;
}

// The first version of the list has no mode: it speaks of heterogeneous mode. It is shorter, too, so that the members
// behind its end are not touched.
bool asks_heterogeneous(const nvmlVgpuPlacementList_t& list) {
  return list.version != version_tag<nvmlVgpuPlacementList_v2_t> ||
         list.mode == static_cast<unsigned int>(VGPU_PGPU_HETEROGENEOUS_MODE);
}

// These functions read the machine on their own terms: the answer overwrites the caller's data in the list.
template <class Choose>
nvmlReturn_t list_placements(const Machine& machine, const Gpu& gpu, nvmlVgpuTypeId_t id, nvmlVgpuPlacementList_t* list,
                             Choose choose) {
  const auto room = list->count;
  return consistent(machine, machine.sequence(gpu), [&]() -> nvmlReturn_t {
    if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
    const auto* type = sim::vgpu::type_by_id(gpu, id);
    if (!type) return NVML_ERROR_INVALID_ARGUMENT;
    const bool heterogeneous = asks_heterogeneous(*list);
    if (sim::vgpu::on_mig(*type) || (heterogeneous && !has_heterogeneous_mode(gpu))) return NVML_ERROR_NOT_SUPPORTED;
    const Region region{&gpu, {}};
    Starts starts;
    if (!choose(region, *type, heterogeneous, starts)) return NVML_ERROR_NOT_SUPPORTED;
    list->placementSize = sim::vgpu::placements(region, *type, heterogeneous).size;
    return give(starts, room, &list->count, list->placementIds);
  });
}

}  // namespace

nvmlReturn_t DeviceGetVgpuHeterogeneousMode(const Machine&, const Gpu& gpu,
                                            nvmlVgpuHeterogeneousMode_t* pHeterogeneousMode) {
  if (!has_heterogeneous_mode(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  return read(gpu.vgpu.heterogeneous_mode, &pHeterogeneousMode->mode);
}

nvmlReturn_t DeviceSetVgpuHeterogeneousMode(const Machine&, Gpu& gpu,
                                            const nvmlVgpuHeterogeneousMode_t* pHeterogeneousMode) {
  if (!has_heterogeneous_mode(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_mode(pHeterogeneousMode->mode)) return NVML_ERROR_INVALID_ARGUMENT;
  if (sim::vgpu::any(gpu)) return NVML_ERROR_IN_USE;
  gpu.vgpu.heterogeneous_mode = pHeterogeneousMode->mode;
  return NVML_SUCCESS;
}

nvmlReturn_t GpuInstanceGetVgpuHeterogeneousMode(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                 nvmlVgpuHeterogeneousMode_t* pHeterogeneousMode) {
  InstanceRef found;
  if (!find(machine, gpuInstance, found)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!has_mode_in_instances(*found.gpu)) return NVML_ERROR_NOT_SUPPORTED;
  pHeterogeneousMode->mode = sim::vgpu::heterogeneous(*found.gpu, *found.instance->id);
  return NVML_SUCCESS;
}

nvmlReturn_t GpuInstanceSetVgpuHeterogeneousMode(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                 const nvmlVgpuHeterogeneousMode_t* pHeterogeneousMode) {
  const auto id = find_gpu_instance(machine, gpuInstance);
  if (!id) return NVML_ERROR_INVALID_ARGUMENT;
  return edit_gpu(machine, *id->gpu, [&](Gpu& gpu) {
    if (!sim::mig::enabled(gpu) || !sim::mig::find_instance(gpu, id->id)) return NVML_ERROR_INVALID_ARGUMENT;
    if (!has_mode_in_instances(gpu)) return NVML_ERROR_NOT_SUPPORTED;
    if (!is_mode(pHeterogeneousMode->mode)) return NVML_ERROR_INVALID_ARGUMENT;
    if (sim::vgpu::any_on(gpu, id->id)) return NVML_ERROR_IN_USE;
    auto* said = sim::vgpu::settings_of(gpu, id->id);
    if (!said) return NVML_ERROR_INSUFFICIENT_RESOURCES;
    said->heterogeneous_mode = pHeterogeneousMode->mode;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetPlacementId(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                        nvmlVgpuPlacementId_t* pPlacement) {
  return on_vgpu(machine, vgpuInstance, [&](const sim::vgpu::Active& active) {
    const auto& instance = *active.instance;
    const Region region{active.gpu, instance.gpu_instance ? std::optional(*instance.gpu_instance) : std::nullopt};
    pPlacement->placementId = region.heterogeneous() && instance.placement
                                  ? *instance.placement
                                  : static_cast<unsigned int>(INVALID_VGPU_PLACEMENT_ID);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t DeviceGetVgpuTypeSupportedPlacements(const Machine& machine, const Gpu& gpu, nvmlVgpuTypeId_t vgpuTypeId,
                                                  nvmlVgpuPlacementList_t* pPlacementList) {
  return list_placements(machine, gpu, vgpuTypeId, pPlacementList,
                         [](const Region& region, const sim::vgpu::Type& type, bool heterogeneous, Starts& out) {
                           const auto all = sim::vgpu::placements(region, type, heterogeneous);
                           for (; out.count < all.count && out.count < out.items.size(); ++out.count)
                             out.items[out.count] = all.at(out.count);
                           return true;
                         });
}

// Only of the mode that the GPU is in.
nvmlReturn_t DeviceGetVgpuTypeCreatablePlacements(const Machine& machine, const Gpu& gpu, nvmlVgpuTypeId_t vgpuTypeId,
                                                  nvmlVgpuPlacementList_t* pPlacementList) {
  return list_placements(machine, gpu, vgpuTypeId, pPlacementList,
                         [](const Region& region, const sim::vgpu::Type& type, bool heterogeneous, Starts& out) {
                           if (region.heterogeneous() != heterogeneous) return false;
                           if (sim::vgpu::room(region, type) > 0)
                             out = sim::vgpu::free_starts(region, type, heterogeneous);
                           return true;
                         });
}

nvmlReturn_t GpuInstanceGetVgpuTypeCreatablePlacements(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                                       nvmlVgpuCreatablePlacementInfo_t* pCreatablePlacementInfo) {
  InstanceRef found;
  if (!find(machine, gpuInstance, found)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!has_mode_in_instances(*found.gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto* type = sim::vgpu::type_by_id(*found.gpu, pCreatablePlacementInfo->vgpuTypeId);
  if (!type) return NVML_ERROR_INVALID_ARGUMENT;
  const auto id = *found.instance->id;
  const Region region{found.gpu, id};
  if (type->profile != found.profile->name->view() || !region.heterogeneous()) return NVML_ERROR_NOT_SUPPORTED;
  pCreatablePlacementInfo->placementSize = sim::vgpu::placements(region, *type, true).size;
  return give(sim::vgpu::free_starts(region, *type, true), pCreatablePlacementInfo->count,
              &pCreatablePlacementInfo->count, pCreatablePlacementInfo->placementIds);
}

}  // namespace nvmlkit::driver::functions
