// What the host makes of arithmetic with a direction of rounding, and of numbers with few bits.
#pragma once

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace roundings {

using Word = std::uint64_t;

constexpr int kNear = FE_TONEAREST, kZero = FE_TOWARDZERO, kUp = FE_UPWARD, kDown = FE_DOWNWARD;

// f(a, b, c), rounded in a direction.
template <class T, class F>
auto towards(int direction, F f, T a, T b = 0, T c = 0) {
  volatile T x = a, y = b, z = c;
  std::fesetround(direction);
  volatile auto out = f(T{x}, T{y}, T{z});
  std::fesetround(FE_TONEAREST);
  return static_cast<std::remove_cv_t<decltype(out)>>(out);
}
template <class To, class From>
To converted(int direction, From from) {
  return towards(
      direction, [](From x, From, From) { return static_cast<To>(x); }, from);
}
template <class T>
T rounded(int direction, T value) {
  return towards(
      direction, [](T x, T, T) { return std::nearbyint(x); }, value);
}

// The integer that a number is rounded to, or the last one that there is. Of none, PTX says what becomes of it.
template <class T, class Float>
T whole(int direction, Float x) {
  constexpr bool kGivesMost = sizeof(T) == 8 || std::is_same_v<Float, double>;
  if (std::isnan(x)) return kGivesMost ? static_cast<T>(Word{1} << (8 * sizeof(T) - 1)) : T{0};
  const long double r = rounded(direction, x);
  using Limits = std::numeric_limits<T>;
  return r <= Limits::min() ? Limits::min() : r >= Limits::max() ? Limits::max() : static_cast<T>(r);
}

// A number with so many bits, each of them worth 2^least or more.
inline double narrowed(int direction, double x, int bits, int least, double largest) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - bits, least)), r = rounded(direction, x / unit) * unit;
  if (std::fabs(r) <= largest) return std::copysign(r, x);
  const bool stays = direction == kZero || direction == (x < 0 ? kUp : kDown);
  return std::copysign(stays ? largest : HUGE_VAL, x);
}
inline double half_of(double x, int direction = kNear) { return narrowed(direction, x, 11, -24, 65504); }
inline double bfloat_of(double x, int direction = kNear) {
  return narrowed(direction, x, 8, -133, std::ldexp(255, 120));
}
// What bits of them mean.
inline double value_of(unsigned bits, int mantissa) {
  const int most = (1 << (15 - mantissa)) - 1, exponent = static_cast<int>(bits >> mantissa) & most;
  const int fraction = static_cast<int>(bits) & ((1 << mantissa) - 1), least = 1 - most / 2 - mantissa;
  const double size = exponent == most ? (fraction ? NAN : HUGE_VAL)
                      : exponent == 0  ? std::ldexp(fraction, least)
                                       : std::ldexp(fraction + (1 << mantissa), least + exponent - 1);
  return bits >> 15 & 1 ? -size : size;
}

inline double saturated(double x) { return x > 0 ? std::min(x, 1.0) : 0; }
inline bool is_less(double x, double y) { return x < y || (x == y && std::signbit(x) && !std::signbit(y)); }
inline double least(double x, double y) { return std::isnan(x) || is_less(y, x) ? y : x; }
inline double greatest(double x, double y) { return std::isnan(x) || is_less(x, y) ? y : x; }
template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To out;
  std::memcpy(&out, &from, sizeof out);
  return out;
}

}  // namespace roundings
