#include "libraries/blas/convert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace nvmlkit::blas {
namespace {

template <class T>
struct RealOf {
  using Real = T;
  static constexpr bool kIsComplex = false;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Real = T;
  static constexpr bool kIsComplex = true;
};

#ifdef __x86_64__
bool has_halves() {
  // Every CPU with AVX2 has F16C, whose name not every compiler knows here.
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
__attribute__((target("avx,f16c"))) void widen_halves(const Half* from, std::int64_t count, float* to) {
  std::int64_t k = 0;
  for (; k + 8 <= count; k += 8)
    _mm256_storeu_ps(to + k, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k))));
  for (; k < count; ++k) to[k] = Half::wide(from[k]);
}
__attribute__((target("avx,f16c"))) void narrow_to_halves(const float* from, std::int64_t count, Half* to) {
  std::int64_t k = 0;
  for (; k + 8 <= count; k += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), _mm256_cvtps_ph(_mm256_loadu_ps(from + k), 0));
  for (; k < count; ++k) to[k] = Half::of(from[k]);
}
#else
bool has_halves() { return false; }
void widen_halves(const Half*, std::int64_t, float*) {}
void narrow_to_halves(const float*, std::int64_t, Half*) {}
#endif

template <class From, class T, class Wide>
void load_as(const void* from, std::int64_t count, T* to, Wide wide) {
  const auto* const in = static_cast<const From*>(from);
  for (std::int64_t k = 0; k < count; ++k) to[k] = static_cast<T>(static_cast<typename RealOf<T>::Real>(wide(in[k])));
}

template <class From, class T, class Wide>
void load_pairs(const void* from, std::int64_t count, T* to, Wide wide) {
  using Real = typename RealOf<T>::Real;
  const auto* const in = static_cast<const From*>(from);
  for (std::int64_t k = 0; k < count; ++k) {
    if constexpr (RealOf<T>::kIsComplex)
      to[k] = T(static_cast<Real>(wide(in[2 * k])), static_cast<Real>(wide(in[2 * k + 1])));
    else
      to[k] = static_cast<Real>(wide(in[2 * k]));
  }
}

constexpr auto kAsItIs = [](auto v) { return v; };

// Through their bits: fast, and exactly as the hardware rounds.
float round_bits(float v, int dropped) {
  auto bits = std::bit_cast<std::uint32_t>(v);
  if ((bits & 0x7F800000u) == 0x7F800000u) return v;
  bits += (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
  return std::bit_cast<float>(bits & ~((1u << dropped) - 1));
}

template <class T>
void round_all(T* numbers, std::int64_t count, Rounding rounding) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, Complex>) {
    auto* const parts = reinterpret_cast<float*>(numbers);
    const auto size = count * static_cast<std::int64_t>(sizeof(T) / sizeof(float));
    for (std::int64_t k = 0; k < size; ++k)
      parts[k] = rounding == Rounding::tf32   ? round_bits(parts[k], 13)
                 : rounding == Rounding::bf16 ? round_bits(parts[k], 16)
                                              : Half::wide(Half::of(parts[k]));
  }
}

template <class T>
auto real_part(T v) {
  if constexpr (RealOf<T>::kIsComplex)
    return v.real();
  else
    return v;
}

template <class To, class T, class Narrow>
void store_as(const T* from, std::int64_t count, void* to, Narrow narrow) {
  auto* const out = static_cast<To*>(to);
  for (std::int64_t k = 0; k < count; ++k) out[k] = narrow(real_part(from[k]));
}

template <class To, class T, class Narrow>
void store_pairs(const T* from, std::int64_t count, void* to, Narrow narrow) {
  auto* const out = static_cast<To*>(to);
  for (std::int64_t k = 0; k < count; ++k) {
    out[2 * k] = narrow(real_part(from[k]));
    if constexpr (RealOf<T>::kIsComplex)
      out[2 * k + 1] = narrow(from[k].imag());
    else
      out[2 * k + 1] = narrow(T{});
  }
}

template <class Integer>
constexpr auto kSaturate = [](auto v) {
  const double rounded = std::nearbyint(static_cast<double>(v));
  if (!(rounded > static_cast<double>(std::numeric_limits<Integer>::min()))) return std::numeric_limits<Integer>::min();
  if (rounded >= static_cast<double>(std::numeric_limits<Integer>::max())) return std::numeric_limits<Integer>::max();
  return static_cast<Integer>(rounded);
};
template <class Narrow>
constexpr auto kNarrow = [](auto v) { return Narrow::of(static_cast<double>(v)); };
template <class Real>
constexpr auto kCast = [](auto v) { return static_cast<Real>(v); };

}  // namespace

