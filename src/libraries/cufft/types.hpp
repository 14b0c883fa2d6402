// What stands for the types of cuFFT's headers.
#pragma once

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

}  // namespace nvmlkit::cufft
