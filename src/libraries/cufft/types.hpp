// What stands for the types of cuFFT's headers.
#pragma once

#include <cstddef>

#include "driver/cuda/generated/prototypes.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/cufft/generated/types.hpp"

namespace nvmlkit::cufft {

using cuda::CUstream;

using Handle = int;
struct alignas(8) Complex {
  float x, y;
};
struct alignas(16) DoubleComplex {
  double x, y;
};

inline constexpr int kMostGpusOfDescriptor = 64;

// cudaXtDesc: memory of several GPUs.
struct Memory {
  int version;
  int gpu_count;
  int gpus[kMostGpusOfDescriptor];
  void* data[kMostGpusOfDescriptor];
  std::size_t size[kMostGpusOfDescriptor];
  void* state;
};
// cudaLibXtDesc: and what the numbers in it are. Programs make their own, too.
struct Descriptor {
  int version;
  Memory* memory;
  int library;  // 0: cuFFT
  int format;   // a cufftXtSubFormat
  void* of_library;
};
// cufftXt1dFactors.
struct LineFactors {
  long long size, string_count, string_length, substring_length, factor1, factor2;
  long long string_mask, substring_mask, factor1_mask, factor2_mask;
  int string_shift, substring_shift, factor1_shift, factor2_shift;
};

}  // namespace nvmlkit::cufft
