// What the runtime says of a kernel's node, as the driver takes it.
#pragma once

#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

struct KernelParams {
  void* function;
  Dim3 grid, block;
  unsigned shared;
  void** arguments;
  void** extra;
};

CUresult read(const KernelParams* params, CUDA_KERNEL_NODE_PARAMS& out);

}  // namespace nvmlkit::cudart
