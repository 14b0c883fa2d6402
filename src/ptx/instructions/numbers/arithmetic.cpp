// add, sub, mul, mad, fma, div, and min and max of integers.
#include <cmath>

#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/instructions/numbers/fused.hpp"
#include "ptx/instructions/numbers/operations.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

struct MulHigh {
  template <class T>
  static T of(T a, T b) {
    return high_of_product(a, b);
  }
};

struct Mad {
  template <class T>
  static T of(T a, T b, T c) {
    return Add::of(Mul::of(a, b), c);
  }
};

struct MadHigh {
  template <class T>
  static T of(T a, T b, T c) {
    return Add::of(high_of_product(a, b), c);
  }
};

// Signed addition that stays at the ends of its range.
struct AddSaturated {
  static std::int32_t of(std::int32_t a, std::int32_t b) {
    std::int32_t out = 0;
    return __builtin_add_overflow(a, b, &out) ? (a < 0 ? INT32_MIN : INT32_MAX) : out;
  }
};
struct SubSaturated {
  static std::int32_t of(std::int32_t a, std::int32_t b) {
    std::int32_t out = 0;
    return __builtin_sub_overflow(a, b, &out) ? (a < 0 ? INT32_MIN : INT32_MAX) : out;
  }
};

// By zero the hardware gives all ones.
struct Div {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return static_cast<T>(-1);
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return wrapped<T>(0 - std::uint64_t(a));
      return static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
};

struct Fma {
  static double of(double a, double b, double c) { return a * b + c; }  // of narrow ones: the product is exact
};
struct FmaRelu {
  static double of(double a, double b, double c) {
    const double v = a * b + c;
    return v <= 0 ? 0.0 : v;  // also of -0
  }
};

// Of numbers of 16 bits, cut to 0 and 1; what is no number becomes 0.
template <class F>
struct Cut {
  template <class... T>
  static double of(T... numbers) {
    const double v = F::of(numbers...);
    return v > 0 ? std::min(v, 1.0) : 0.0;
  }
};

// Null for other types.
template <class L>
Handler of_halves(Type type) {
  return type == Type::f16     ? best<kBinaryOf<Half, L>>()
         : type == Type::f16x2 ? best<kBinaryOf<Pair<Half>, L>>()
                               : nullptr;
}

// With what stands behind the name.
template <class F, bool in_order = false>
Handler in_mode_of(Type type, FloatMode mode) {
  using S = Settled<F, in_order>;
  if (mode.any() && type == Type::f32) return &in_mode<kBinaryOf<float, S>, float>;
  if (mode.any() && type == Type::f64) return &in_mode<kBinaryOf<double, S>, double>;
  return mode.flushes ? of_halves<LiftedFlushed<F>>(type) : binary_float<S>(type);
}

template <class Narrow, class Wide, class F>
struct Widening {
  static Wide of(Narrow a, Narrow b) { return static_cast<Wide>(static_cast<Wide>(a) * static_cast<Wide>(b)); }
  static Wide of(Narrow a, Narrow b, Wide c) { return F::of(of(a, b), c); }
};

template <class Narrow, class Wide>
Handler wide_product(bool with_sum) {
  using F = Widening<Narrow, Wide, Add>;
  return with_sum ? best<&map3<Wide, Narrow, Narrow, Wide, F>>() : best<&map2<Wide, Narrow, Narrow, F>>();
}

void decode_wide(Form& f, bool with_sum) {
  using enum Type;
  const auto type = f.type();
  const Type wide = type == u16 ? u32 : type == s16 ? s32 : type == u32 ? u64 : type == s32 ? s64 : none;
  if (wide == none) f.fail_types();
  f.out.d = f.target(0, wide);
  if (with_sum) f.out.c = f.source(3, wide);
  f.out.handler = type == u16   ? wide_product<std::uint16_t, std::uint32_t>(with_sum)
                  : type == s16 ? wide_product<std::int16_t, std::int32_t>(with_sum)
                  : type == u32 ? wide_product<std::uint32_t, std::uint64_t>(with_sum)
                                : wide_product<std::int32_t, std::int64_t>(with_sum);
}

Handler of_integers(Form& f) {
  const auto type = f.type();
  const bool saturates = f.has("sat");
  switch (f.op()) {
    case Op::add_:
      return saturates ? (type == Type::s32 ? &map2<std::int32_t, std::int32_t, std::int32_t, AddSaturated> : nullptr)
                       : binary_unsigned<Add>(type);
    case Op::sub_:
      return saturates ? (type == Type::s32 ? &map2<std::int32_t, std::int32_t, std::int32_t, SubSaturated> : nullptr)
                       : binary_unsigned<Sub>(type);
    case Op::mul_:
      return f.has("hi") ? binary_integer<MulHigh>(type) : binary_unsigned<Mul>(type);
    case Op::mad_:
      return saturates ? nullptr : f.has("hi") ? ternary_integer<MadHigh>(type) : ternary_integer<Mad>(type);
    case Op::div_:
      return binary_integer<Div>(type);
    case Op::min_:
      return binary_integer<Least>(type);
    case Op::max_:
      return binary_integer<Greatest>(type);
    default:
      return nullptr;
  }
}

