// Values that kernels set. Conditional nodes of graphs read them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

// Lives with the graph that it was made for and what was made ready of it.
struct Condition {
  CUgraphConditionalHandle handle = 0;
  std::atomic<std::uint32_t> value{0};
  std::uint32_t at_launch = 0;
  bool is_set_at_launch = false;

  ~Condition();
};

namespace conditions {

std::shared_ptr<Condition> make(std::uint32_t at_launch, bool is_set_at_launch);
// Null for what is none, or no longer one.
std::shared_ptr<Condition> find(CUgraphConditionalHandle handle);

}  // namespace conditions
}  // namespace nvmlkit::cuda
