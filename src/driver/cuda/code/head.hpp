// Whether the driver of the machine reads a text of PTX.
#pragma once

#include <string_view>

#include "driver/cuda/code/modules.hpp"

namespace nvmlkit::cuda::modules {

// Whether text begins as PTX does, of a version that the driver knows, for a target that the version has.
Refusal check_head(std::string_view text);

}  // namespace nvmlkit::cuda::modules
