// rem, mul24, mad24, sad, dp4a, dp2a; additions with carry.
#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/numbers.hpp"

namespace nvmlkit::ptx {
namespace {

// By zero the hardware gives all ones.
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct Sad {
  template <class T>
  static T of(T a, T b, T c) {
    return wrapped<T>(std::uint64_t(c) +
                      (a < b ? std::uint64_t(b) - std::uint64_t(a) : std::uint64_t(a) - std::uint64_t(b)));
  }
};

// Products of 24 bits; `shift` is 0 for the lower 32 bits of 48, 16 for the upper ones.
template <int shift>
struct Mul24 {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::uint64_t{a & 0xFFFFFF} * (b & 0xFFFFFF) >> shift);
  }
  static std::int32_t of(std::int32_t a, std::int32_t b) {
    const auto cut = [](std::int32_t v) {
      return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << 8) >> 8};
    };
    return static_cast<std::int32_t>(cut(a) * cut(b) >> shift);
  }
  template <class T>
  static T of(T a, T b, T c) {
    return wrapped<T>(std::uint64_t(of(a, b)) + std::uint64_t(c));
  }
};

// A sum of products of bytes, or of words with two bytes. `detail`: bit 0 a is signed, bit 1 b is, bit 2 upper bytes.
void dot(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  const auto* const c = w.at<std::uint32_t>(i.c);
  auto* const d = w.at<std::uint32_t>(i.d);
  const auto byte = [](std::uint32_t v, unsigned k, bool is_signed_byte) {
    const auto bits = v >> 8 * k & 0xFF;
    return is_signed_byte ? std::int64_t{static_cast<std::int8_t>(bits)} : std::int64_t{bits};
  };
  const auto word = [](std::uint32_t v, unsigned k, bool is_signed_word) {
    const auto bits = v >> 16 * k & 0xFFFF;
    return is_signed_word ? std::int64_t{static_cast<std::int16_t>(bits)} : std::int64_t{bits};
  };
  const bool sa = i.detail & 1, sb = i.detail & 2;
  const unsigned first = i.detail & 4 ? 2 : 0;
  each_lane(lanes, [&](unsigned l) {
    std::int64_t sum = c[l];
    if (i.flag)
      for (unsigned k = 0; k < 2; ++k) sum += word(a[l], k, sa) * byte(b[l], first + k, sb);
    else
      for (unsigned k = 0; k < 4; ++k) sum += byte(a[l], k, sa) * byte(b[l], k, sb);
    d[l] = static_cast<std::uint32_t>(sum);
  });
}

// d = a + b + carry, or a - b - borrow. `detail`: bit 0 takes the carry, bit 1 gives it, bit 2 subtracts, bit 3 the sum
// is of a product and c, bit 4 of its upper half.
template <class T, class Signed>
void with_carry(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const auto* const c = w.at<T>(i.c);
  auto* const d = w.at<T>(i.d);
  const bool takes = i.detail & 1, gives = i.detail & 2, subtracts = i.detail & 4, multiplies = i.detail & 8;
  Mask carry = 0;
  each_lane(lanes, [&](unsigned l) {
    T x = a[l], y = b[l];
    if (multiplies) {
      x = i.detail & 16
              ? (i.flag ? static_cast<T>(high_of_product<Signed>(static_cast<Signed>(x), static_cast<Signed>(y)))
                        : high_of_product<T>(x, y))
              : static_cast<T>(x * y);
      y = c[l];
    }
    if (subtracts) y = static_cast<T>(~y);
    const T in = takes ? w.carry >> l & 1 : subtracts;
    T sum = 0;
    bool over = __builtin_add_overflow(x, y, &sum);
    over |= __builtin_add_overflow(sum, in, &sum);
    d[l] = sum;
    carry |= Mask{over} << l;
  });
  if (gives) w.carry = (w.carry & ~lanes) | carry;
}

}  // namespace

namespace decoders {

void integers(Form& f) {
  const auto type = f.type();
  f.out.d = f.target(0, f.op() == Op::dp4a_ || f.op() == Op::dp2a_ ? Type::b32 : type);
  f.out.a = f.source(1, type);
  f.out.b = f.source(2, type);
  if (f.count() > 3) f.out.c = f.source(3, type);
  const bool is_u32 = type == Type::u32;
  switch (f.op()) {
    case Op::rem_:
      f.out.handler = binary_integer<Rem>(type);
      break;
    case Op::sad_:
      f.out.handler = ternary_integer<Sad>(type);
      break;
    case Op::mul24_:
      if (f.has("hi"))
        f.out.handler = is_u32 ? kBinaryOf<std::uint32_t, Mul24<16>> : kBinaryOf<std::int32_t, Mul24<16>>;
      else
        f.out.handler = is_u32 ? kBinaryOf<std::uint32_t, Mul24<0>> : kBinaryOf<std::int32_t, Mul24<0>>;
      break;
    case Op::mad24_:
      if (f.has("hi"))
        f.out.handler = is_u32 ? kTernaryOf<std::uint32_t, Mul24<16>> : kTernaryOf<std::int32_t, Mul24<16>>;
      else
        f.out.handler = is_u32 ? kTernaryOf<std::uint32_t, Mul24<0>> : kTernaryOf<std::int32_t, Mul24<0>>;
      break;
    case Op::dp4a_:
    case Op::dp2a_:
      if (f.types().size() != 2) f.fail_types();
      f.out.detail = static_cast<std::uint8_t>((is_signed(type) ? 1 : 0) | (is_signed(f.types()[1]) ? 2 : 0) |
                                               (f.has("hi") ? 4 : 0));
      f.out.flag = f.op() == Op::dp2a_;
      f.out.handler = &dot;
      break;
    default:
      break;
  }
}

void carry(Form& f) {
  const auto type = f.type();
  if (is_float(type)) f.fail_types();
  f.out.d = f.target(0, type);
  f.out.a = f.source(1, type);
  f.out.b = f.source(2, type);
  const bool multiplies = f.op() == Op::mad_ || f.op() == Op::madc_;
  if (multiplies) f.out.c = f.source(3, type);
  const bool takes = f.op() == Op::addc_ || f.op() == Op::subc_ || f.op() == Op::madc_;
  const bool subtracts = f.op() == Op::sub_ || f.op() == Op::subc_;
  f.out.detail = static_cast<std::uint8_t>((takes ? 1 : 0) | (f.has("cc") ? 2 : 0) | (subtracts ? 4 : 0) |
                                           (multiplies ? 8 : 0) | (f.has("hi") ? 16 : 0));
  f.out.flag = is_signed(type);
  if (size_of(type) == 4) f.out.handler = &with_carry<std::uint32_t, std::int32_t>;
  if (size_of(type) == 8) f.out.handler = &with_carry<std::uint64_t, std::int64_t>;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
