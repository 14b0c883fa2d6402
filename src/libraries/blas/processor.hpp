// The kind of processor that OpenBLAS has functions for, as it was chosen.
#pragma once

namespace nvmlkit::blas {

const char* core_name();
// Whether these functions use AVX2 or more.
bool uses_vectors();

}  // namespace nvmlkit::blas
