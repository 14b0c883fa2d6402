// Copies lists of a graph into the caller's memory.
#pragma once

#include <algorithm>
#include <vector>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

// Writes as many as there is room for, and how many those are; without a place for them, how many there are.
template <class T>
CUresult hand_out(const std::vector<T>& all, std::size_t* count, T* out) {
  if (!out) {
    *count = all.size();
    return CUDA_SUCCESS;
  }
  const auto room = *count;
  *count = std::min(room, all.size());
  std::copy_n(all.begin(), *count, out);
  std::fill(out + *count, out + room, T{});
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda
