// History of a quantity, and curves of it.
#include "top/history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "top/symbols.hpp"

namespace nvmlkit::top {
namespace {

TEST(History, ReturnsTheNewestValuesWithGaps) {
  History history;
  history.add(5, 50);
  history.add(6, 60);
  history.add(9, 90);  // 7 and 8 were left out
  history.add(10, std::nullopt);
  const auto last = history.last(7, 10);
  ASSERT_EQ(last.size(), 7U);
  EXPECT_TRUE(std::isnan(last[0]));  // before the first
  EXPECT_EQ(last[1], 50);
  EXPECT_EQ(last[2], 60);
  EXPECT_TRUE(std::isnan(last[3]) && std::isnan(last[4]));
  EXPECT_EQ(last[5], 90);
  EXPECT_TRUE(std::isnan(last[6]));
}

TEST(History, ForgetsWhatIsOlderThanItsLength) {
  History history;
  for (std::uint64_t frame = 1; frame <= 3 * History::kLength; ++frame) history.add(frame, static_cast<double>(frame));
  const auto all = history.last(2 * History::kLength, 3 * History::kLength);
  EXPECT_TRUE(std::isnan(all[History::kLength - 1]));
  EXPECT_EQ(all[History::kLength], 2.0 * History::kLength + 1);
  EXPECT_EQ(all.back(), 3.0 * History::kLength);
  // After a long absence nothing old shows.
  history.add(10 * History::kLength, 1);
  const auto later = history.last(History::kLength, 10 * History::kLength);
  EXPECT_EQ(later.back(), 1);
  for (std::size_t i = 0; i + 1 < later.size(); ++i) ASSERT_TRUE(std::isnan(later[i])) << i;
}

TEST(History, OfAGpuThatIsNotPolledNowEndsWithAGap) {
  History history;
  history.add(1, 10);
  const auto last = history.last(3, 3);
  EXPECT_EQ(last[0], 10);
  EXPECT_TRUE(std::isnan(last[1]) && std::isnan(last[2]));
}

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

TEST(Curve, OfDotsHasFourStepsInARowAndTwoValuesInAColumn) {
  const Symbols symbols{false, Curves::braille};
  EXPECT_EQ(values_across(3, symbols), 6U);
  const double values[] = {0.25, 0.5, 0.75, 1, 0, kGap};
  EXPECT_EQ(curve(values, 3, 1, symbols), std::vector<std::string>({"⣠⣾ "}));
  const double high[] = {1, 0.5};
  EXPECT_EQ(curve(high, 1, 2, symbols), std::vector<std::string>({"⡇", "⣿"}));
}

TEST(Curve, OfBlocksHasEightSteps) {
  const Symbols symbols{false, Curves::blocks};
  const double values[] = {0, 0.01, 0.5, 1, 7};
  EXPECT_EQ(curve(values, 5, 1, symbols), std::vector<std::string>({" ▁▄██"}));
}

TEST(Curve, OfAsciiHasThreeSteps) {
  const Symbols symbols{true, Curves::ascii};
  const double values[] = {0, 0.3, 0.6, 1};
  EXPECT_EQ(curve(values, 4, 1, symbols), std::vector<std::string>({" .:|"}));
}

TEST(Bar, FillsItsColumns) {
  Line line;
  add_bar(line, 0.5, 4, Style::good, {false, Curves::braille});
  EXPECT_EQ(line.text(), "██··");
  add_bar(line, 0.30, 4, Style::good, {true, Curves::ascii});
  EXPECT_EQ(line.text(), "██··|...");
  EXPECT_EQ(line.columns(), 8U);
}

}  // namespace
}  // namespace nvmlkit::top
