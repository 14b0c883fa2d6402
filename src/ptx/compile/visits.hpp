// Which of the warps that come to an instruction a piece of code is made for.
#pragma once

#include <cstdint>

namespace nvmlkit::ptx {

// The first and the last warps of a block often are unlike the others: they are at the border of an array. One in the
// middle is waited for, so many visits longer.
inline constexpr std::uint32_t kVisitsForMiddle = 64;

struct Visit {
  std::uint32_t count;
  bool is_due;  // a piece is worth having, and this is a warp for it
};

// The visit behind `before` others. `enough` may be less than it was for them.
inline Visit next_visit(std::uint32_t before, std::uint32_t enough, bool is_in_middle_of_block) {
  const auto last = enough + kVisitsForMiddle;
  const auto count = before < last ? before + 1 : enough;
  return {count, count == last || (count >= enough && is_in_middle_of_block)};
}

}  // namespace nvmlkit::ptx
