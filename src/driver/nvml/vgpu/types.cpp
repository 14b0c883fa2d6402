// vGPU types: lists, properties, remaining capacity.
#include <algorithm>
#include <bit>

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig/instances.hpp"
#include "driver/nvml/vgpu/vgpu.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::vgpu::Type;

template <class Answer>
nvmlReturn_t on_type(const Machine& machine, nvmlVgpuTypeId_t id, Answer answer) {
  const auto found = find_vgpu_type(machine, id);
  return found ? answer(*found.gpu, *found.type) : NVML_ERROR_INVALID_ARGUMENT;
}

// A number of the type's.
template <class Out, class Value>
nvmlReturn_t number(const Machine& machine, nvmlVgpuTypeId_t id, Out* out, Value value) {
  return on_type(machine, id, [&](const Gpu& gpu, const Type& type) {
    *out = static_cast<Out>(value(gpu, type));
    return NVML_SUCCESS;
  });
}

// All of a GPU: what works only then.
bool is_whole(const Gpu& gpu, const Type& type) {
  return !sim::vgpu::on_mig(type) && sim::vgpu::max_instances(gpu, type) == 1;
}

}  // namespace

nvmlReturn_t DeviceGetSupportedVgpus(const Machine&, const Gpu& gpu, unsigned int* vgpuCount,
                                     nvmlVgpuTypeId_t* vgpuTypeIds) {
  if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  Filling<nvmlVgpuTypeId_t> all{vgpuTypeIds, *vgpuCount};
  for (const auto& type : sim::vgpu::types_of(gpu)) all.give(type.id);
  return all.end(vgpuCount);
}

nvmlReturn_t DeviceGetCreatableVgpus(const Machine&, const Gpu& gpu, unsigned int* vgpuCount,
                                     nvmlVgpuTypeId_t* vgpuTypeIds) {
  if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  Filling<nvmlVgpuTypeId_t> all{vgpuTypeIds, *vgpuCount};
  for (const auto& type : sim::vgpu::types_of(gpu))
    if (sim::vgpu::creatable(gpu, type)) all.give(type.id);
  return all.end(vgpuCount);
}

nvmlReturn_t GpuInstanceGetCreatableVgpus(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                          nvmlVgpuTypeIdInfo_t* pVgpus) {
  InstanceRef found;
  if (!find(machine, gpuInstance, found)) return NVML_ERROR_INVALID_ARGUMENT;
  const auto& gpu = *found.gpu;
  if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  Filling<nvmlVgpuTypeId_t> all{pVgpus->vgpuTypeIds, pVgpus->vgpuCount};
  for (const auto& type : sim::vgpu::types_of(gpu))
    if (sim::vgpu::on_mig(type) && sim::vgpu::region_for(gpu, type, found.instance->id.value_or(0))) all.give(type.id);
  return all.end(&pVgpus->vgpuCount);
}

nvmlReturn_t VgpuTypeGetClass(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId, char* vgpuTypeClass,
                              unsigned int* size) {
  return on_type(machine, vgpuTypeId,
                 [&](const Gpu&, const Type& type) { return give_text(type.series->type_class, vgpuTypeClass, size); });
}

nvmlReturn_t VgpuTypeGetName(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId, char* vgpuTypeName,
                             unsigned int* size) {
  return on_type(machine, vgpuTypeId,
                 [&](const Gpu&, const Type& type) { return give_text(type.name, vgpuTypeName, size); });
}

nvmlReturn_t VgpuTypeGetLicense(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId, char* vgpuTypeLicenseString,
                                unsigned int size) {
  return on_type(machine, vgpuTypeId, [&](const Gpu&, const Type& type) {
    return write_text(type.series->license, vgpuTypeLicenseString, size);
  });
}

nvmlReturn_t VgpuTypeGetGpuInstanceProfileId(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                             unsigned int* gpuInstanceProfileId) {
  return number(machine, vgpuTypeId, gpuInstanceProfileId, [](const Gpu& gpu, const Type& type) {
    const auto* profile = sim::vgpu::on_mig(type) ? sim::mig::profile_by_name(gpu, type.profile) : nullptr;
    return profile ? profile->id.value_or(0) : k_INVALID_GPU_INSTANCE_PROFILE_ID;
  });
}

nvmlReturn_t VgpuTypeGetDeviceID(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId, unsigned long long* deviceID,
                                 unsigned long long* subsystemID) {
  return on_type(machine, vgpuTypeId, [&](const Gpu&, const Type& type) {
    *deviceID = type.device_id;
    *subsystemID = type.subsystem_id;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuTypeGetFramebufferSize(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                        unsigned long long* fbSize) {
  return number(machine, vgpuTypeId, fbSize, [](const Gpu&, const Type& t) { return sim::vgpu::memory_bytes(t); });
}

nvmlReturn_t VgpuTypeGetFbReservation(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                      unsigned long long* fbReservation) {
  return number(machine, vgpuTypeId, fbReservation,
                [](const Gpu&, const Type& type) { return sim::vgpu::reserved_bytes(type); });
}

// Only where the GPU runs GSP firmware.
nvmlReturn_t VgpuTypeGetGspHeapSize(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                    unsigned long long* gspHeapSize) {
  return number(machine, vgpuTypeId, gspHeapSize, [](const Gpu& gpu, const Type& type) {
    const bool gsp = gpu.gsp_firmware.mode && *gpu.gsp_firmware.mode == sim::model::EnableState::enabled;
    return gsp ? sim::vgpu::gsp_heap_bytes(type) : 0;
  });
}

nvmlReturn_t VgpuTypeGetNumDisplayHeads(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                        unsigned int* numDisplayHeads) {
  return number(machine, vgpuTypeId, numDisplayHeads, [](const Gpu&, const Type& t) { return t.series->heads; });
}

nvmlReturn_t VgpuTypeGetResolution(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId, unsigned int displayIndex,
                                   unsigned int* xdim, unsigned int* ydim) {
  return on_type(machine, vgpuTypeId, [&](const Gpu&, const Type& type) {
    if (displayIndex >= type.series->heads) return NVML_ERROR_INVALID_ARGUMENT;
    *xdim = type.width;
    *ydim = type.height;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuTypeGetFrameRateLimit(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                       unsigned int* frameRateLimit) {
  return number(machine, vgpuTypeId, frameRateLimit,
                [](const Gpu&, const Type& type) { return type.series->frame_rate_limit; });
}

nvmlReturn_t VgpuTypeGetMaxInstances(const Machine&, const Gpu& gpu, nvmlVgpuTypeId_t vgpuTypeId,
                                     unsigned int* vgpuInstanceCount) {
  const auto* type = sim::vgpu::type_by_id(gpu, vgpuTypeId);
  if (!type) return NVML_ERROR_INVALID_ARGUMENT;
  *vgpuInstanceCount = sim::vgpu::max_instances(gpu, *type);
  return NVML_SUCCESS;
}

nvmlReturn_t VgpuTypeGetMaxInstancesPerVm(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                          unsigned int* vgpuInstanceCountPerVm) {
  return number(machine, vgpuTypeId, vgpuInstanceCountPerVm,
                [](const Gpu&, const Type& type) { return sim::vgpu::on_mig(type) ? 1 : type.series->max_per_vm; });
}

nvmlReturn_t VgpuTypeGetMaxInstancesPerGpuInstance(const Machine& machine, nvmlVgpuTypeMaxInstance_t* pMaxInstance) {
  return on_type(machine, pMaxInstance->vgpuTypeId, [&](const Gpu& gpu, const Type& type) {
    if (!sim::vgpu::on_mig(type)) return NVML_ERROR_NOT_SUPPORTED;
    pMaxInstance->maxInstancePerGI = sim::vgpu::max_per_gpu_instance(gpu, type);
    return NVML_SUCCESS;
  });
}

// Compute types map all of their memory, the others 256 MB; an estimate.
nvmlReturn_t VgpuTypeGetBAR1Info(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                 nvmlVgpuTypeBar1Info_t* bar1Info) {
  return number(machine, vgpuTypeId, &bar1Info->bar1Size, [](const Gpu& gpu, const Type& type) {
    constexpr std::uint64_t kSmall = 256;
    const auto all = std::bit_ceil(std::uint64_t{type.memory_gb} * 1024);
    const auto most = std::max(gpu.bar1_memory.total_bytes.value_or(0) >> 20, kSmall);
    return type.series->letter == 'C' ? std::min(all, most) : kSmall;
  });
}

nvmlReturn_t VgpuTypeGetCapabilities(const Machine& machine, nvmlVgpuTypeId_t vgpuTypeId,
                                     nvmlVgpuCapability_t capability, unsigned int* capResult) {
  return number(machine, vgpuTypeId, capResult, [&](const Gpu& gpu, const Type& type) {
    const bool compute = type.series->letter == 'C';
    switch (capability) {
      case NVML_VGPU_CAP_NVLINK_P2P:
        return compute && is_whole(gpu, type) && machine.host().nvlink.links_per_gpu.value_or(0) > 0;
      case NVML_VGPU_CAP_GPUDIRECT:
        return compute && (is_whole(gpu, type) || sim::vgpu::on_mig(type));
      case NVML_VGPU_CAP_MULTI_VGPU_EXCLUSIVE:
        return type.series->max_per_vm == 1;
      case NVML_VGPU_CAP_EXCLUSIVE_SIZE:  // GPUs without heterogeneous mode
        return !sim::vgpu::on_mig(type) && !gpu.vgpu.heterogeneous_mode;
      default:
        return false;
    }
  });
}

}  // namespace nvmlkit::driver::functions
