// How `nvmlkit top` steers a simulated machine: in the words of sim/steering/.
#pragma once

#include <memory>
#include <string>

#include "top/steering.hpp"

namespace nvmlkit::cli {

// Of the machine of a state file.
std::unique_ptr<top::Steering> steering_of(const std::string& state);

}  // namespace nvmlkit::cli
