// Descriptions of a launch, for the runtime and for the driver.
#pragma once

#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

// cudaLaunchConfig_t; its attributes are the driver's.
struct LaunchConfig {
  Dim3 grid, block;
  std::size_t shared;
  CUstream stream;
  void* attributes;
  unsigned count;
};

// In any struct of the driver that describes a launch.
template <class OfDriver>
void set_shape(OfDriver& out, Dim3 grid, Dim3 block, std::size_t shared) {
  out.gridDimX = grid.x;
  out.gridDimY = grid.y;
  out.gridDimZ = grid.z;
  out.blockDimX = block.x;
  out.blockDimY = block.y;
  out.blockDimZ = block.z;
  out.sharedMemBytes = static_cast<unsigned>(shared);
}

inline CUlaunchConfig of_driver(const LaunchConfig& config) {
  CUlaunchConfig out{};
  set_shape(out, config.grid, config.block, config.shared);
  out.hStream = config.stream;
  out.attrs = static_cast<CUlaunchAttribute*>(config.attributes);
  out.numAttrs = config.count;
  return out;
}

}  // namespace nvmlkit::cudart
