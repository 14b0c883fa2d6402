// Handles of MIG devices, GPU instances and compute instances. Like handles of GPUs, they are addresses of places in a
// table and are never followed. A handle stands for a GPU and ids on it. Every call looks the instance up, so that the
// handle of a destroyed instance is an invalid argument, in every process.
#pragma once

#include <optional>

#include "driver/nvml/call/call.hpp"
#include "sim/mig/devices.hpp"
#include "sim/mig/instances.hpp"

namespace nvmlkit::driver {

// What a device handle stands for: a GPU, or a MIG device on one. No GPU for any other value.
struct Target {
  const sim::model::Gpu* gpu = nullptr;
  std::optional<sim::mig::DeviceId> mig;
};

namespace detail {
Target find_mig_target(const sim::Machine& machine, abi::nvmlDevice_t device);
}

inline Target find_target(const sim::Machine& machine, abi::nvmlDevice_t device) {
  if (const auto* gpu = find_gpu(machine, device)) return {gpu, {}};
  return detail::find_mig_target(machine, device);
}

// The GPU of a handle and the ids that it stands for. Whether the instance is there is not looked at.
struct GpuInstanceId {
  const sim::model::Gpu* gpu;
  std::uint32_t id;
};
struct ComputeInstanceId {
  const sim::model::Gpu* gpu;
  sim::mig::DeviceId id;
};
std::optional<GpuInstanceId> find_gpu_instance(const sim::Machine& machine, abi::nvmlGpuInstance_t handle);
std::optional<ComputeInstanceId> find_compute_instance(const sim::Machine& machine, abi::nvmlComputeInstance_t handle);

abi::nvmlDevice_t mig_handle_of(std::size_t gpu, sim::mig::DeviceId id);
abi::nvmlGpuInstance_t gpu_instance_handle_of(std::size_t gpu, std::uint32_t id);
abi::nvmlComputeInstance_t compute_instance_handle_of(std::size_t gpu, sim::mig::DeviceId id);

inline std::size_t index_of(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  return static_cast<std::size_t>(&gpu - machine.gpus().data());
}

}  // namespace nvmlkit::driver
