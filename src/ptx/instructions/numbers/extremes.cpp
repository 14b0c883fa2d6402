// min and max of floats: of two numbers, of three, of magnitudes.
#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/operations.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

// The sign is that of the product.
template <class F>
struct OfMagnitudes {
  template <class T>
  static T of(T a, T b) {
    const T out = F::of(std::fabs(a), std::fabs(b));
    return std::signbit(a) == std::signbit(b) ? out : -out;
  }
};

template <class F>
struct OfThree {
  static float of(float a, float b, float c) { return F::of(F::of(a, b), c); }
};
template <class F>
struct OfThreeMagnitudes {
  static float of(float a, float b, float c) { return OfThree<F>::of(std::fabs(a), std::fabs(b), std::fabs(c)); }
};

template <class F>
Handler of_two(Type type, bool flushes) {
  if (!flushes) return binary_float<Settled<F>>(type);
  switch (type) {
    case Type::f32:
      return best<kBinaryOf<float, Settled<OfFlushed<F>>>>();
    case Type::f16:
      return best<kBinaryOf<Half, LiftedFlushed<F>>>();
    case Type::f16x2:
      return best<kBinaryOf<Pair<Half>, LiftedFlushed<F>>>();
    default:
      return nullptr;
  }
}

template <class F>
Handler of_three(bool flushes) {
  return flushes ? best<kTernaryOf<float, Settled<OfFlushed<F>>>>() : best<kTernaryOf<float, Settled<F>>>();
}

template <class F>
Handler chosen(const Form& f) {
  const bool flushes = f.has("ftz"), of_magnitudes = f.has("abs");
  if (f.count() == 3)
    return f.has("xorsign") ? of_two<OfMagnitudes<F>>(f.type(), flushes)
           : of_magnitudes  ? nullptr
                            : of_two<F>(f.type(), flushes);
  if (f.type() != Type::f32 || f.has("xorsign")) return nullptr;
  return of_magnitudes ? of_three<OfThreeMagnitudes<F>>(flushes) : of_three<OfThree<F>>(flushes);
}

}  // namespace

namespace decoders {

void extremes(Form& f) {
  const auto type = f.type();
  f.out.d = f.target(0, type);
  f.out.a = f.source(1, type);
  f.out.b = f.source(2, type);
  if (f.count() > 3) {
    f.need(88, 100);
    f.out.c = f.source(3, type);
  }
  const bool keeps = f.has("NaN");
  if (f.op() == Op::min_)
    f.out.handler = keeps ? chosen<Extreme<true, true>>(f) : chosen<Extreme<true, false>>(f);
  else
    f.out.handler = keeps ? chosen<Extreme<false, true>>(f) : chosen<Extreme<false, false>>(f);
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
