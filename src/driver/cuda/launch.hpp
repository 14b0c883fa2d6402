// Launches: a kernel with its arguments, run on the CPU for a context of the simulated GPU.
#pragma once

#include "driver/cuda/context.hpp"
#include "driver/cuda/modules.hpp"

namespace nvmlkit::cuda {

struct LaunchShape {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned dynamic_shared = 0;
  bool cooperative = false;
  unsigned cluster[3] = {0, 0, 0};  // blocks of a cluster; 0: the kernel's own
};

// The arguments of a kernel as one block of bytes; from pointers to each, or from a buffer in `extra`.
CUresult pack_arguments(const ptx::Function& kernel, void** params, void** extra, std::vector<std::byte>& out);

// Runs to the end. What goes wrong in the kernel is an error of the context from now on, and not of the launch.
CUresult launch(Context& context, const KernelFunction& function, const LaunchShape& shape,
                std::span<const std::byte> arguments);

// How many blocks of a kernel fit on one multiprocessor.
int active_blocks(const Device& device, const ptx::Function& kernel, int threads, std::size_t dynamic_shared);

}  // namespace nvmlkit::cuda
