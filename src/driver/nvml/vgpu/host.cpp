// Capabilities and modes of the driver and a GPU as hosts of vGPUs.
#include <charconv>

#include "driver/nvml/call/setters.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/vgpu/vgpu.hpp"

namespace nvmlkit::driver::functions {
namespace {

bool is_on(const sim::model::Field<std::uint32_t>& state) {
  return state && *state == sim::model::EnableState::enabled;
}

std::uint32_t branch_of(const Machine& machine) {
  std::uint32_t branch = 0;
  if (const auto& version = machine.system().driver_version) {
    const auto text = version->view();
    std::from_chars(text.data(), text.data() + text.size(), branch);
  }
  return branch;
}

}  // namespace

// A host changes between its two modes; whether a machine is a host is what it was booted as.
nvmlReturn_t DeviceSetVirtualizationMode(const Machine&, Gpu& gpu, nvmlGpuVirtualizationMode_t virtualMode) {
  const auto is_host_mode = [](auto mode) {
    return mode == NVML_GPU_VIRTUALIZATION_MODE_HOST_VGPU || mode == NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA;
  };
  auto& mode = gpu.virtualization.mode;
  if (!mode || !is_host_mode(static_cast<nvmlGpuVirtualizationMode_t>(*mode)) || !is_host_mode(virtualMode) ||
      sim::vgpu::any(gpu))
    return NVML_ERROR_NOT_SUPPORTED;
  mode = virtualMode;
  return NVML_SUCCESS;
}

// From 570 on hosts exchange the driver under running VMs; the branch is an estimate.
nvmlReturn_t GetVgpuDriverCapabilities(const Machine& machine, nvmlVgpuDriverCapability_t capability,
                                       unsigned int* capResult) {
  constexpr std::uint32_t kFirstWithWarmUpdate = 570;
  if (!hosts_vgpus(machine)) return NVML_ERROR_NOT_SUPPORTED;
  *capResult = capability == NVML_VGPU_DRIVER_CAP_HETEROGENEOUS_MULTI_VGPU ||
               (capability == NVML_VGPU_DRIVER_CAP_WARM_UPDATE && branch_of(machine) >= kFirstWithWarmUpdate);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetVgpuCapabilities(const Machine& machine, const Gpu& gpu, nvmlDeviceVgpuCapability_t capability,
                                       unsigned int* capResult) {
  if (!sim::vgpu::is_host(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto& vgpu = gpu.vgpu;
  switch (capability) {
    case NVML_DEVICE_VGPU_CAP_READ_DEVICE_BUFFER_BW:
    case NVML_DEVICE_VGPU_CAP_WRITE_DEVICE_BUFFER_BW:
      return read(vgpu.device_buffer_mb_per_s, capResult);
    case NVML_DEVICE_VGPU_CAP_HETEROGENEOUS_TIMESLICE_SIZES:
      *capResult = static_cast<bool>(vgpu.heterogeneous_mode);
      return NVML_SUCCESS;
    case NVML_DEVICE_VGPU_CAP_MINI_QUARTER_GPU:
      *capResult = is_on(vgpu.mini_quarter);
      return NVML_SUCCESS;
    case NVML_DEVICE_VGPU_CAP_COMPUTE_MEDIA_ENGINE_GPU:
      *capResult = is_on(vgpu.compute_media_engine);
      return NVML_SUCCESS;
    case NVML_DEVICE_VGPU_CAP_WARM_UPDATE:
      return GetVgpuDriverCapabilities(machine, NVML_VGPU_DRIVER_CAP_WARM_UPDATE, capResult);
    case NVML_DEVICE_VGPU_CAP_MIG_TIMESLICING_SUPPORTED:
      *capResult = static_cast<bool>(vgpu.mig_timeslicing);
      return NVML_SUCCESS;
    case NVML_DEVICE_VGPU_CAP_MIG_TIMESLICING_ENABLED:
      *capResult = is_on(vgpu.mig_timeslicing);
      return NVML_SUCCESS;
    default:  // fractional and heterogeneous profiles, streaming, placements: every host that is simulated
      *capResult = 1;
      return NVML_SUCCESS;
  }
}

nvmlReturn_t DeviceSetVgpuCapabilities(const Machine&, Gpu& gpu, nvmlDeviceVgpuCapability_t capability,
                                       nvmlEnableState_t state) {
  if (!sim::vgpu::is_host(gpu) || sim::vgpu::any(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  switch (capability) {
    case NVML_DEVICE_VGPU_CAP_MINI_QUARTER_GPU:
      return set_present(gpu.vgpu.mini_quarter, state);
    case NVML_DEVICE_VGPU_CAP_COMPUTE_MEDIA_ENGINE_GPU:
      return set_present(gpu.vgpu.compute_media_engine, state);
    case NVML_DEVICE_VGPU_CAP_MIG_TIMESLICING_ENABLED:
      return set_present(gpu.vgpu.mig_timeslicing, state);
    default:
      return NVML_ERROR_NOT_SUPPORTED;
  }
}

nvmlReturn_t DeviceVgpuForceGspUnload(const Machine&, Gpu& gpu) {
  auto& mode = gpu.gsp_firmware.mode;
  const bool new_enough = gpu.architecture && *gpu.architecture >= sim::model::Architecture::ada;
  if (!sim::vgpu::is_host(gpu) || !new_enough || !is_on(mode)) return NVML_ERROR_NOT_SUPPORTED;
  mode = NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
