// cvt of floating point numbers to whole ones, with the rounding that it names: all lanes at once.
#include <limits>

#include "ptx/instructions/numbers/numbers.hpp"
#include "ptx/instructions/numbers/settled.hpp"
#include "ptx/instructions/numbers/whole.hpp"

namespace nvmlkit::ptx {
namespace {

template <Rounding kRounding>
struct Whole {
  template <class S>
  static S of(S v) {
    return whole(v, kRounding);
  }
};

// What an integer cannot hold becomes its nearest end, and what is no number as on a GPU.
template <class D, class S, Rounding kRounding>
struct ToInteger {
  static D of(S v) {
    using Limits = std::numeric_limits<D>;
    constexpr S kLow = static_cast<S>(Limits::min()), kBehind = 2 * static_cast<S>(Limits::max() / 2 + 1);
    constexpr auto kNone =
        static_cast<D>(sizeof v == 8 || sizeof(D) == 8 ? std::uint64_t{1} << (8 * sizeof(D) - 1) : 0);
    const S r = whole(v, kRounding);
    const D inside = static_cast<D>(r >= kLow && r < kBehind ? r : S{0});
    const D out = r >= kBehind ? Limits::max() : r < kLow ? Limits::min() : inside;
    return v == v ? out : kNone;
  }
};

template <Rounding kRounding>
Handler handler_of(Type to, Type from) {
  using enum Type;
#define NVMLKIT_TO_INTEGER(t, D)                                                              \
  if (to == t && from == f32) return best<&map1<D, float, ToInteger<D, float, kRounding>>>(); \
  if (to == t && from == f64) return best<&map1<D, double, ToInteger<D, double, kRounding>>>();
  NVMLKIT_TO_INTEGER(s32, std::int32_t)
  NVMLKIT_TO_INTEGER(u32, std::uint32_t)
  NVMLKIT_TO_INTEGER(s64, std::int64_t)
#undef NVMLKIT_TO_INTEGER
  if (to == f32 && from == f32) return best<&map1<float, float, Settled<Whole<kRounding>>>>();
  if (to == f64 && from == f64) return best<&map1<double, double, Settled<Whole<kRounding>>>>();
  return nullptr;
}

}  // namespace

Handler rounded_conversion(Type to, Type from, Rounding rounding) {
  switch (rounding) {
    case Rounding::zero:
      return handler_of<Rounding::zero>(to, from);
    case Rounding::down:
      return handler_of<Rounding::down>(to, from);
    case Rounding::up:
      return handler_of<Rounding::up>(to, from);
    case Rounding::nearest:
      break;
  }
  return handler_of<Rounding::nearest>(to, from);
}

}  // namespace nvmlkit::ptx
