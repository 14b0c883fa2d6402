// The smaller objects of NVML. All their calls are regular, so every method is generated.
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

// A MIG GPU instance. It outlives this object; destroy() ends it.
class GpuInstance : public GpuInstanceMethods {
 public:
  using GpuInstanceMethods::GpuInstanceMethods;
};

// A MIG compute instance. It outlives this object; destroy() ends it.
class ComputeInstance : public ComputeInstanceMethods {
 public:
  using ComputeInstanceMethods::ComputeInstanceMethods;
};

class VgpuType : public VgpuTypeMethods {
 public:
  using VgpuTypeMethods::VgpuTypeMethods;
};

class VgpuInstance : public VgpuInstanceMethods {
 public:
  using VgpuInstanceMethods::VgpuInstanceMethods;
};

}  // namespace nvmlkit::nvml
