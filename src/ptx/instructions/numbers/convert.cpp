// cvt of one number.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "ptx/instructions/numbers/conversion.hpp"
#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/instructions/numbers/numbers.hpp"
#include "ptx/instructions/numbers/settled.hpp"
#include "ptx/instructions/numbers/whole.hpp"

namespace nvmlkit::ptx {
namespace {

struct Number {
  bool is_float, is_unsigned;
  std::uint64_t bits;  // of an integer, its sign extended
  double real;
};

Number number_at(const std::byte* at, Type type) {
  Number n{is_float(type), false, 0, 0};
  std::uint64_t raw = 0;
  std::memcpy(&raw, at, size_of(type) < 8 ? size_of(type) : 8);
  switch (type) {
    case Type::f16:
      n.real = Half::wide({static_cast<std::uint16_t>(raw)});
      break;
    case Type::bf16:
      n.real = Bfloat::wide({static_cast<std::uint16_t>(raw)});
      break;
    case Type::f32:
      n.real = std::bit_cast<float>(static_cast<std::uint32_t>(raw));
      break;
    case Type::f64:
      n.real = std::bit_cast<double>(raw);
      break;
    case Type::s8:
      n.bits = static_cast<std::uint64_t>(static_cast<std::int8_t>(raw));
      break;
    case Type::s16:
      n.bits = static_cast<std::uint64_t>(static_cast<std::int16_t>(raw));
      break;
    case Type::s32:
      n.bits = static_cast<std::uint64_t>(static_cast<std::int32_t>(raw));
      break;
    case Type::s64:
      n.bits = raw;
      break;
    default:
      n.bits = raw;
      n.is_unsigned = true;
  }
  return n;
}

// The ends of what an integer type holds, as bits.
std::uint64_t lowest(Type type) { return is_signed(type) ? ~std::uint64_t{0} << (8 * size_of(type) - 1) : 0; }
std::uint64_t highest(Type type) {
  return (is_signed(type) ? ~std::uint64_t{0} >> 1 : ~std::uint64_t{0}) >> (64 - 8 * size_of(type));
}

std::uint64_t integer_of(double v, Type type, Rounding rounding, bool from_double) {
  if (v != v) return from_double || size_of(type) == 8 ? std::uint64_t{1} << (8 * size_of(type) - 1) : 0;
  const double r = whole(v, rounding);
  const int bits = static_cast<int>(8 * size_of(type));
  if (is_signed(type)) {
    if (r >= std::ldexp(1.0, bits - 1)) return highest(type);
    if (r < -std::ldexp(1.0, bits - 1)) return lowest(type);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(r));
  }
  if (r >= std::ldexp(1.0, bits)) return highest(type);
  return r <= 0 ? 0 : static_cast<std::uint64_t>(r);
}

std::uint64_t clamped(const Number& n, Type type) {
  if (n.is_unsigned) return std::min(n.bits, highest(type));
  const auto value = static_cast<std::int64_t>(n.bits);
  if (!is_signed(type)) return value < 0 ? 0 : std::min(n.bits, highest(type));
  return static_cast<std::uint64_t>(
      std::clamp(value, static_cast<std::int64_t>(lowest(type)), static_cast<std::int64_t>(highest(type))));
}

std::uint64_t float_bits(const Number& n, Type type, Rounding rounding) {
  const double real = n.is_float      ? n.real
                      : n.is_unsigned ? static_cast<double>(n.bits)
                                      : static_cast<double>(static_cast<std::int64_t>(n.bits));
  switch (type) {
    case Type::f16:
      return Half::of(real, rounding).bits;
    case Type::bf16:
      return Bfloat::of(real, rounding).bits;
    case Type::f64:
      return std::bit_cast<std::uint64_t>(real);
    case Type::tf32:
      return std::uint64_t{narrowed<8, 10>(real, rounding)} << 13;
    default:
      if (n.is_float) return std::bit_cast<std::uint32_t>(static_cast<float>(n.real));
      return std::bit_cast<std::uint32_t>(n.is_unsigned ? static_cast<float>(n.bits)
                                                        : static_cast<float>(static_cast<std::int64_t>(n.bits)));
  }
}

// What a number that is none becomes, where that depends on its bits. `flags`: of the mode.
std::optional<std::uint64_t> no_number(std::uint64_t raw, const Conversion& c, unsigned flags) {
  using enum Type;
  if (flags & kSaturates) return std::nullopt;
  const auto sign = raw >> 48 & 0x8000;
  if (c.from == f64 && c.to == f16) return sign | 0x7E00 | (raw >> 42 & 0x1FF);
  if (c.from == f64 && c.to == bf16) return sign | 0x7FC0 | (raw >> 45 & 0x3F);
  if (c.from == f64 && c.to == f64 && c.to_integer) return raw | 0x0008000000000000;
  if (c.from == f32 && c.to == f64 && flags & 4) return 0x7FFFFFFFE0000000;
  if (c.to == tf32 && c.rounds_up_ties) return raw & 0xFFFFE000;
  if (c.to != f32 || c.from == f64) return std::nullopt;
  if (c.from == bf16) return raw << 16;
  return c.from == f32 && flags == 0 && !c.to_integer ? raw : 0x7FFFFFFF;
}

void general(Warp& w, const Instruction& i, Mask lanes) {
  const auto c = conversion_of(i);
  const auto rounding = static_cast<Rounding>(i.detail & 3);
  const bool saturates = i.detail & kSaturates;
  // A double counts as small when it is rounded.
  const bool is_double = c.from == Type::f64;
  const FloatUnit unit(i.detail & (is_double ? 3 : 7));
  auto* const d = w.at<std::byte>(i.d);
  const auto* const a = w.at<std::byte>(i.a);
  each_lane(lanes, [&](unsigned l) {
    auto n = number_at(a + l * c.from_register, c.from);
    std::uint64_t out = 0;
    if (is_float(c.to) || c.to == Type::tf32) {
      if (n.is_float && c.to_integer) n.real = std::copysign(whole(n.real, rounding), n.real);
      if (n.is_float && (i.detail & 4) && !is_double && std::fabs(n.real) < std::numeric_limits<float>::min())
        n.real = std::copysign(0.0, n.real);
      if (saturates) n.real = Saturate<double>::of(n.real);
      if (c.relu && !(n.real > 0)) n.real = n.real != n.real ? n.real : 0;
      out = float_bits(n, c.to, rounding);
      if (c.rounds_up_ties && n.real == n.real)  // away from zero
        out = (std::bit_cast<std::uint32_t>(static_cast<float>(n.real)) + 0x1000) & 0xFFFFE000;
      if (is_double && (i.detail & 4) && c.to == Type::f32)
        out = std::bit_cast<std::uint32_t>(flushed(std::bit_cast<float>(static_cast<std::uint32_t>(out))));
      std::uint64_t raw = 0;
      if (n.is_float && n.real != n.real) std::memcpy(&raw, a + l * c.from_register, size_of(c.from));
      if (raw != 0) out = no_number(raw, c, i.detail).value_or(out);
    } else {
      out = n.is_float  ? integer_of(n.real, c.to, rounding, c.from == Type::f64)
            : saturates ? clamped(n, c.to)
                        : n.bits;
      // Into a wider register with the sign of the type.
      const unsigned unused = 64 - 8 * size_of(c.to);
      out = is_signed(c.to) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(out << unused) >> unused)
                            : out << unused >> unused;
    }
    std::memcpy(d + l * c.to_register, &out, c.to_register);
  });
}

