// Fills of memory with one value, ready to run.
#pragma once

#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/memory/memory.hpp"

namespace nvmlkit::cuda {

class Fill {
 public:
  // Finds the memory, or returns the reason for its absence.
  CUresult find(const CUDA_MEMSET_NODE_PARAMS& params);

  std::size_t size() const { return row_ * params_.height; }
  // It has to be done when the call returns: the program can look at the memory, or wants it.
  bool is_synchronous() const;
  // The memory of the host has room for it.
  bool fits() const;
  void perform() const;

 private:
  bool is_zero_of_pages() const;

  CUDA_MEMSET_NODE_PARAMS params_{};
  std::size_t row_ = 0;  // bytes
  Span span_;
};

}  // namespace nvmlkit::cuda
