// Active vGPUs: lists, owners, properties.
#include "driver/nvml/mig/instances.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/vgpu/license_expiry.hpp"
#include "driver/nvml/vgpu/vgpu.hpp"
#include "sim/vgpu/scheduler.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::vgpu::Active;

bool is_licensed(const Active& active) {
  return active.instance->license.value_or(GRID_LICENSE_STATE_UNKNOWN) ==
         static_cast<std::uint32_t>(GRID_LICENSE_STATE_LICENSED);
}

// A text that every active vGPU has; a damaged state may lack it.
template <std::size_t N>
nvmlReturn_t text(const sim::model::Field<sim::model::Text<N>>& field, char* buffer, unsigned int size) {
  return write_text(field ? field->view() : std::string_view(), buffer, size);
}

}  // namespace

nvmlReturn_t DeviceGetActiveVgpus(const Machine&, const Gpu& gpu, unsigned int* vgpuCount,
                                  nvmlVgpuInstance_t* vgpuInstances) {
  if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  Filling<nvmlVgpuInstance_t> all{vgpuInstances, *vgpuCount};
  sim::vgpu::for_each(gpu, [&](const Active& active) { all.give(*active.instance->id); });
  return all.end(vgpuCount);
}

nvmlReturn_t GpuInstanceGetActiveVgpus(const Machine& machine, nvmlGpuInstance_t gpuInstance,
                                       nvmlActiveVgpuInstanceInfo_t* pVgpuInstanceInfo) {
  InstanceRef found;
  if (!find(machine, gpuInstance, found)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!sim::vgpu::is_host(*found.gpu)) return NVML_ERROR_NOT_SUPPORTED;
  Filling<nvmlVgpuInstance_t> all{pVgpuInstanceInfo->vgpuInstances, pVgpuInstanceInfo->vgpuCount};
  sim::vgpu::for_each(*found.gpu, [&](const Active& active) {
    if (active.instance->gpu_instance == found.instance->id) all.give(*active.instance->id);
  });
  return all.end(&pVgpuInstanceInfo->vgpuCount);
}

nvmlReturn_t VgpuInstanceGetVmID(const Machine& machine, nvmlVgpuInstance_t vgpuInstance, char* vmId, unsigned int size,
                                 nvmlVgpuVmIdType_t* vmIdType) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    const auto& id = active.instance->vm_id;
    if (const auto result = text(id, vmId, size); result != NVML_SUCCESS) return result;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool domain = id && std::all_of(id->view().begin(), id->view().end(), is_digit);
    *vmIdType = domain ? NVML_VGPU_VM_ID_DOMAIN_ID : NVML_VGPU_VM_ID_UUID;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetUUID(const Machine& machine, nvmlVgpuInstance_t vgpuInstance, char* uuid,
                                 unsigned int size) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) { return text(active.instance->uuid, uuid, size); });
}

// Mediated devices are the host's way without SR-IOV.
nvmlReturn_t VgpuInstanceGetMdevUUID(const Machine& machine, nvmlVgpuInstance_t vgpuInstance, char* mdevUuid,
                                     unsigned int size) {
  return on_vgpu(machine, vgpuInstance,
                 [&](const Active& active) { return read(active.instance->mdev_uuid, mdevUuid, size); });
}

nvmlReturn_t VgpuInstanceGetVmDriverVersion(const Machine& machine, nvmlVgpuInstance_t vgpuInstance, char* version,
                                            unsigned int length) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    const bool runs = sim::vgpu::has_driver(*active.instance);
    return write_text(runs ? active.instance->guest_driver->view() : "Not Available", version, length);
  });
}

nvmlReturn_t VgpuInstanceGetGpuPciId(const Machine& machine, nvmlVgpuInstance_t vgpuInstance, char* vgpuPciId,
                                     unsigned int* length) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    if (!sim::vgpu::has_driver(*active.instance)) return give_text("00000000:00:00.0", vgpuPciId, length);
    char id[24];
    const auto address = active.instance->guest_pci.value_or({0, 2, 0, 0});
    return give_text(sim::model::format_pci_bus_id(address, 8, id), vgpuPciId, length);
  });
}

nvmlReturn_t VgpuInstanceGetFbUsage(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                    unsigned long long* fbUsage) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    *fbUsage = sim::vgpu::used_bytes(active);
    return NVML_SUCCESS;
  });
}

// An estimate: what a driver keeps beside the frame buffer.
nvmlReturn_t VgpuInstanceGetRuntimeStateSize(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                             nvmlVgpuRuntimeState_t* pState) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    pState->size = sim::vgpu::has_driver(*active.instance) ? sim::vgpu::reserved_bytes(*active.type) : 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetType(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                 nvmlVgpuTypeId_t* vgpuTypeId) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    *vgpuTypeId = active.type->id;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetGpuInstanceId(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                          unsigned int* gpuInstanceId) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    *gpuInstanceId = active.instance->gpu_instance.value_or(k_INVALID_GPU_INSTANCE_ID);
    return NVML_SUCCESS;
  });
}

// The limiter is off where the scheduler shares the time itself.
nvmlReturn_t VgpuInstanceGetFrameRateLimit(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                           unsigned int* frameRateLimit) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    const auto& said = active.instance->frame_rate_limit;
    const sim::vgpu::Region region{
        active.gpu, active.instance->gpu_instance ? std::optional(*active.instance->gpu_instance) : std::nullopt};
    const bool best_effort =
        sim::vgpu::scheduler_of(region).policy == static_cast<std::uint32_t>(VGPU_SCHEDULER_POLICY_BEST_EFFORT);
    const auto limit = said ? *said : best_effort ? active.type->series->frame_rate_limit : 0;
    if (limit == 0) return NVML_ERROR_NOT_SUPPORTED;
    *frameRateLimit = limit;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetEccMode(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                    nvmlEnableState_t* eccMode) {
  return on_vgpu(machine, vgpuInstance,
                 [&](const Active& active) { return read(active.gpu->ecc.mode_current, eccMode); });
}

nvmlReturn_t VgpuInstanceGetLicenseStatus(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                          unsigned int* licensed) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    *licensed = is_licensed(active);
    return NVML_SUCCESS;
  });
}

// The first version has no state behind the expiry.
nvmlReturn_t VgpuInstanceGetLicenseInfo(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                        nvmlVgpuLicenseInfo_t* licenseInfo) {
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    licenseInfo->isLicensed = is_licensed(active);
    fill_expiry(is_licensed(active), active.instance->license_expiry, licenseInfo->licenseExpiry);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t VgpuInstanceGetLicenseInfo_v2(const Machine& machine, nvmlVgpuInstance_t vgpuInstance,
                                           nvmlVgpuLicenseInfo_t* licenseInfo) {
  const auto result = VgpuInstanceGetLicenseInfo(machine, vgpuInstance, licenseInfo);
  if (result != NVML_SUCCESS) return result;
  return on_vgpu(machine, vgpuInstance, [&](const Active& active) {
    licenseInfo->currentState = active.instance->license.value_or(GRID_LICENSE_STATE_UNKNOWN);
    return NVML_SUCCESS;
  });
}

}  // namespace nvmlkit::driver::functions
