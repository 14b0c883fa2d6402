// Pairs of 16-bit integers in a register, minima and maxima with a lower bound of zero, and numbers packed into bytes:
// cvt.pack.
#include <algorithm>

#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/operations.hpp"

namespace nvmlkit::ptx {
namespace {

template <class F>
struct NotNegative {
  template <class T>
  static T of(T a, T b) {
    return std::max(F::of(a, b), T{0});
  }
};

template <class T, class F>
struct OfParts {
  static Pair<T> of(Pair<T> a, Pair<T> b) { return {F::of(a.low, b.low), F::of(a.high, b.high)}; }
};

template <class F>
Handler of_parts(Type type) {
  return type == Type::s16x2 ? kBinaryOf<Pair<std::int16_t>, OfParts<std::int16_t, F>>
                             : kBinaryOf<Pair<std::uint16_t>, OfParts<std::uint16_t, F>>;
}

template <class F>
Handler not_negative(Type type) {
  if (type == Type::s32) return kBinaryOf<std::int32_t, NotNegative<F>>;
  return type == Type::s16x2 ? of_parts<NotNegative<F>>(type) : nullptr;
}

// Two numbers, cut to so many bits, become the lower ones; those of operand c go up.
void pack_numbers(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint32_t>(i.d);
  const auto* const a = w.at<std::int32_t>(i.a);
  const auto* const b = w.at<std::int32_t>(i.b);
  const auto* const c = i.c.is_there() ? w.at<std::uint32_t>(i.c) : nullptr;
  const unsigned bits = i.detail;
  const std::int64_t low = i.flag ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t high = low + (std::int64_t{1} << bits) - 1;
  const auto part = [&](std::int32_t v) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(v, low, high)) & ((1u << bits) - 1);
  };
  each_lane(lanes, [&](unsigned l) { d[l] = (c ? c[l] << 2 * bits : 0) | part(a[l]) << bits | part(b[l]); });
}

}  // namespace

namespace decoders {

void packed_integers(Form& f) {
  const auto type = f.type();
  const bool relu = f.has("relu");
  f.out.d = f.target(0, type);
  f.out.a = f.source(1, type);
  f.out.b = f.source(2, type);
  if (f.op() == Op::add_ && !relu) f.out.handler = of_parts<Add>(type);
  if (f.op() == Op::min_) f.out.handler = relu ? not_negative<Least>(type) : of_parts<Least>(type);
  if (f.op() == Op::max_) f.out.handler = relu ? not_negative<Greatest>(type) : of_parts<Greatest>(type);
}

void convert_and_pack(Form& f) {
  const auto types = f.types();
  if (types.size() < 2 || types[1] != Type::s32 || !f.has("sat")) f.fail_types();
  const auto to = types[0];
  f.out.d = f.target(0, Type::b32);
  f.out.a = f.source(1, Type::s32);
  f.out.b = f.source(2, Type::s32);
  if (f.count() > 3) f.out.c = f.source(3, Type::b32);
  f.out.flag = to == Type::s16 || to == Type::s8 || to == Type::s4;
  const bool known = f.out.flag || to == Type::u16 || to == Type::u8 || to == Type::u4;
  f.out.detail = static_cast<std::uint8_t>(bits_of_element(to));
  if (known && (f.out.detail == 16) == (f.count() == 3)) f.out.handler = &pack_numbers;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
