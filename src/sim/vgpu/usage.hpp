// The share of a GPU that its vGPUs take: frame buffer, and utilization.
#pragma once

#include <cstdint>

#include "sim/telemetry/utilization.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim::vgpu {

// Frame buffer that the vGPUs of the GPU, or of one of its GPU instances, hold on the host, used by their VMs or not.
std::uint64_t held_bytes(const model::Gpu& gpu);
std::uint64_t held_bytes(const model::Gpu& gpu, std::uint32_t gpu_instance);

// What the VM uses of that.
std::uint64_t used_bytes(const Active& active);

// Of what the GPU does now, the vGPU's part: by shares among those whose VM has a driver. The driver does not tell it
// of vGPUs on MIG, and neither do we: none.
bool tells_utilization(const Active& active);
telemetry::Utilization utilization_of(const Machine& machine, const Active& active);

// A process's part of that, by shares among those that run.
telemetry::Utilization part_of(const telemetry::Utilization& whole, const Active& active,
                               const model::VgpuProcess& process);

}  // namespace nvmlkit::sim::vgpu
