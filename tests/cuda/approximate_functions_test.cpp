// Sine, cosine, logarithm and hyperbolic tangent of f32, as both engines compute them, against the host's library.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "ptx/circular.hpp"
#include "ptx/hyperbolic.hpp"
#include "ptx/logarithm.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::uint32_t kStep = 8191;  // between the bits of floats that are tried

// Calls `check` with floats of all sizes and signs.
template <class Check>
void with_floats(Check check) {
  for (std::uint64_t bits = 0; bits <= ~std::uint32_t{0}; bits += kStep)
    check(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

bool is_next_to(float a, float b) { return a == b || std::nextafter(a, b) == b; }

TEST(ApproximateFunctions, SinesAreThoseOfTheHost) {
  with_floats([](float x) {
    if (!(std::fabs(x) < kCircularEnd)) return;
    const double wide = x;
    ASSERT_TRUE(is_next_to(static_cast<float>(sine(wide)), static_cast<float>(std::sin(wide)))) << std::hexfloat << x;
    ASSERT_TRUE(is_next_to(static_cast<float>(cosine(wide)), static_cast<float>(std::cos(wide)))) << std::hexfloat << x;
  });
}

TEST(ApproximateFunctions, LargeAnglesAreWholeTurns) {
  for (const double x : {kCircularEnd, -kCircularEnd, 1e20, 3e38}) {
    EXPECT_EQ(sine(x), 0) << x;
    EXPECT_EQ(cosine(x), 1) << x;
  }
}

TEST(ApproximateFunctions, EndlessAnglesHaveNoSine) {
  for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    EXPECT_TRUE(std::isnan(sine(x)));
    EXPECT_TRUE(std::isnan(cosine(x)));
  }
}

TEST(ApproximateFunctions, ZeroKeepsItsSign) {
  EXPECT_FALSE(std::signbit(sine(0.0)));
  EXPECT_TRUE(std::signbit(sine(-0.0)));
}

TEST(ApproximateFunctions, LogarithmsAreThoseOfTheHost) {
  with_floats([](float x) {
    if (!(x > 0) || std::isinf(x)) return;
    const double wide = x;
    ASSERT_TRUE(is_next_to(static_cast<float>(logarithm(wide)), static_cast<float>(std::log2(wide))))
        << std::hexfloat << x;
  });
}

TEST(ApproximateFunctions, LogarithmsOfOtherNumbers) {
  EXPECT_EQ(logarithm(0.0), -HUGE_VAL);
  EXPECT_EQ(logarithm(-0.0), -HUGE_VAL);
  EXPECT_EQ(logarithm(HUGE_VAL), HUGE_VAL);
  EXPECT_EQ(logarithm(1.0), 0);
  EXPECT_EQ(logarithm(8.0), 3);
  EXPECT_TRUE(std::isnan(logarithm(-1.0)));
  EXPECT_TRUE(std::isnan(logarithm(std::nan(""))));
}

TEST(ApproximateFunctions, HyperbolicTangentsAreThoseOfTheHost) {
  with_floats([](float x) {
    if (std::isnan(x)) return;
    const double wide = x;
    ASSERT_TRUE(is_next_to(static_cast<float>(hyperbolic_tangent(wide)), static_cast<float>(std::tanh(wide))))
        << std::hexfloat << x;
  });
}

TEST(ApproximateFunctions, HyperbolicTangentsOfOtherNumbers) {
  EXPECT_EQ(hyperbolic_tangent(HUGE_VAL), 1);
  EXPECT_EQ(hyperbolic_tangent(-HUGE_VAL), -1);
  EXPECT_TRUE(std::signbit(hyperbolic_tangent(-0.0)));
  EXPECT_TRUE(std::isnan(hyperbolic_tangent(std::nan(""))));
}

}  // namespace
}  // namespace nvmlkit::ptx
