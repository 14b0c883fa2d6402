// The end of all that a device's primary context owns.
#pragma once

#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

// Threads that the context is current in go on with the one that takes its place, unless a kernel has failed.
CUresult renew_context(int device);

}  // namespace nvmlkit::cudart
