// What the kernels of a module compute with.
#pragma once

#include "driver/cuda/code/modules.hpp"
#include "driver/host_kernels/interface.hpp"

namespace nvmlkit::cuda::pipes {

// The units for matrices that the kernel has instructions for; the other pipe without any. Looked up once.
host_kernels::Pipe of(const KernelFunction& function);

}  // namespace nvmlkit::cuda::pipes