template <class D, class S>
struct Cast {
  static D of(S v) { return static_cast<D>(v); }
};

template <>
struct Cast<float, Half> {
  static float of(Half v) { return settled(Half::wide(v)); }
};
template <>
struct Cast<float, Bfloat> {
  static float of(Bfloat v) { return Bfloat::wide(v); }
};
template <>
struct Cast<Half, float> {
  static Half of(float v) { return Half::of(v); }
};
template <>
struct Cast<Bfloat, float> {
  static Bfloat of(float v) { return Bfloat::of(v); }
};

// The usual ones between whole registers, at full speed.
Handler fast(Type to, Type from) {
  using enum Type;
#define NVMLKIT_CAST(t, f, D, S) \
  if (to == t && from == f) return best<&map1<D, S, Cast<D, S>>>();
  NVMLKIT_CAST(u64, u32, std::uint64_t, std::uint32_t)
  NVMLKIT_CAST(s64, s32, std::int64_t, std::int32_t)
  NVMLKIT_CAST(u64, s32, std::int64_t, std::int32_t)
  NVMLKIT_CAST(s64, u32, std::uint64_t, std::uint32_t)
  NVMLKIT_CAST(u32, u64, std::uint32_t, std::uint64_t)
  NVMLKIT_CAST(u32, s64, std::uint32_t, std::uint64_t)
  NVMLKIT_CAST(s32, s64, std::uint32_t, std::uint64_t)
  NVMLKIT_CAST(s32, u64, std::uint32_t, std::uint64_t)
  NVMLKIT_CAST(u32, u16, std::uint32_t, std::uint16_t)
  NVMLKIT_CAST(s32, s16, std::int32_t, std::int16_t)
  NVMLKIT_CAST(u16, u32, std::uint16_t, std::uint32_t)
  NVMLKIT_CAST(s16, s32, std::uint16_t, std::uint32_t)
  NVMLKIT_CAST(f64, f32, double, float)
  NVMLKIT_CAST(f32, f64, float, double)
  NVMLKIT_CAST(f32, f16, float, Half)
  NVMLKIT_CAST(f32, bf16, float, Bfloat)
  NVMLKIT_CAST(f16, f32, Half, float)
  NVMLKIT_CAST(bf16, f32, Bfloat, float)
  NVMLKIT_CAST(f32, s32, float, std::int32_t)
  NVMLKIT_CAST(f32, u32, float, std::uint32_t)
  NVMLKIT_CAST(f64, s32, double, std::int32_t)
  NVMLKIT_CAST(f64, u32, double, std::uint32_t)
  NVMLKIT_CAST(f32, s64, float, std::int64_t)
  NVMLKIT_CAST(f32, u64, float, std::uint64_t)
  NVMLKIT_CAST(f64, s64, double, std::int64_t)
  NVMLKIT_CAST(f64, u64, double, std::uint64_t)
  NVMLKIT_CAST(f32, s16, float, std::int16_t)
  NVMLKIT_CAST(f32, u16, float, std::uint16_t)
#undef NVMLKIT_CAST
  return nullptr;
}

}  // namespace

