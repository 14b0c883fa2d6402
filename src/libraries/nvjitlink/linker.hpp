// The linker of libcuda.so.1.
#pragma once

#include "libraries/nvjitlink/types.hpp"

namespace nvmlkit::nvjitlink {

// Makes the image of the inputs, for the current GPU, or of the errors.
nvJitLinkResult link_now(Link& link);

}  // namespace nvmlkit::nvjitlink
