// Which warp of a block a piece of code is made for.
#include "ptx/compile/visits.hpp"

#include <gtest/gtest.h>

namespace nvmlkit::ptx {
namespace {

constexpr std::uint32_t kWarps = 8, kMiddle = kWarps / 2;

// The warps of block after block come to an instruction. The first one that a piece is made for.
struct Due {
  std::uint32_t warp = 0, count = 0;
};
Due first_due(std::uint32_t before, std::uint32_t enough, std::uint32_t first_warp, bool has_middle = true) {
  auto count = before;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const auto warp = (first_warp + i) % kWarps;
    const auto visit = next_visit(count, enough, has_middle && warp == kMiddle);
    if (visit.is_due) return {warp, visit.count};
    count = visit.count;
  }
  ADD_FAILURE() << "a piece is never made";
  return {};
}

TEST(Visits, PieceIsMadeForAWarpInTheMiddle) {
  for (std::uint32_t first = 0; first < kWarps; ++first) {
    const auto due = first_due(0, 3000, first);
    EXPECT_EQ(due.warp, kMiddle) << first;
    EXPECT_GE(due.count, 3000u);
    EXPECT_LT(due.count, 3000u + kWarps);
  }
}

TEST(Visits, MoreThanEnoughAlready) {
  for (std::uint32_t first = 0; first < kWarps; ++first)
    EXPECT_EQ(first_due(11'000, 3000, first).warp, kMiddle) << first;
}

TEST(Visits, AnyWarpWhereNoneOfTheMiddleComes) {
  EXPECT_EQ(first_due(0, 3000, 0, false).count, 3000u + kVisitsForMiddle);
  EXPECT_EQ(first_due(11'000, 3000, 0, false).count, 3000u + kVisitsForMiddle);
}

}  // namespace
}  // namespace nvmlkit::ptx
