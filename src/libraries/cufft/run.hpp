// A plan that is handed to its stream.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft {

// `direction`: CUFFT_FORWARD or CUFFT_INVERSE; of a transform with a real side it does not count. The plan has a
// layout.
cufftResult run(const Call& call, void* in, void* out, int direction);

}  // namespace nvmlkit::cufft
