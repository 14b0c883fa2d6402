// Readings of vGPU instances that are irregular in C.
#pragma once

#include <chrono>
#include <nvmlkit/field_values.hpp>
#include <nvmlkit/objects.hpp>
#include <nvmlkit/vgpu_migration.hpp>

namespace nvmlkit::nvml {

// How the vGPU scheduler of one engine is to work. The driver has a default for what is left out.
struct VgpuSchedulerSettings {
  VgpuSchedulerPolicy policy;
  VgpuSchedulerEngine engine = VgpuSchedulerEngine::graphics;
  // Of adaptive round robin.
  std::optional<unsigned int> avg_factor{};
  std::optional<unsigned int> frequency{};
  // Without adaptive round robin. Only the older call takes one, and is the one asked then.
  std::optional<std::chrono::nanoseconds> timeslice{};
};

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
