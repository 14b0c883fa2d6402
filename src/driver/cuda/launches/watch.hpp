// While a kernel runs: the machine sees it, and a GPU that fails ends it.
#pragma once

#include "driver/cuda/context/context.hpp"
#include "driver/cuda/device/activity.hpp"
#include "driver/cuda/memory/host_memory.hpp"

namespace nvmlkit::cuda {

struct Watch {
  Context& context;
  host_kernels::Pipe pipe;  // of the kernel
  Activity activity{context.device, pipe};
  host_memory::Growth memory{};

  void tick() {
    activity.tick();
    context.look_for_failure();
    if (memory.is_too_much()) context.fail(CUDA_ERROR_OUT_OF_MEMORY);
  }
};

}  // namespace nvmlkit::cuda
