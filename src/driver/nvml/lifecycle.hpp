// nvmlInit and nvmlShutdown: reference counting, and the machine that the calls in between see.
#pragma once

#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::driver {

abi::nvmlReturn_t initialize();
abi::nvmlReturn_t shut_down();

}  // namespace nvmlkit::driver
