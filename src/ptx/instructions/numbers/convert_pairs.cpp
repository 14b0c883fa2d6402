// cvt into pairs of floats, and from pairs of eight bits.
#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/instructions/numbers/numbers.hpp"

namespace nvmlkit::ptx {
namespace {

// Two f32 into a pair; the first is the upper half.
template <class T>
void into_pair(Warp& w, const Instruction& i, Mask lanes) {
  const auto rounding = static_cast<Rounding>(i.detail & 3);
  auto* const d = w.at<Pair<T>>(i.d);
  const auto* const a = w.at<float>(i.a);
  const auto* const b = w.at<float>(i.b);
  const auto one = [&](float v) { return T::of(i.flag && v <= 0 ? 0.0f : v, rounding); };
  each_lane(lanes, [&](unsigned l) { d[l] = {one(b[l]), one(a[l])}; });
}

// The same of eight bits, and from those; `flag`: with relu.
template <class T>
void into_eight_bits(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<Pair<T>>(i.d);
  const auto* const a = w.at<float>(i.a);
  const auto* const b = w.at<float>(i.b);
  const auto one = [&](float v) { return T::of(i.flag && v <= 0 ? 0.0f : v); };
  each_lane(lanes, [&](unsigned l) { d[l] = {one(b[l]), one(a[l])}; });
}

template <class T, class From>
void pair_into_eight_bits(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<Pair<T>>(i.d);
  const auto* const a = w.at<Pair<From>>(i.a);
  const auto one = [&](From v) {
    const float wide = From::wide(v);
    return T::of(i.flag && wide <= 0 ? 0.0f : wide);
  };
  each_lane(lanes, [&](unsigned l) { d[l] = {one(a[l].low), one(a[l].high)}; });
}

template <class To, class T>
void from_eight_bits(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<Pair<To>>(i.d);
  const auto* const a = w.at<Pair<T>>(i.a);
  const auto one = [&](T v) { return To::of(i.flag && T::wide(v) <= 0 ? 0.0f : T::wide(v)); };
  each_lane(lanes, [&](unsigned l) { d[l] = {one(a[l].low), one(a[l].high)}; });
}

void convert_eight_bits(Form& f, Type to, Type from) {
  f.out.flag = f.has("relu");
  f.out.d = f.target(0, to);
  f.out.a = f.source(1, from);
  const bool first = to == Type::e4m3x2 || from == Type::e4m3x2;
  if (from == Type::f32 && f.count() == 3) {
    f.out.b = f.source(2, Type::f32);
    f.out.handler = first ? &into_eight_bits<Float8E4M3> : &into_eight_bits<Float8E5M2>;
  } else if (from == Type::f16x2 && f.count() == 2) {
    f.out.handler = first ? &pair_into_eight_bits<Float8E4M3, Half> : &pair_into_eight_bits<Float8E5M2, Half>;
  } else if (to == Type::f16x2 && f.count() == 2) {
    f.out.handler = first ? &from_eight_bits<Half, Float8E4M3> : &from_eight_bits<Half, Float8E5M2>;
  }
}

void convert_into_pair(Form& f, Type to, Type from) {
  const auto mode = FloatMode::of(f);
  if (f.has("satfinite")) f.fail_types();
  if (from != Type::f32 || f.count() != 3) f.fail_types();
  f.out.d = f.target(0, to);
  f.out.a = f.source(1, Type::f32);
  f.out.b = f.source(2, Type::f32);
  f.out.detail = static_cast<std::uint8_t>(mode.rounding);
  f.out.flag = f.has("relu");
  f.out.handler = to == Type::f16x2 ? &into_pair<Half> : &into_pair<Bfloat>;
}

}  // namespace

namespace decoders {

void convert_pairs(Form& f) {
  const auto to = f.types()[0], from = f.types()[1];
  if (is_eight_bit_pair(to) || is_eight_bit_pair(from)) return convert_eight_bits(f, to, from);
  convert_into_pair(f, to, from);
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
