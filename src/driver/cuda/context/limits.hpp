// The limits of a context: their values, and what a program may make of them.
#pragma once

#include <cstddef>
#include <optional>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

class Device;

namespace limits {

// The value of a context that sets nothing; nothing for limits that the GPU lacks.
std::optional<std::size_t> initial(const Device&, CUlimit);

// The value that a limit takes when a program asks for `value`.
struct Granted {
  CUresult result = CUDA_SUCCESS;
  std::size_t value = 0;
};
Granted granted(const Device&, CUlimit, std::size_t value);

}  // namespace limits
}  // namespace nvmlkit::cuda
