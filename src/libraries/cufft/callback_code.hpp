// Kernels that call a callback of a program for each element of a side.
#pragma once

#include <cstdint>
#include <string>

#include "libraries/common/driver.hpp"
#include "libraries/cufft/types.hpp"

namespace nvmlkit::cufft {

// The name of the kernel.
inline constexpr const char* kCallbackKernel = "nvmlkit_cufft_callback";

// What a kernel visits: the elements of a box, the last dimension fastest.
struct Box {
  static constexpr int kDimensions = 4;  // the transforms of a batch, and the dimensions of each
  unsigned long long count, sizes[kDimensions], strides[kDimensions];
};

bool is_load(cufftXtCallbackType type);
// Of the elements that a callback takes or gives.
cudaDataType element_of(cufftXtCallbackType type);

// CUFFT_SUCCESS and PTX, or which of the compiler and the linker failed. `symbol`: of a function of C++ with the
// documented parameters, or of one of C. `lto_ir`: as NVRTC makes it, or in a fat binary of nvcc. The kernel's
// parameters: elements (of a load callback to write, of another one to read), the program's memory, the caller's info,
// a Box.
cufftResult make_callback_kernel(cufftXtCallbackType type, const std::string& symbol, const std::string& lto_ir,
                                 int capability, std::string& ptx);

}  // namespace nvmlkit::cufft
