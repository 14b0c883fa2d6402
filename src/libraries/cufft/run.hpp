// A plan that is handed to its stream.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft {

// `direction`: CUFFT_FORWARD or CUFFT_INVERSE; of a transform with a real side it does not count. The plan has a
// layout.
cufftResult run(const Call& call, void* in, void* out, int direction);

// The same of some of the plan's transforms, in a stream of the current context.
cufftResult run_batch(const Call& call, CUstream stream, void* in, void* out, int direction, std::int64_t batch);

// The sign of the exponent.
int sign_of(fft::Kind kind, int direction);

}  // namespace nvmlkit::cufft
