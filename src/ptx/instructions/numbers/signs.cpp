// neg, abs.
#include <cmath>

#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/numbers.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

struct Neg {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_integral_v<T>)
      return wrapped<T>(0 - std::uint64_t(a));
    else
      return -a;
  }
};

struct Abs {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_integral_v<T>)
      return a < 0 ? Neg::of(a) : a;
    else
      return std::fabs(a);
  }
};

template <class F>
Handler of_floats(Type type, bool flushes) {
  if (!flushes) return unary_float<Settled<F>>(type);
  switch (type) {
    case Type::f32:
      return best<&map1<float, float, Settled<OfFlushed<F>>>>();
    case Type::f16:
      return &map1<Half, Half, LiftedFlushed<F>>;
    case Type::f16x2:
      return &map1<Pair<Half>, Pair<Half>, LiftedFlushed<F>>;
    default:
      return nullptr;
  }
}

}  // namespace

namespace decoders {

void one_operand(Form& f) {
  const auto type = f.type();
  f.out.d = f.target(0, type);
  f.out.a = f.source(1, type);
  const bool negates = f.op() == Op::neg_;
  switch (type) {
    case Type::s16:
      f.out.handler = negates ? &map1<std::int16_t, std::int16_t, Neg> : &map1<std::int16_t, std::int16_t, Abs>;
      break;
    case Type::s32:
      f.out.handler = negates ? &map1<std::int32_t, std::int32_t, Neg> : &map1<std::int32_t, std::int32_t, Abs>;
      break;
    case Type::s64:
      f.out.handler = negates ? &map1<std::int64_t, std::int64_t, Neg> : &map1<std::int64_t, std::int64_t, Abs>;
      break;
    default:
      f.out.handler = negates ? of_floats<Neg>(type, f.has("ftz")) : of_floats<Abs>(type, f.has("ftz"));
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
