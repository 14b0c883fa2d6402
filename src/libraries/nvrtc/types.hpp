// What stands for the types of NVRTC's header.
#pragma once

#include <cstddef>

#include "libraries/common/unsupported.hpp"
#include "libraries/nvrtc/generated/types.hpp"

namespace nvmlkit::nvrtc {

using Program = struct ProgramOfNvidia*;  // NVIDIA's own
using FlowCallback = int (*)(void*, void*);

}  // namespace nvmlkit::nvrtc
