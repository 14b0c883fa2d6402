// Sine and cosine of f32, for sin and cos: the same steps here and in compiled code, so that results are equal, bit by
// bit.
#pragma once

#include <bit>
#include <cstdint>

namespace nvmlkit::ptx {

// A quarter of a turn, in parts. A whole number of up to 26 bits times one of the first two parts is exact.
inline constexpr double kQuarterTurn[] = {0x1.921fb54000000p+0, 0x1.10b4610000000p-30, 0x1.a62633145c06ep-58};
inline constexpr double kQuartersInOne = 0x1.45f306dc9c883p-1;
// From here on, a number of turns is whole if it is rounded to f32.
inline constexpr double kCircularEnd = 0x1p26;
// With it added, a number is whole, and the lowest bits hold it.
inline constexpr double kCircularWhole = 0x1.8p52;
// Up to an eighth of a turn: of the square, for the sine divided by the angle, and for the cosine.
inline constexpr double kSineSeries[] = {
    0x1.0000000000000p+0,  -0x1.5555555555555p-3,  0x1.1111111111111p-7,  -0x1.a01a01a01a01ap-13,
    0x1.71de3a556c734p-19, -0x1.ae64567f544e4p-26, 0x1.6124613a86d09p-33, -0x1.ae7f3e733b81fp-41,
};
inline constexpr double kCosineSeries[] = {
    0x1.0000000000000p+0,  -0x1.0000000000000p-1,  0x1.5555555555555p-5,  -0x1.6c16c16c16c17p-10,
    0x1.a01a01a01a01ap-16, -0x1.27e4fb7789f5cp-22, 0x1.1eed8eff8d898p-29, -0x1.93974a8c07c9dp-37,
};
inline constexpr unsigned kCircularTerms = sizeof(kSineSeries) / sizeof(double);
static_assert(sizeof(kSineSeries) == sizeof(kCosineSeries));

// The sine of an angle with so many quarters of a turn more. Of a float as a double; more exact than a float.
inline double sine_behind(double x, std::uint64_t quarters) {
  const double near = x > -kCircularEnd && x < kCircularEnd ? x : x - x;
  const double shifted = near * kQuartersInOne + kCircularWhole;
  const double whole = shifted - kCircularWhole;
  double rest = near;
  for (const double part : kQuarterTurn) rest -= whole * part;
  const double square = rest * rest;
  double sine = kSineSeries[kCircularTerms - 1], cosine = kCosineSeries[kCircularTerms - 1];
  for (unsigned k = kCircularTerms - 1; k-- > 0;) {
    sine = sine * square + kSineSeries[k];
    cosine = cosine * square + kCosineSeries[k];
  }
  const auto quarter = std::bit_cast<std::uint64_t>(shifted) + quarters;
  const double out = quarter & 1 ? cosine : sine * rest;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(out) ^ (quarter & 2) << 62);
}

inline double sine(double x) { return sine_behind(x, 0); }
inline double cosine(double x) { return sine_behind(x, 1); }

}  // namespace nvmlkit::ptx
