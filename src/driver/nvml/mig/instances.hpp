// Common parts of the functions on GPU instances and compute instances.
#pragma once

#include "driver/nvml/mig/handles.hpp"
#include "sim/setters/mig.hpp"

namespace nvmlkit::driver {

// A GPU instance that is there.
struct InstanceRef {
  const sim::model::Gpu* gpu = nullptr;
  const sim::model::MigInstance* instance = nullptr;
  const sim::model::MigProfile* profile = nullptr;
};

// False for a handle that we did not give, or whose instance is gone.
bool find(const sim::Machine& machine, abi::nvmlGpuInstance_t handle, InstanceRef& found);

abi::nvmlReturn_t result_of(sim::setters::MigRefusal refusal);

// Does the GPU report profiles now?
bool tells_profiles(const sim::model::Gpu& gpu);

}  // namespace nvmlkit::driver
