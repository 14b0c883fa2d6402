// Kernels that call a callback of a program for each element of a side.
#pragma once

#include <string>

#include "libraries/common/device_code.hpp"
#include "libraries/cufft/types.hpp"

namespace nvmlkit::cufft {

// What a kernel visits: the elements of a box, the last dimension fastest.
struct Box {
  static constexpr int kDimensions = 4;  // the transforms of a batch, and the dimensions of each
  unsigned long long count, sizes[kDimensions], strides[kDimensions];
};

bool is_load(cufftXtCallbackType type);
// Of the elements that a callback takes or gives.
cudaDataType element_of(cufftXtCallbackType type);

// The kernel for a function of C++ with the documented parameters, or for one of C. Its own parameters: elements (of a
// load callback to write, of another one to read), the program's memory, the caller's info, a Box.
libraries::KernelText callback_kernel(cufftXtCallbackType type, const std::string& symbol);

}  // namespace nvmlkit::cufft
