#include "ptx/llvm/thread_numbers.hpp"

#include <array>

namespace nvmlkit::ptx::jit {
namespace {

constexpr std::uint64_t kMostThreads = 1024;  // of a block

}  // namespace

bool have_in_all_warps(const Shape& shape, unsigned dimension, std::uint64_t x, std::uint64_t y) {
  if (shape.is_any || shape.value || x == 0 || y == 0) return false;
  const auto number_of = [&](std::uint64_t thread) {
    const std::array<std::uint64_t, 3> numbers{thread % x, thread / x % y, thread / x / y};
    return static_cast<std::int64_t>(numbers.at(dimension));
  };
  for (std::uint64_t first = 0; first < kMostThreads; first += kLanes)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (number_of(first + lane) - number_of(first) != shape.more[lane]) return false;
  return true;
}

}  // namespace nvmlkit::ptx::jit
