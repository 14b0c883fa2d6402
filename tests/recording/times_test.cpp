// Times as tools print them.
#include "recording/times.hpp"

#include <gtest/gtest.h>

namespace nvmlkit::recording {
namespace {

constexpr std::int64_t kInstant = 1795455909000;

TEST(Times, OfAllTools) {
  for (const auto* text :
       {"2026/11/23 17:45:09", "2026/11/23 17:45:09.000", "20261123 17:45:09", "2026-11-23T17:45:09Z",
        "2026-11-23T18:45:09,000+01:00", "2026-11-23 12:15:09-0530", "Mon Nov 23 17:45:09 2026"})
    EXPECT_EQ(time_of(text), kInstant) << text;
  EXPECT_EQ(time_of("2026/11/23 17:45:09.123456"), kInstant + 123);
  EXPECT_EQ(time_of("Wed Nov  4 00:00:00 2026"), 1793750400000);
}

TEST(Times, ThatAreNone) {
  for (const auto* text : {"", "now", "2026/13/23 17:45:09", "2026/11/31 17:45:09", "20261123", "2026/11/23 24:00:00",
                           "2026/11/23 17:45", "Mon Foo 23 17:45:09 2026", "2026/11/23 17:45:09 x"})
    EXPECT_FALSE(time_of(text)) << text;
}

}  // namespace
}  // namespace nvmlkit::recording
