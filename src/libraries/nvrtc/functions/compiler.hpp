// The compiler itself: versions, architectures, errors.
#pragma once

#include "libraries/nvrtc/next.hpp"

namespace nvmlkit::nvrtc::functions {

const char* text_of_error(nvrtcResult result);
nvrtcResult version(int* major, int* minor);
nvrtcResult count_architectures(int* count);
nvrtcResult architectures(int* all);
nvrtcResult header_heap(std::size_t* size);
nvrtcResult set_header_heap(std::size_t size);

}  // namespace nvmlkit::nvrtc::functions