namespace decoders {

void convert(Form& f) {
  if (f.has("pack")) return convert_and_pack(f);
  if (f.types().size() != 2) f.fail("two types are needed");
  const auto to = f.types()[0], from = f.types()[1];
  const bool pair = to == Type::f16x2 || to == Type::bf16x2;
  if (pair || is_eight_bit_pair(to) || is_eight_bit_pair(from)) return convert_pairs(f);
  const auto mode = FloatMode::of(f);
  if (f.has("satfinite") || to == Type::pred) f.fail_types();
  if (from == Type::f16x2 || from == Type::bf16x2 || from == Type::tf32) f.fail_types();
  unsigned to_register = 0, from_register = 0;
  f.out.d = f.wide_target(f.term(0), to, to_register);
  f.out.a = f.wide_source(f.term(1), from, from_register);
  if (from_register < size_of(from)) f.fail("the register is smaller than the type");
  const bool to_integer = !f.one_of({"rni", "rzi", "rmi", "rpi"}).empty();
  const bool plain = to_register == size_of(to) && from_register == size_of(from) && !mode.flushes && !mode.saturates;
  if (plain && to_integer) f.out.handler = rounded_conversion(to, from, mode.rounding);
  if (plain && !to_integer && !mode.any() && !f.has("relu")) f.out.handler = fast(to, from);
  if (f.out.handler) return;
  const Conversion c{to,
                     from,
                     static_cast<std::uint8_t>(to_register),
                     static_cast<std::uint8_t>(from_register),
                     to_integer,
                     f.has("relu"),
                     f.has("rna"),
                     0};
  std::memcpy(&f.out.immediate, &c, sizeof c);
  f.out.detail = mode.packed();
  if (!mode.saturates) f.out.handler = whole_conversion(c);
  if (!f.out.handler) f.out.handler = &general;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
