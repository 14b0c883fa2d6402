// nvmlInit and nvmlShutdown: reference counting, and the machine that the calls in between see.
#pragma once

#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::driver {

// NVML_ERROR_UNKNOWN, with one line on stderr, when the machine cannot be had, short memory included.
abi::nvmlReturn_t initialize() noexcept;
abi::nvmlReturn_t shut_down() noexcept;

}  // namespace nvmlkit::driver
