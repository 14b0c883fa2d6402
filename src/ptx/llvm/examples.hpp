// What lane 0 has in the warp that code is made for. Nothing follows from it: it only tells what is worth checking.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {

// Of a result, where those of all arguments are known.
std::optional<std::uint64_t> example_of(const Pure& pure, const std::vector<Shape>& arguments);

}  // namespace nvmlkit::ptx::jit
