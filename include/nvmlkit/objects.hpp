// The smaller objects of NVML. Nearly all their calls are regular; their methods are generated.
#pragma once

#include <nvmlkit/generated/compute_instance_methods.hpp>
#include <nvmlkit/generated/gpu_instance_methods.hpp>
#include <nvmlkit/generated/unit_methods.hpp>
#include <nvmlkit/generated/vgpu_instance_methods.hpp>
#include <nvmlkit/generated/vgpu_type_methods.hpp>

namespace nvmlkit::nvml {

// An S-class unit: a chassis with its own fans and power supplies.
class Unit : public UnitMethods {
 public:
  using UnitMethods::UnitMethods;
};

struct VgpuSchedulerSettings;

// A MIG GPU instance. It outlives this object; destroy() ends it.
class GpuInstance : public GpuInstanceMethods {
 public:
  using GpuInstanceMethods::GpuInstanceMethods;

  // Every copy of this object answers Errc::stale_handle afterwards. Needs root. @c nvmlGpuInstanceDestroy
  Result<void> destroy() const;

  // @c nvmlGpuInstanceGetVgpuSchedulerState_v2 @c nvmlGpuInstanceGetVgpuSchedulerState
  Result<VgpuSchedulerState> vgpu_scheduler_state(VgpuSchedulerEngine engine = VgpuSchedulerEngine::graphics) const;
  // The last 200 time slices. @c nvmlGpuInstanceGetVgpuSchedulerLog_v2 @c nvmlGpuInstanceGetVgpuSchedulerLog
  Result<VgpuSchedulerLog> vgpu_scheduler_log(VgpuSchedulerEngine engine = VgpuSchedulerEngine::graphics) const;
  // In <nvmlkit/vgpu.hpp>. Only while no virtual machine runs in this instance.
  // @c nvmlGpuInstanceSetVgpuSchedulerState_v2 @c nvmlGpuInstanceSetVgpuSchedulerState
  Result<void> set_vgpu_scheduler_state(const VgpuSchedulerSettings& settings) const;
};

// A MIG compute instance. It outlives this object; destroy() ends it.
class ComputeInstance : public ComputeInstanceMethods {
 public:
  using ComputeInstanceMethods::ComputeInstanceMethods;

  // Every copy of this object answers Errc::stale_handle afterwards. Needs root. @c nvmlComputeInstanceDestroy
  Result<void> destroy() const;
};

// A type of vGPU that GPUs can be divided into: "NVIDIA A40-8Q". The same id means the same type on all GPUs.
class VgpuType : public VgpuTypeMethods {
 public:
  using VgpuTypeMethods::VgpuTypeMethods;
};

class VgpuMetadata;

// A vGPU that a virtual machine uses.
class VgpuInstance : public VgpuInstanceMethods {
 public:
  using VgpuInstanceMethods::VgpuInstanceMethods;

  struct VmId {
    std::string id;
    VmIdType type;  // a domain id of the hypervisor, or a UUID
  };
  // The virtual machine that it belongs to. @c nvmlVgpuInstanceGetVmID
  Result<VmId> vm_id() const;
  // In <nvmlkit/vgpu.hpp>. What decides on which GPUs it can go on. @c nvmlVgpuInstanceGetMetadata
  Result<VgpuMetadata> metadata() const;
};

}  // namespace nvmlkit::nvml
