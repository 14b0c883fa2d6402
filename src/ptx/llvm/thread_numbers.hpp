// %tid of the lanes of a warp follows from the size of its block.
#pragma once

#include <cstdint>

#include "ptx/llvm/shape.hpp"

namespace nvmlkit::ptx::jit {

// Whether the lanes of each warp have this shape in %tid.x, .y or .z (`dimension` 0 to 2), in blocks of `x` by `y`
// threads and any number in z.
bool have_in_all_warps(const Shape& shape, unsigned dimension, std::uint64_t x, std::uint64_t y);

}  // namespace nvmlkit::ptx::jit
