#include "driver/nvml/mig/handles.hpp"

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/library/enumeration.hpp"

namespace nvmlkit::driver {
namespace {

using detail::kComputeInstancesPerInstance;
using detail::kInstancesPerGpu;
using sim::mig::DeviceId;

constexpr std::size_t kDevicesPerGpu = kInstancesPerGpu * kComputeInstancesPerInstance;

// The number of a place, or none for an address that is not in the table.
template <std::size_t N>
std::optional<std::size_t> place_of(const detail::Place (&places)[N], const void* handle, std::size_t used) {
  const auto offset = reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(places);
  return offset < used ? std::optional<std::size_t>(offset) : std::nullopt;
}

// Ids of a damaged state may be any numbers; a place is always in the table.
std::size_t place(std::size_t gpu, std::uint32_t instance) {
  return gpu * kInstancesPerGpu + instance % kInstancesPerGpu;
}

std::size_t place(std::size_t gpu, DeviceId id) {
  return place(gpu, id.instance) * kComputeInstancesPerInstance + id.compute % kComputeInstancesPerInstance;
}

ComputeInstanceId at_place(const sim::Machine& machine, std::size_t place) {
  const auto compute = static_cast<std::uint32_t>(place % kComputeInstancesPerInstance);
  const auto instance = static_cast<std::uint32_t>(place / kComputeInstancesPerInstance % kInstancesPerGpu);
  return {&machine.gpus()[place / kDevicesPerGpu], {instance, compute}};
}

}  // namespace

Target detail::find_mig_target(const sim::Machine& machine, abi::nvmlDevice_t device) {
  const auto found = place_of(running().mig_places, device, machine.gpus().size() * kDevicesPerGpu);
  if (!found) return {};
  const auto [gpu, id] = at_place(machine, *found);
  bool there = false;
  const bool whole = sim::state::consistently(machine, machine.sequence(*gpu), [&, gpu = gpu, id = id] {
    there = sim::mig::find_device(*gpu, id).has_value() && is_visible(*gpu, id);
  });
  return whole && there ? Target{gpu, id} : Target{};
}

std::optional<GpuInstanceId> find_gpu_instance(const sim::Machine& machine, abi::nvmlGpuInstance_t handle) {
  const auto found = place_of(detail::running().gpu_instance_places, handle, machine.gpus().size() * kInstancesPerGpu);
  if (!found) return {};
  return GpuInstanceId{&machine.gpus()[*found / kInstancesPerGpu],
                       static_cast<std::uint32_t>(*found % kInstancesPerGpu)};
}

std::optional<ComputeInstanceId> find_compute_instance(const sim::Machine& machine, abi::nvmlComputeInstance_t handle) {
  const auto found =
      place_of(detail::running().compute_instance_places, handle, machine.gpus().size() * kDevicesPerGpu);
  if (!found) return {};
  return at_place(machine, *found);
}

abi::nvmlDevice_t mig_handle_of(std::size_t gpu, DeviceId id) {
  return reinterpret_cast<abi::nvmlDevice_t>(&detail::running().mig_places[place(gpu, id)]);
}

abi::nvmlGpuInstance_t gpu_instance_handle_of(std::size_t gpu, std::uint32_t id) {
  return reinterpret_cast<abi::nvmlGpuInstance_t>(&detail::running().gpu_instance_places[place(gpu, id)]);
}

abi::nvmlComputeInstance_t compute_instance_handle_of(std::size_t gpu, DeviceId id) {
  return reinterpret_cast<abi::nvmlComputeInstance_t>(&detail::running().compute_instance_places[place(gpu, id)]);
}

}  // namespace nvmlkit::driver
