// Minima and maxima of numbers that are a known number apart from lane to lane: programs keep indices inside of an
// array by them. Which of both each lane takes depends on what lane 0 has. Code takes for granted that it is as in the
// warp that the code is made for, and checks that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {

struct Extreme {
  Shape shape;               // of the result,
  std::int64_t least, most;  // if lane 0 of the first number has so much more than lane 0 of the second
};

// Nothing for other instructions, and where one of both has no known shape. Two numbers that are the same for all lanes
// need no check.
std::optional<Extreme> extreme_of(const Pure& pure, const std::vector<Shape>& arguments);

}  // namespace nvmlkit::ptx::jit
