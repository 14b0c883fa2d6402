// The kind of processor that OpenBLAS has functions for, as it was chosen.
#pragma once

#include "libraries/blas/convert.hpp"

namespace nvmlkit::blas {

NVMLKIT_BLAS const char* core_name();
// Whether these functions use AVX2 or more.
NVMLKIT_BLAS bool uses_vectors();

}  // namespace nvmlkit::blas
