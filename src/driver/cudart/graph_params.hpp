// Converts the runtime's parameters of a kernel node to the driver's.
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

CUresult driver_params_of(const KernelParams* params, CUDA_KERNEL_NODE_PARAMS& out);

}  // namespace nvmlkit::cudart
