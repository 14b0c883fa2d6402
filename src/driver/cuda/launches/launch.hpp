// Launches: a kernel with its arguments, run on the CPU for a context of the simulated GPU.
#pragma once

#include "driver/cuda/code/modules.hpp"
#include "driver/cuda/context/context.hpp"

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

// A launch that is ready to run.
struct Launch {
  std::shared_ptr<KernelFunction> function;
  LaunchShape shape;
  std::vector<std::byte> arguments;
  std::shared_ptr<const Allocation> of_many;  // of a launch on several GPUs: what it has in common
  CUdeviceptr place_in_many = 0;
  std::shared_ptr<const sanitize::HostStack> origin;  // if a sanitizer asked for it
};

// Whether the GPU can run it at all.
CUresult check_launch(const Context& context, const Launch& launch);

// Runs to the end. What goes wrong in the kernel is an error of the context from now on.
void run_launch(Context& context, const Launch& launch);

// NVMLKIT_CUDA_THREADS: threads that execute a kernel; 0 if it is unset.
unsigned threads_of_host();

// NVMLKIT_CUDA_KERNELS=skip: launches have no effect.
bool skips_kernels();

}  // namespace nvmlkit::cuda
