// Clusters: the number of blocks that run at once and share memory.
#pragma once

#include "driver/cuda/launches/launch.hpp"

namespace nvmlkit::cuda::clusters {

// The size of the launch, or else the one that the kernel was compiled for; all 0: none. Checked against the grid and
// the GPU.
CUresult of_launch(const Device& device, const KernelFunction& function, const LaunchShape& shape, unsigned out[3]);

// How many clusters of so many blocks are on the GPU at once.
int active(const Device& device, const ptx::Function& kernel, const LaunchShape& shape, unsigned size);

// The multiprocessors that take clusters of any size.
long long multiprocessors_of(const Device& device);

inline constexpr unsigned kMostPortable = 8, kMost = 16;  // blocks

}  // namespace nvmlkit::cuda::clusters
