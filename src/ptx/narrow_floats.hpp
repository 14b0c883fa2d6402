// Conversion of 16-bit floats (and tf32) to host numbers, and back with each rounding.
#pragma once

#include <bit>
#include <cstdint>

#include "ptx/types.hpp"

namespace nvmlkit::ptx {

// One of two numbers, as compilers make vectors of it.
template <class T>
T chosen(bool first, T a, T b) {
  const auto mask = static_cast<T>(~(T{first} - 1));
  return (a & mask) | (b & ~mask);
}

// A double as the nearest number with so many bits of exponent and fraction; NaN becomes all ones. Without branches, so
// that a loop over lanes becomes vectors.
template <int exponent_bits, int fraction_bits>
inline std::uint32_t nearest(double value) {
  constexpr int kShift = 52 - fraction_bits, kBias = (1 << (exponent_bits - 1)) - 1;
  constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  constexpr std::uint64_t kLeastNormal = std::uint64_t{1024 - kBias} << 52;
  // Its last bit is that of small results, so that an addition rounds there.
  constexpr std::uint64_t kPlace = std::uint64_t{1023 + 1 - kBias - fraction_bits + 52} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto size = bits & ~(std::uint64_t{1} << 63);
  const auto half = (std::uint64_t{1} << (kShift - 1)) - 1 + (size >> kShift & 1);
  const auto usual = ((size + half) >> kShift) - (std::uint64_t{1023 - kBias} << fraction_bits);
  const auto small = std::bit_cast<std::uint64_t>(std::bit_cast<double>(size) + std::bit_cast<double>(kPlace)) - kPlace;
  auto out = chosen(size < kLeastNormal, small, usual);
  out = chosen(out > kInfinity, kInfinity, out);
  out |= bits >> 63 << (exponent_bits + fraction_bits);
  constexpr std::uint64_t kNoNumber = (std::uint64_t{1} << (exponent_bits + fraction_bits)) - 1;
  return static_cast<std::uint32_t>(chosen(size > std::uint64_t{0x7FF} << 52, kNoNumber, out));
}

// The same with each rounding.
template <int exponent_bits, int fraction_bits>
std::uint32_t narrowed(double value, Rounding rounding = Rounding::nearest) {
  if (rounding == Rounding::nearest) return nearest<exponent_bits, fraction_bits>(value);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63;
  const std::uint32_t sign = std::uint32_t{negative} << (exponent_bits + fraction_bits);
  constexpr std::uint32_t kInfinity = ((1u << exponent_bits) - 1) << fraction_bits;
  constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  if (value != value) return (1u << (exponent_bits + fraction_bits)) - 1;
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  if (exponent == 1024) return sign | kInfinity;
  if ((bits << 1) == 0) return sign;
  const auto fraction = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  const bool is_small = exponent < 1 - kBias;
  int shift = 52 - fraction_bits + (is_small ? 1 - kBias - exponent : 0);
  if (shift > 62) shift = 62;
  auto kept = fraction >> shift;
  const auto rest = fraction & ((std::uint64_t{1} << shift) - 1);
  const bool outwards = rounding == (negative ? Rounding::down : Rounding::up);
  kept += outwards && rest != 0;
  const auto whole = is_small ? kept : kept + (static_cast<std::uint64_t>(exponent + kBias - 1) << fraction_bits);
  if (exponent > kBias || whole >= kInfinity) return sign | (outwards ? kInfinity : kInfinity - 1);
  return sign | static_cast<std::uint32_t>(whole);
}

template <int exponent_bits, int fraction_bits>
float widened(std::uint32_t value) {
  constexpr std::uint32_t kFraction = (1u << fraction_bits) - 1;
  constexpr std::uint32_t kExponent = (1u << exponent_bits) - 1;
  const std::uint32_t sign = (value >> (exponent_bits + fraction_bits) & 1) << 31;
  const std::uint32_t exponent = value >> fraction_bits & kExponent;
  const std::uint32_t fraction = value & kFraction;
  constexpr std::uint32_t kBias = (1u << (exponent_bits - 1)) - 1;
  static_assert(kBias + fraction_bits < 128);
  const float small = static_cast<float>(static_cast<std::int32_t>(fraction)) *
                      std::bit_cast<float>((128u - kBias - fraction_bits) << 23);
  const auto place = chosen(exponent == kExponent, 255u, exponent + 127 - kBias);
  const auto usual = place << 23 | fraction << (23 - fraction_bits);
  return std::bit_cast<float>(sign | chosen(exponent == 0, std::bit_cast<std::uint32_t>(small), usual));
}

struct Half {
  std::uint16_t bits;
  static float wide(Half h) { return widened<5, 10>(h.bits); }
  static Half of(double v, Rounding r = Rounding::nearest) {
    return {static_cast<std::uint16_t>(narrowed<5, 10>(v, r))};
  }
};

struct Bfloat {
  std::uint16_t bits;
  static float wide(Bfloat b) { return std::bit_cast<float>(std::uint32_t{b.bits} << 16); }
  static Bfloat of(double v, Rounding r = Rounding::nearest) {
    return {static_cast<std::uint16_t>(narrowed<8, 7>(v, r))};
  }
};

// Eight bits. The first has no infinity: what is too large stays the largest number.
struct Float8E4M3 {
  std::uint8_t bits;
  static float wide(Float8E4M3 f) {
    if ((f.bits & 0x7F) == 0x7F) return std::bit_cast<float>(0x7FFFFFFFu);
    // Its largest exponent is one of numbers: read as if there were one more.
    return widened<5, 3>(static_cast<std::uint32_t>((f.bits & 0x80) << 1 | (f.bits & 0x7F))) * 256.0f;
  }
  static Float8E4M3 of(double v) {
    const auto sign = static_cast<std::uint8_t>(std::bit_cast<std::uint64_t>(v) >> 63 << 7);
    if (v != v) return {0x7F};
    const double size = v < 0 ? -v : v;
    if (size >= 448) return {static_cast<std::uint8_t>(sign | 0x7E)};
    return {static_cast<std::uint8_t>(sign | (narrowed<5, 3>(size / 256.0) & 0x7F))};
  }
};

struct Float8E5M2 {
  std::uint8_t bits;
  static float wide(Float8E5M2 f) { return widened<5, 2>(f.bits); }
  static Float8E5M2 of(double v) {
    if (v > 57344 || v < -57344) return {static_cast<std::uint8_t>(v < 0 ? 0xFB : 0x7B)};
    return {static_cast<std::uint8_t>(narrowed<5, 2>(v))};
  }
};

// Two numbers in one register.
template <class T>
struct Pair {
  T low, high;
};

}  // namespace nvmlkit::ptx
