// The hyperbolic tangent of f32, for tanh: the same steps here and in compiled code, so that results are equal, bit by
// bit.
#pragma once

#include <cmath>

#include "ptx/exponential.hpp"

namespace nvmlkit::ptx {

// e to the power of 2x is 2 to the power of this times x.
inline constexpr double kTwoOverLogarithmOfTwo = 0x1.71547652b82fep+1;
// Below it, two terms of the series are more exact.
inline constexpr double kHyperbolicSmall = 0x1p-10;
inline constexpr double kHyperbolicCubic = -0x1.5555555555555p-2;

// Of a float as a double; more exact than a float.
inline double hyperbolic_tangent(double x) {
  if (std::fabs(x) < kHyperbolicSmall) return x * (1 + x * x * kHyperbolicCubic);
  const double power = exponential(x * kTwoOverLogarithmOfTwo);
  return (power - 1) / (power + 1);
}

}  // namespace nvmlkit::ptx
