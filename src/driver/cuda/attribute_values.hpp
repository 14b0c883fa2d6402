// Values of attributes. Callers pass them untyped; the attribute determines the type.
#pragma once

#include <cstring>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

template <class T>
CUresult write_value(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return CUDA_SUCCESS;
}

template <class T>
T read_value(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace nvmlkit::cuda