template <class T>
void load(Type type, const void* from, std::int64_t count, T* to, Rounding rounding) {
  if (count <= 0) return;
  if (type == kTypeOf<T>) {
    std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(T));
  } else if (type == Type::f16) {
    if constexpr (std::is_same_v<T, float>)
      if (has_halves()) return widen_halves(static_cast<const Half*>(from), count, to);
    load_as<Half>(from, count, to, Half::wide);
  } else {
    switch (type) {
      case Type::bf16:
        load_as<Bfloat16>(from, count, to, Bfloat16::wide);
        break;
      case Type::f32:
        load_as<float>(from, count, to, kAsItIs);
        break;
      case Type::f64:
        load_as<double>(from, count, to, kAsItIs);
        break;
      case Type::i8:
        load_as<std::int8_t>(from, count, to, kAsItIs);
        break;
      case Type::u8:
        load_as<std::uint8_t>(from, count, to, kAsItIs);
        break;
      case Type::i32:
        load_as<std::int32_t>(from, count, to, kAsItIs);
        break;
      case Type::e4m3:
        load_as<ptx::Float8E4M3>(from, count, to, ptx::Float8E4M3::wide);
        break;
      case Type::e5m2:
        load_as<ptx::Float8E5M2>(from, count, to, ptx::Float8E5M2::wide);
        break;
      case Type::c32:
        load_pairs<float>(from, count, to, kAsItIs);
        break;
      case Type::c64:
        load_pairs<double>(from, count, to, kAsItIs);
        break;
      case Type::c16:
        load_pairs<Half>(from, count, to, Half::wide);
        break;
      case Type::cbf16:
        load_pairs<Bfloat16>(from, count, to, Bfloat16::wide);
        break;
      case Type::ci8:
        load_pairs<std::int8_t>(from, count, to, kAsItIs);
        break;
      case Type::f16:
        break;
    }
  }
  if (rounding != Rounding::none) round_all(to, count, rounding);
}

template <class T>
void store(Type type, const T* from, std::int64_t count, void* to) {
  if (count <= 0) return;
  if (type == kTypeOf<T>) {
    std::memcpy(to, static_cast<const void*>(from), static_cast<std::size_t>(count) * sizeof(T));
    return;
  }
  switch (type) {
    case Type::f16:
      if constexpr (std::is_same_v<T, float>)
        if (has_halves()) return narrow_to_halves(from, count, static_cast<Half*>(to));
      return store_as<Half>(from, count, to, kNarrow<Half>);
    case Type::bf16:
      return store_as<Bfloat16>(from, count, to, kNarrow<Bfloat16>);
    case Type::f32:
      return store_as<float>(from, count, to, kCast<float>);
    case Type::f64:
      return store_as<double>(from, count, to, kCast<double>);
    case Type::i8:
      return store_as<std::int8_t>(from, count, to, kSaturate<std::int8_t>);
    case Type::u8:
      return store_as<std::uint8_t>(from, count, to, kSaturate<std::uint8_t>);
    case Type::i32:
      return store_as<std::int32_t>(from, count, to, kSaturate<std::int32_t>);
    case Type::e4m3:
      return store_as<ptx::Float8E4M3>(from, count, to, kNarrow<ptx::Float8E4M3>);
    case Type::e5m2:
      return store_as<ptx::Float8E5M2>(from, count, to, kNarrow<ptx::Float8E5M2>);
    case Type::c32:
      return store_pairs<float>(from, count, to, kCast<float>);
    case Type::c64:
      return store_pairs<double>(from, count, to, kCast<double>);
    case Type::c16:
      return store_pairs<Half>(from, count, to, kNarrow<Half>);
    case Type::cbf16:
      return store_pairs<Bfloat16>(from, count, to, kNarrow<Bfloat16>);
    case Type::ci8:
      return store_pairs<std::int8_t>(from, count, to, kSaturate<std::int8_t>);
  }
}

#define NVMLKIT_FOR(T)                                                  \
  template void load<T>(Type, const void*, std::int64_t, T*, Rounding); \
  template void store<T>(Type, const T*, std::int64_t, void*);
NVMLKIT_FOR(float)
NVMLKIT_FOR(double)
NVMLKIT_FOR(Complex)
NVMLKIT_FOR(DoubleComplex)
#undef NVMLKIT_FOR

}  // namespace nvmlkit::blas
