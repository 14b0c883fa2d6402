// Containers as processes on GPUs.
#pragma once

#include <cstddef>
#include <string_view>

#include "cdi_hook/share.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cdi_hook {

// A GPU, or a MIG device of it.
struct Target {
  std::size_t gpu = 0;
  std::uint32_t gpu_instance = sim::processes::kNoInstance, compute_instance = sim::processes::kNoInstance;
};

// Makes the first process of the container a process on the GPU, with its share.
sim::Expected<void> begin(const sim::Machine& machine, const Target& target, const Container& container,
                          const Share& share);

// Removes the process of a container that has ended, and others that have. The load of those that are left stays.
sim::Expected<void> end(const sim::Machine& machine, const Target& target, const Container& container,
                        const Share& share);

}  // namespace nvmlkit::cdi_hook
