// A single transform that several GPUs share, as stages.
#pragma once

#include "libraries/cufft/stages.hpp"

namespace nvmlkit::cufft {

// CUFFT_SUCCESS, or why the transform cannot begin with numbers of this format. `after`: the format of its results.
cufftResult check_begin(const Spread& spread, fft::Kind kind, cufftXtSubFormat before, cufftXtSubFormat& after);

// Null where check_begin() refuses. Throws std::bad_alloc where there is no memory for it.
std::shared_ptr<const Stages> make_stages(const Spread& spread, const Layout& layout, cufftXtSubFormat before,
                                          int sign);

}  // namespace nvmlkit::cufft
