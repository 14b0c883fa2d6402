// Common parts of the getters and setters of the vGPU scheduler.
#pragma once

#include "driver/nvml/vgpu/vgpu.hpp"
#include "sim/vgpu/scheduler.hpp"

namespace nvmlkit::driver::scheduler {

inline constexpr unsigned int kBestEffort = abi::VGPU_SCHEDULER_POLICY_BEST_EFFORT;
inline constexpr unsigned int kGraphics = abi::VGPU_SCHEDULER_ENGINE_TYPE_GRAPHICS;

inline bool is_engine(unsigned int engine) {
  return engine >= kGraphics && engine <= static_cast<unsigned int>(abi::VGPU_SCHEDULER_ENGINE_TYPE_NVENC0);
}

// vGPU hosts from Pascal on.
inline bool on_gpu(const sim::model::Gpu& gpu) {
  return sim::vgpu::is_host(gpu) && gpu.architecture && *gpu.architecture >= sim::model::Architecture::pascal;
}

// GPU instances have a scheduler of their own from Blackwell on.
inline bool on_instances(const sim::model::Gpu& gpu) { return sim::vgpu::is_host(gpu) && gpu.vgpu.mig_timeslicing; }

}  // namespace nvmlkit::driver::scheduler
