// Addresses that are rows in parts: of some lanes, then of others.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/llvm/shape.hpp"

namespace nvmlkit::ptx::jit {

// Lanes that reach one number behind the other, or the same: from `first` on.
struct Run {
  unsigned first = 0, count = 1;
  std::int64_t step = 0;
};

// Of numbers of so many bytes. Nothing where there are many runs.
std::vector<Run> runs_of(const Shape& shape, std::int64_t size);

}  // namespace nvmlkit::ptx::jit
