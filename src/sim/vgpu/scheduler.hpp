// The software scheduler: vGPUs take turns on the GPU, or on their GPU instance.
#pragma once

#include <cstdint>

#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim::vgpu {

// What can be set, as NVIDIA documents it for Pascal and newer.
namespace limits {
inline constexpr std::uint32_t kMinTimesliceNs = 1'000'000, kMaxTimesliceNs = 30'000'000;
inline constexpr std::uint32_t kMinFrequency = 63, kMaxFrequency = 960;
inline constexpr std::uint32_t kMinAveragingFactor = 1, kMaxAveragingFactor = 60;
}  // namespace limits

// The scheduler, with defaults for missing settings.
struct Scheduler {
  std::uint32_t policy = 0;  // NVML_VGPU_SCHEDULER_POLICY_*
  bool adaptive = false;     // adaptive round robin
  std::uint32_t frequency = 0, averaging_factor = 0, timeslice_ns = 0;
};
Scheduler scheduler_of(const model::VgpuScheduler& settings);
Scheduler scheduler_of(const Region& region);

// The corresponding settings.
void set(model::VgpuScheduler& settings, const Scheduler& scheduler);

// One turn of a vGPU.
struct Turn {
  std::uint64_t ended_ns;  // the machine's time
  std::uint64_t ran_in_all_ns;
  std::uint32_t place;  // of the vGPU among those of the region
  std::uint32_t share;
};

// The last turns up to now, oldest first, `most` of them at most: the vGPUs whose VM has a driver take turns for as
// long as the GPU works. `visit(turn)`.
std::uint32_t turns(const Region& region, const Machine& machine, std::uint32_t most, void (*visit)(void*, const Turn&),
                    void* context);

}  // namespace nvmlkit::sim::vgpu
