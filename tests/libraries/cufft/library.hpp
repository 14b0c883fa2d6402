// libcufft, as a program of CUDA 12 loads it.
#pragma once

#include "generated/cufft_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {

inline Cufft& library() {
  static Cufft the("libcufft.so.11");
  return the;
}

}  // namespace nvmlkit::library_test
