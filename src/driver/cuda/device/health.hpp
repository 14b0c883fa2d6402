// The effect of a GPU's faults on CUDA programs.
#pragma once

#include <cstdint>

#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda {

// How often the GPU's memory has failed for good, by ECC's count.
std::uint64_t uncorrected_errors(const Device& device);

// What has become of work on the GPU, of which so many errors were known when it began: CUDA_SUCCESS where nothing has.
CUresult failure_since(const Device& device, std::uint64_t known_errors);

}  // namespace nvmlkit::cuda
