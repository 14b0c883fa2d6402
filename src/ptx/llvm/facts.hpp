// What is known of a function, for all of its pieces.
#pragma once

#include <cstdint>
#include <set>

#include "ptx/llvm/data.hpp"
#include "ptx/llvm/needs.hpp"

namespace nvmlkit::ptx::jit {

struct Facts {
  explicit Facts(const Function& function) : needs(function), data(function, needs) {}

  const Needs needs;
  const Data data;
  std::set<std::uint32_t> plain_loops;  // begin at these, and are not worth a look of their own
};

}  // namespace nvmlkit::ptx::jit
