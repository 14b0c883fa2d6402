// The words of a real driver for PTX that it does not take, as its logs have them.
#pragma once

#include <string>
#include <string_view>

#include "driver/cuda/code/modules.hpp"

namespace nvmlkit::cuda::modules {

// For what our parser says of a line. What ptxas has no words for keeps ours.
std::string ptxas_log(int line, std::string_view text);

// Whether text begins as PTX does, of a version that the driver knows, for a target that the version has.
Refusal check_head(std::string_view text);

}  // namespace nvmlkit::cuda::modules
