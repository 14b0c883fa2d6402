// The logarithm to base 2 of f32, for lg2: the same steps here and in compiled code, so that results are equal, bit by
// bit.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace nvmlkit::ptx {

// Of the square of (x - 1) / (x + 1), for x from the root of one half to that of two.
inline constexpr double kLogarithmSeries[] = {
    0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1, 0x1.a61762a7aded9p-2, 0x1.484b13d7c02a9p-2,
    0x1.0c9a84994022dp-2, 0x1.c68f568d31760p-3, 0x1.89f3b1694cffep-3, 0x1.5b9ac9b743f0dp-3,
};
inline constexpr unsigned kLogarithmTerms = sizeof(kLogarithmSeries) / sizeof(double);
inline constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCD;
// A double with these bits has the lower ones of a small number in its lowest; the bias keeps that above zero.
inline constexpr std::uint64_t kLogarithmWhole = 0x4330000000000000, kLogarithmBias = 2048;
inline constexpr double kLogarithmOfBias = 0x1p52 + 2048;

// Of a float as a double; more exact than a float.
inline double logarithm(double x) {
  using Limits = std::numeric_limits<double>;
  const auto bits = std::bit_cast<std::uint64_t>(x), above = bits - kRootOfHalf;
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(above) >> 52);
  const double fraction = std::bit_cast<double>(bits - (exponent << 52));
  const double whole = std::bit_cast<double>(kLogarithmWhole | (exponent + kLogarithmBias)) - kLogarithmOfBias;
  const double ratio = (fraction - 1) / (fraction + 1), square = ratio * ratio;
  double sum = kLogarithmSeries[kLogarithmTerms - 1];
  for (unsigned k = kLogarithmTerms - 1; k-- > 0;) sum = sum * square + kLogarithmSeries[k];
  const double out = whole + ratio * sum;
  if (x > 0) return x < Limits::infinity() ? out : x;
  return x == 0 ? -Limits::infinity() : Limits::quiet_NaN();
}

}  // namespace nvmlkit::ptx
