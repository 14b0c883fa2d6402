// What a GPU returns where a result is no number, and what `.ftz` makes of small ones: seen on an H100 (driver 580).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "ptx/narrow_floats.hpp"

namespace nvmlkit::ptx {

// Of f32 there is one.
inline float settled(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  return std::bit_cast<float>((bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FFFFFFFu : bits);
}

// Of f64 the first operand of these that is none, with its sign and its bits.
inline double no_number_of(double a) {
  const auto bits = std::bit_cast<std::uint64_t>(a);
  return std::bit_cast<double>(a == a ? 0xFFF8000000000000 : bits | 0x0008000000000000);
}
inline double no_number_of(double a, double b) { return no_number_of(a == a ? b : a); }
inline double no_number_of(double a, double b, double c) { return no_number_of(a == a ? b : a, c); }

// F with such results. `in_order`: the first operand counts first, else the second, the third, and then the first.
template <class F, bool in_order = false>
struct Settled {
  using Plain = F;  // enough where the result is rounded to 16 bits, which have one form of no number
  static constexpr bool is_one_by_one() {
    if constexpr (requires { F::kOneByOne; }) return F::kOneByOne;
    return false;
  }
  static constexpr bool kOneByOne = is_one_by_one();

  static float of(float a) { return settled(F::of(a)); }
  static float of(float a, float b) { return settled(F::of(a, b)); }
  static float of(float a, float b, float c) { return settled(F::of(a, b, c)); }
  static double of(double a) {
    const double out = F::of(a);
    return out == out ? out : no_number_of(a);
  }
  static double of(double a, double b) {
    const double out = F::of(a, b);
    return out == out ? out : in_order ? no_number_of(a, b) : no_number_of(b, a);
  }
  static double of(double a, double b, double c) {
    const double out = F::of(a, b, c);
    return out == out ? out : no_number_of(b, c, a);
  }
};

inline float flushed(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  return std::bit_cast<float>((bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits);
}

// F of f32, of which small operands count as zero.
template <class F>
struct OfFlushed {
  static float of(float a) { return F::of(flushed(a)); }
  static float of(float a, float b) { return F::of(flushed(a), flushed(b)); }
  static float of(float a, float b, float c) { return F::of(flushed(a), flushed(b), flushed(c)); }
};

// What a change of f32 or f64 in memory adds up to. In global memory, small f32 count as zero, and a number that is
// none stays as it is: the operand, or what was there. In shared memory it is an addition.
struct AddInMemory {
  static float of(float a, float b, bool in_shared = false) {
    return settled(in_shared ? a + b : flushed(flushed(a) + flushed(b)));
  }
  static double of(double a, double b, bool in_shared = false) {
    const double out = a + b;
    if (out == out) return out;
    if (in_shared) return no_number_of(a, b);
    return b == b ? a == a ? no_number_of(a) : a : b;
  }
};

// Numbers that are read so.
struct FlushedFloat {
  float number;
  static float wide(FlushedFloat f) { return flushed(f.number); }
};
struct FlushedHalf {
  std::uint16_t bits;
  static float wide(FlushedHalf h) {
    return Half::wide({static_cast<std::uint16_t>((h.bits & 0x7C00) == 0 ? h.bits & 0x8000 : h.bits)});
  }
};

// F on f16 is F on doubles; the result counts as small before it is rounded.
template <class F>
struct LiftedFlushed {
  template <class... Rest>
  static Half of(Half a, Rest... rest) {
    const double out = F::of(wide(a), wide(rest)...);
    return Half::of(std::fabs(out) < 0x1p-14 ? std::copysign(0.0, out) : out);
  }
  template <class... Rest>
  static Pair<Half> of(Pair<Half> a, Rest... rest) {
    return {of(a.low, rest.low...), of(a.high, rest.high...)};
  }

 private:
  static double wide(Half h) { return static_cast<double>(FlushedHalf::wide({h.bits})); }
};

}  // namespace nvmlkit::ptx
