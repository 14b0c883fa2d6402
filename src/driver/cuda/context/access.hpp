// Permitted properties of contexts.
#pragma once

#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda {

// A GPU in compute mode "prohibited" has no contexts.
inline bool may_be_used(const Device& device) {
  return device.read([](const auto& gpu) {
    return gpu.compute_mode.value_or(sim::model::ComputeMode::default_) != sim::model::ComputeMode::prohibited;
  });
}

inline bool are_context_flags(unsigned flags) {
  const auto scheduling = flags & CU_CTX_SCHED_MASK;
  return (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0 && scheduling != 3 && scheduling < 5;
}

}  // namespace nvmlkit::cuda
