// rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, copysign, testp. Approximate forms are as exact as the host's library.
#include <cmath>

#include "ptx/circular.hpp"
#include "ptx/exponential.hpp"
#include "ptx/hyperbolic.hpp"
#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/instructions/numbers/numbers.hpp"
#include "ptx/instructions/numbers/settled.hpp"
#include "ptx/logarithm.hpp"

namespace nvmlkit::ptx {
namespace {

struct Rcp {
  template <class T>
  static T of(T a) {
    return T{1} / a;
  }
};
struct Sqrt {
  template <class T>
  static T of(T a) {
    return std::sqrt(a);
  }
};
struct Rsqrt {
  static float of(float a) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); }
  static double of(double a) { return 1.0 / std::sqrt(a); }
};

// Of f32 alone.
struct Sin {
  static float of(float a) { return static_cast<float>(sine(static_cast<double>(a))); }
};
struct Cos {
  static float of(float a) { return static_cast<float>(cosine(static_cast<double>(a))); }
};
struct Log2 {
  static float of(float a) { return static_cast<float>(logarithm(static_cast<double>(a))); }
};

// Of halves, it is a double that is rounded once.
struct Tanh {
  static float of(float a) { return static_cast<float>(hyperbolic_tangent(static_cast<double>(a))); }
  static double of(double a) { return hyperbolic_tangent(a); }
};

struct Exp2 {
  static float of(float a) { return static_cast<float>(exponential(static_cast<double>(a))); }
  static double of(double a) { return std::exp2(a); }
};

struct Copysign {  // of a, the number is b
  template <class T>
  static T of(T a, T b) {
    return std::copysign(b, a);
  }
};

template <class T>
void test_property(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  w.set_predicate(i.d, lanes, gather([&](unsigned l) {
                    const auto kind = std::fpclassify(a[l]);
                    switch (i.detail) {
                      case 'f':
                        return kind != FP_INFINITE && kind != FP_NAN;
                      case 'i':
                        return kind == FP_INFINITE;
                      case 'n':
                        return kind != FP_NAN;
                      case 'N':
                        return kind == FP_NAN;
                      case 'o':
                        return kind == FP_NORMAL || kind == FP_ZERO;
                      default:
                        return kind == FP_SUBNORMAL;
                    }
                  }));
}

template <class F>
Handler of_f32(Type type, bool any) {
  using S = Settled<F>;
  if (type != Type::f32) return nullptr;
  return any ? &in_mode<&map1<float, float, S>, float> : best<&map1<float, float, S>>();
}

template <class F>
Handler of_float(Type type, bool any) {
  using S = Settled<F>;
  if (type == Type::f32) return of_f32<F>(type, any);
  if (type == Type::f64) return any ? &in_mode<&map1<double, double, S>, double> : best<&map1<double, double, S>>();
  return nullptr;
}

}  // namespace

namespace decoders {

void functions(Form& f) {
  const auto type = f.type();
  if (f.op() == Op::testp_) {
    f.out.d = f.target(0, Type::pred);
    f.out.a = f.source(1, type);
    const auto word = f.one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    if (word.empty()) f.fail_types();
    f.out.detail = static_cast<std::uint8_t>(word == "notanumber" ? 'N' : word == "normal" ? 'o' : word[0]);
    f.out.handler = type == Type::f32 ? &test_property<float> : &test_property<double>;
    return;
  }
  f.out.d = f.target(0, type);
  f.out.a = f.source(1, type);
  if (f.op() == Op::copysign_) {
    f.out.b = f.source(2, type);
    f.out.handler = type == Type::f32 ? kBinaryOf<float, Copysign> : kBinaryOf<double, Copysign>;
    return;
  }
  const auto mode = FloatMode::of(f);
  f.out.detail = mode.packed();
  const bool narrow = type != Type::f32 && type != Type::f64;
  switch (f.op()) {
    case Op::rcp_:
      f.out.handler = of_float<Rcp>(type, mode.any());
      break;
    case Op::sqrt_:
      f.out.handler = of_float<Sqrt>(type, mode.any());
      break;
    case Op::rsqrt_:
      f.out.handler = of_float<Rsqrt>(type, mode.any());
      break;
    case Op::sin_:
      f.out.handler = of_f32<Sin>(type, mode.any());
      break;
    case Op::cos_:
      f.out.handler = of_f32<Cos>(type, mode.any());
      break;
    case Op::lg2_:
      f.out.handler = of_f32<Log2>(type, mode.any());
      break;
    case Op::ex2_:
      f.out.handler = narrow ? unary_float<Exp2>(type) : of_float<Exp2>(type, mode.any());
      break;
    case Op::tanh_:
      f.out.handler = unary_float<Settled<Tanh>>(type);
      break;
    default:
      break;
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
