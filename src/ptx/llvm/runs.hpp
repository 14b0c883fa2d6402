// Addresses that are rows in parts: of some lanes, then of others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/llvm/shape.hpp"

namespace nvmlkit::ptx::jit {

// Lanes that reach one number behind the other, or the same: from `first` on.
struct Run {
  unsigned first = 0, count = 1;
  std::int64_t step = 0;
};

// Numbers behind each other, each lane one of them.
struct Window {
  std::int64_t begin = 0;  // what the first one's address has more than that of lane 0
  unsigned count = 0;
  std::array<int, kLanes> of_lane{};
};

// Where a window of at most `most` numbers has those of all lanes.
std::optional<Window> window_of(const Shape& shape, std::int64_t size, unsigned most = kLanes);

// Of numbers of so many bytes. Nothing where there are many runs.
std::vector<Run> runs_of(const Shape& shape, std::int64_t size);

}  // namespace nvmlkit::ptx::jit
