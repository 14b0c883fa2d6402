// Host types of PTX types, and functions of one type extended to the narrow types.
#pragma once

#include <type_traits>

#include "ptx/decode/variants.hpp"
#include "ptx/narrow_floats.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {

template <class T>
inline constexpr bool kIsNarrow = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;
template <class T>
inline constexpr bool kIsPair = false;
template <class T>
inline constexpr bool kIsPair<Pair<T>> = true;

// F on numbers of 16 bits is F on doubles, rounded once; on pairs it is F on each.
template <class F>
struct Lifted {
  template <class T, class... Rest>
  static T of(T a, Rest... rest) {
    if constexpr (kIsNarrow<T> && requires { typename F::Plain; })
      return Lifted<typename F::Plain>::of(a, rest...);
    else if constexpr (kIsNarrow<T>)
      return T::of(F::of(static_cast<double>(T::wide(a)), static_cast<double>(T::wide(rest))...));
    else if constexpr (kIsPair<T>)
      return {of(a.low, rest.low...), of(a.high, rest.high...)};
    else
      return F::of(a, rest...);
  }
};

// The same as map1, map2 and map3 of pairs: where all lanes act, their parts are one row of numbers.
template <class T, class F, class... From>
void map_parts(Warp& w, const Instruction& i, Mask lanes, From... from) {
  const auto apply = [&](auto* d, unsigned k, auto*... of) { d[k] = F::of(of[k]...); };
  if (lanes != kAllLanes)
    return each_lane(lanes, [&](unsigned l) { apply(w.at<Pair<T>>(i.d), l, w.at<Pair<T>>(from)...); });
  auto* const d = w.at<T>(i.d);
#pragma GCC ivdep
  for (unsigned k = 0; k < 2 * kLanes; ++k) apply(d, k, w.at<T>(from)...);
}
template <class T, class F>
void map1_parts(Warp& w, const Instruction& i, Mask lanes) {
  map_parts<T, F>(w, i, lanes, i.a);
}
template <class T, class F>
void map2_parts(Warp& w, const Instruction& i, Mask lanes) {
  map_parts<T, F>(w, i, lanes, i.a, i.b);
}
template <class T, class F>
void map3_parts(Warp& w, const Instruction& i, Mask lanes) {
  map_parts<T, F>(w, i, lanes, i.a, i.b, i.c);
}

// cvt to whole numbers between registers of the size of their types; null for some.
Handler rounded_conversion(Type to, Type from, Rounding rounding);

// Handlers of one F for the types that it has a meaning for; null for others.
template <class F>
Handler unary_float(Type type) {
  switch (type) {
    case Type::f32:
      return best<&map1<float, float, F>>();
    case Type::f64:
      return best<&map1<double, double, F>>();
    case Type::f16:
      return best<&map1<Half, Half, Lifted<F>>>();
    case Type::bf16:
      return best<&map1<Bfloat, Bfloat, Lifted<F>>>();
    case Type::f16x2:
      return best<&map1_parts<Half, Lifted<F>>>();
    case Type::bf16x2:
      return best<&map1_parts<Bfloat, Lifted<F>>>();
    default:
      return nullptr;
  }
}

template <class T, class F>
constexpr Handler kBinaryOf = &map2<T, T, T, F>;
template <class T, class F>
requires kIsNarrow<T>
constexpr Handler kBinaryOf<Pair<T>, F> = &map2_parts<T, F>;

template <class F>
Handler binary_float(Type type) {
  switch (type) {
    case Type::f32:
      return best<kBinaryOf<float, F>>();
    case Type::f64:
      return best<kBinaryOf<double, F>>();
    case Type::f16:
      return best<kBinaryOf<Half, Lifted<F>>>();
    case Type::bf16:
      return best<kBinaryOf<Bfloat, Lifted<F>>>();
    case Type::f16x2:
      return best<kBinaryOf<Pair<Half>, Lifted<F>>>();
    case Type::bf16x2:
      return best<kBinaryOf<Pair<Bfloat>, Lifted<F>>>();
    default:
      return nullptr;
  }
}

// Of bits, whatever they mean.
template <class F>
Handler unary_bits(Type type) {
  switch (size_of(type)) {
    case 2:
      return &map1<std::uint16_t, std::uint16_t, F>;
    case 4:
      return &map1<std::uint32_t, std::uint32_t, F>;
    case 8:
      return &map1<std::uint64_t, std::uint64_t, F>;
    default:
      return nullptr;
  }
}

template <class F>
Handler binary_unsigned(Type type) {
  switch (size_of(type)) {
    case 2:
      return kBinaryOf<std::uint16_t, F>;
    case 4:
      return best<kBinaryOf<std::uint32_t, F>>();
    case 8:
      return best<kBinaryOf<std::uint64_t, F>>();
    default:
      return nullptr;
  }
}

template <class F>
Handler binary_integer(Type type) {
  switch (type) {
    case Type::s16:
      return kBinaryOf<std::int16_t, F>;
    case Type::s32:
      return best<kBinaryOf<std::int32_t, F>>();
    case Type::s64:
      return best<kBinaryOf<std::int64_t, F>>();
    default:
      return is_float(type) ? nullptr : binary_unsigned<F>(type);
  }
}

// The second operand is a number of bits.
template <class F, class T>
constexpr Handler kShiftOf = &map2<T, T, std::uint32_t, F>;

template <class T, class F>
constexpr Handler kTernaryOf = &map3<T, T, T, T, F>;
template <class T, class F>
requires kIsNarrow<T>
constexpr Handler kTernaryOf<Pair<T>, F> = &map3_parts<T, F>;

template <class F>
Handler ternary_integer(Type type) {
  switch (type) {
    case Type::u16:
      return kTernaryOf<std::uint16_t, F>;
    case Type::u32:
      return best<kTernaryOf<std::uint32_t, F>>();
    case Type::u64:
      return best<kTernaryOf<std::uint64_t, F>>();
    case Type::s16:
      return kTernaryOf<std::int16_t, F>;
    case Type::s32:
      return best<kTernaryOf<std::int32_t, F>>();
    case Type::s64:
      return best<kTernaryOf<std::int64_t, F>>();
    default:
      return nullptr;
  }
}

// The upper half of a product.
template <class T>
T high_of_product(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    __extension__ using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>(static_cast<Wide>(a) * b >> 64);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(static_cast<Wide>(a) * b >> 8 * sizeof(T));
  }
}

// Without the undefined behaviour of signed overflow, or of small types becoming int.
template <class T>
T wrapped(std::uint64_t value) {
  return static_cast<T>(value);
}

}  // namespace nvmlkit::ptx
