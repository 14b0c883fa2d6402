// What came with Blackwell: add, sub, mul and fma of pairs of f32, and sums of f32 with narrower numbers.
#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/instructions/numbers/operations.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

struct Fused {
  static float of(float a, float b, float c) { return std::fma(a, b, c); }
};

template <class F>
struct OfEach {
  using Floats = Pair<float>;
  static Floats of(Floats a, Floats b) { return {Settled<F>::of(a.low, b.low), Settled<F>::of(a.high, b.high)}; }
  static Floats of(Floats a, Floats b, Floats c) {
    return {Settled<F>::of(a.low, b.low, c.low), Settled<F>::of(a.high, b.high, c.high)};
  }
};

// The narrow numbers are f32 without rounding.
template <class Narrow, class F>
struct OfNarrow {
  static float of(Narrow a, float c) { return Settled<F>::of(Narrow::wide(a), c); }
  static float of(Narrow a, Narrow b, float c) { return Settled<F>::of(Narrow::wide(a), Narrow::wide(b), c); }
};

// `inner` with rounding and flushing; it returns no single number that could be saturated.
template <Handler inner>
void in_unit(Warp& w, const Instruction& i, Mask lanes) {
  const FloatUnit unit(i.detail);
  inner(w, i, lanes);
}

Handler of_pairs(Op op) {
  using P = Pair<float>;
  switch (op) {
    case Op::add_:
      return &in_unit<kBinaryOf<P, OfEach<Add>>>;
    case Op::sub_:
      return &in_unit<kBinaryOf<P, OfEach<Sub>>>;
    case Op::mul_:
      return &in_unit<kBinaryOf<P, OfEach<Mul>>>;
    case Op::fma_:
      return &in_unit<kTernaryOf<P, OfEach<Fused>>>;
    default:
      return nullptr;
  }
}

template <class Narrow>
Handler of_narrow(Op op) {
  switch (op) {
    case Op::add_:
      return &in_mode<&map2<float, Narrow, float, OfNarrow<Narrow, Add>>, float>;
    case Op::sub_:
      return &in_mode<&map2<float, Narrow, float, OfNarrow<Narrow, Sub>>, float>;
    case Op::fma_:
      return &in_mode<&map3<float, Narrow, Narrow, float, OfNarrow<Narrow, Fused>>, float>;
    default:
      return nullptr;
  }
}

}  // namespace

namespace decoders {

void blackwell_sums(Form& f) {
  const auto mode = FloatMode::of(f);
  const bool fused = f.op() == Op::fma_, of_pairs_of_floats = f.type() == Type::f32x2;
  const auto narrow = of_pairs_of_floats ? f.type() : f.types()[1];
  f.out.detail = mode.packed();
  f.out.d = f.target(0, f.type());
  f.out.a = f.source(1, narrow);
  f.out.b = f.source(2, fused ? narrow : f.type());
  if (fused) f.out.c = f.source(3, f.type());
  if (of_pairs_of_floats)
    f.out.handler = mode.saturates ? nullptr : of_pairs(f.op());
  else if (f.type() == Type::f32 && !mode.flushes)
    f.out.handler = narrow == Type::f16    ? of_narrow<Half>(f.op())
                    : narrow == Type::bf16 ? of_narrow<Bfloat>(f.op())
                                           : nullptr;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
