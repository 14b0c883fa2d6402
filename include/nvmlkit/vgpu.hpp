// Readings of vGPU instances that are irregular in C.
#pragma once

#include <chrono>
#include <nvmlkit/field_values.hpp>
#include <nvmlkit/objects.hpp>
#include <nvmlkit/vgpu_migration.hpp>

namespace nvmlkit::nvml {

// One sample of one vGPU instance. All numbers are percent of the physical GPU.
struct VgpuUtilization {
  VgpuInstance instance;
  std::chrono::microseconds time;  // since the epoch; the largest of them is the next call's `since`
  FieldNumber sm;
  FieldNumber memory;
  FieldNumber encoder;
  FieldNumber decoder;
};

}  // namespace nvmlkit::nvml
