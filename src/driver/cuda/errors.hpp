// Names and texts of errors.
#pragma once

#include <span>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

struct ErrorText {
  CUresult error;
  const char* name;
  const char* text;
};

// By number.
std::span<const ErrorText> errors();

}  // namespace nvmlkit::cuda
