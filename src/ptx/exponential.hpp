// 2 to the power of a number, for ex2: the same steps here and in compiled code, so that results are equal, bit by bit.
#pragma once

#include <bit>
#include <cstdint>

namespace nvmlkit::ptx {

// Its series, for numbers of at most one half: the sum is exact to 53 bits.
inline constexpr double kExponentialSeries[] = {
    0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c0p-5,  0x1.3b2ab6fba4e77p-7,
    0x1.5d87fe78a6731p-10, 0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20, 0x1.b5253d395e7c4p-24,
    0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32, 0x1.c3bd650fc2986p-36,
};
inline constexpr unsigned kExponentialTerms = sizeof(kExponentialSeries) / sizeof(double);
// Beyond it, the result is no float other than 0 and infinity.
inline constexpr double kExponentialEnd = 200;
// With it added, a number is whole, and the lowest bits hold it.
inline constexpr double kExponentialWhole = 0x1.8p52;

// As exact as a double, in the range of floats.
inline double exponential(double x) {
  if (x != x) return x;
  const double near = x < -kExponentialEnd ? -kExponentialEnd : x > kExponentialEnd ? kExponentialEnd : x;
  const double shifted = near + kExponentialWhole;
  const double rest = near - (shifted - kExponentialWhole);
  double sum = kExponentialSeries[kExponentialTerms - 1];
  for (unsigned k = kExponentialTerms - 1; k-- > 0;) sum = sum * rest + kExponentialSeries[k];
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

}  // namespace nvmlkit::ptx
