// The words of a real driver for PTX that it does not take, as its logs have them.
#pragma once

#include <string>
#include <string_view>

#include "driver/cuda/code/modules.hpp"
#include "ptx/parse/error.hpp"

namespace nvmlkit::cuda::modules {

// For an error of our parser. Where ptxas' words are not known, ours stay.
std::string ptxas_log(const ptx::Error& error);

// Whether text begins as PTX does, of a version that the driver knows, for a target that the version has.
Refusal check_head(std::string_view text);

}  // namespace nvmlkit::cuda::modules
