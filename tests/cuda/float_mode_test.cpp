// What PTX rounds and flushes, the floating point unit of this processor does.
#include "ptx/instructions/numbers/float_mode.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace nvmlkit::ptx {
namespace {

// Out of sight of the compiler, which computes with the mode that a program has at its start.
__attribute__((noinline)) float quotient(const volatile float& a, const volatile float& b) { return a / b; }

float third_with(Rounding rounding, float sign = 1) {
  const FloatMode mode{.rounding = rounding};
  const volatile float a = sign, b = 3;
  const FloatUnit unit(mode.packed());
  return quotient(a, b);
}

TEST(FloatMode, RoundsAsTold) {
  const float below = 0x1.555554p-2f, above = 0x1.555556p-2f;
  EXPECT_EQ(third_with(Rounding::nearest), above);
  EXPECT_EQ(third_with(Rounding::up), above);
  EXPECT_EQ(third_with(Rounding::down), below);
  EXPECT_EQ(third_with(Rounding::zero), below);
  EXPECT_EQ(third_with(Rounding::down, -1), -above);
  EXPECT_EQ(third_with(Rounding::zero, -1), -below);
  EXPECT_EQ(third_with(Rounding::up, -1), -below);
}

TEST(FloatMode, FlushesResultsAndOperands) {
  constexpr float kLeast = std::numeric_limits<float>::min();
  const volatile float least = kLeast, half = kLeast / 2, small = 0.5F, two = 2;
  const FloatMode plain, flushing{.flushes = true};
  {
    const FloatUnit unit(plain.packed());
    EXPECT_EQ(quotient(least, two), kLeast / 2);
    EXPECT_EQ(quotient(half, small), kLeast);
  }
  {
    const FloatUnit unit(flushing.packed());
    EXPECT_TRUE(quotient(least, two) == 0);
    EXPECT_TRUE(quotient(half, small) == 0);
  }
  EXPECT_EQ(quotient(least, two), kLeast / 2);  // as before
}

}  // namespace
}  // namespace nvmlkit::ptx
