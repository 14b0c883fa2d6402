// NVIDIA's own libnvJitLink, which makes PTX of LTO-IR. It needs no GPU.
#pragma once

#include "libraries/nvjitlink/types.hpp"

namespace nvmlkit::nvjitlink {

// The PTX of the link's LTO-IR, or its errors. A line says so where the library is not installed.
nvJitLinkResult make_ptx(Link& link);

}  // namespace nvmlkit::nvjitlink
