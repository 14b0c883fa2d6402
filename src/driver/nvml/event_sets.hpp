// The event sets of this process.
#pragma once

#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::driver {

// Null when all places are taken.
abi::nvmlEventSet_t create_event_set();

// False for a handle that is no living set.
bool is_event_set(abi::nvmlEventSet_t set);
bool free_event_set(abi::nvmlEventSet_t set);

}  // namespace nvmlkit::driver