// Of f16, with small ones as zero.
template <class F>
Handler flushing_fma(Type type) {
  using L = LiftedFlushed<F>;
  return type == Type::f16     ? best<kTernaryOf<Half, L>>()
         : type == Type::f16x2 ? best<kTernaryOf<Pair<Half>, L>>()
                               : nullptr;
}

Handler narrow_fma(Type type, bool relu, bool flushes) {
  if (flushes) return relu ? flushing_fma<FmaRelu>(type) : flushing_fma<Fma>(type);
  switch (type) {
    case Type::f16:
      return relu ? best<kTernaryOf<Half, Lifted<FmaRelu>>>() : best<kTernaryOf<Half, Lifted<Fma>>>();
    case Type::bf16:
      return relu ? best<kTernaryOf<Bfloat, Lifted<FmaRelu>>>() : best<kTernaryOf<Bfloat, Lifted<Fma>>>();
    case Type::f16x2:
      return relu ? best<kTernaryOf<Pair<Half>, Lifted<FmaRelu>>>() : best<kTernaryOf<Pair<Half>, Lifted<Fma>>>();
    case Type::bf16x2:
      return relu ? best<kTernaryOf<Pair<Bfloat>, Lifted<FmaRelu>>>() : best<kTernaryOf<Pair<Bfloat>, Lifted<Fma>>>();
    default:
      return nullptr;
  }
}

template <class F>
Handler narrow_cut(Type type, bool flushes) {
  return flushes ? of_halves<LiftedFlushed<Cut<F>>>(type) : of_halves<Lifted<Cut<F>>>(type);
}

Handler saturated(Op op, Type type, bool flushes) {
  switch (op) {
    case Op::add_:
      return narrow_cut<Add>(type, flushes);
    case Op::sub_:
      return narrow_cut<Sub>(type, flushes);
    case Op::mul_:
      return narrow_cut<Mul>(type, flushes);
    case Op::fma_:
      if (flushes) return flushing_fma<Cut<Fma>>(type);
      return type == Type::f16     ? best<kTernaryOf<Half, Lifted<Cut<Fma>>>>()
             : type == Type::f16x2 ? best<kTernaryOf<Pair<Half>, Lifted<Cut<Fma>>>>()
                                   : nullptr;
    default:
      return nullptr;
  }
}

Handler of_floats(Form& f) {
  const auto type = f.type();
  const auto mode = FloatMode::of(f);
  f.out.detail = mode.packed();
  if (mode.saturates && type != Type::f32) return saturated(f.op(), type, mode.flushes);
  switch (f.op()) {
    case Op::add_:
      return in_mode_of<Add>(type, mode);
    case Op::sub_:
      return in_mode_of<Sub>(type, mode);
    case Op::mul_:
      return in_mode_of<Mul>(type, mode);
    case Op::div_:
      return in_mode_of<Div, true>(type, mode);
    case Op::mad_:
    case Op::fma_:
      if (type == Type::f32 || type == Type::f64) return fused(type, mode.any());
      return narrow_fma(type, f.has("relu"), mode.flushes);
    default:
      return nullptr;
  }
}

}  // namespace

namespace decoders {

void arithmetic(Form& f) {
  if (f.has("cc")) return carry(f);
  const auto type = f.type();
  if ((f.op() == Op::min_ || f.op() == Op::max_) && f.count() > 3 && type != Type::f32)
    f.fail(ErrorKind::operands, "so many operands it does not take");
  if (type == Type::s16x2 || type == Type::u16x2 || (f.has("relu") && f.op() != Op::fma_)) return packed_integers(f);
  const bool floats = is_float(type) || type == Type::f16x2 || type == Type::bf16x2;
  if (floats && (f.op() == Op::min_ || f.op() == Op::max_)) return extremes(f);
  if (type == Type::f32x2 || f.types().size() > 1) return blackwell_sums(f);
  f.out.a = f.source(1, type);
  f.out.b = f.source(2, type);
  const bool with_sum = f.op() == Op::mad_ || f.op() == Op::fma_;
  if (f.has("wide")) return decode_wide(f, with_sum);
  f.out.d = f.target(0, type);
  if (with_sum) f.out.c = f.source(3, type);
  f.out.handler = floats ? of_floats(f) : of_integers(f);
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
