// shl, shr, shf.
#include <algorithm>

#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/numbers.hpp"

namespace nvmlkit::ptx {
namespace {

// Shifts by at least the width leave zeros, or signs.
struct Shl {
  template <class T>
  static T of(T a, std::uint32_t b) {
    return b < 8 * sizeof(T) ? static_cast<T>(a << b) : T{0};
  }
};
struct Shr {
  template <class T>
  static T of(T a, std::uint32_t b) {
    if (b < 8 * sizeof(T)) return static_cast<T>(a >> b);
    return std::is_signed_v<T> && a < T{0} ? static_cast<T>(-1) : T{0};
  }
};

template <bool left, bool wraps>
struct Funnel {
  static std::uint32_t of(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
    const auto n = wraps ? by & 31 : std::min(by, 32u);
    const auto both = std::uint64_t{high} << 32 | low;
    return static_cast<std::uint32_t>(left ? both << n >> 32 : both >> n);
  }
};

}  // namespace

namespace decoders {

void shifts(Form& f) {
  const auto type = f.type();
  f.out.d = f.target(0, type);
  f.out.a = f.source(1, type);
  if (f.op() == Op::shf_) {
    f.out.b = f.source(2, Type::b32);
    f.out.c = f.source(3, Type::b32);
    using U = std::uint32_t;
    if (f.has("l"))
      f.out.handler = f.has("wrap") ? &map3<U, U, U, U, Funnel<true, true>> : &map3<U, U, U, U, Funnel<true, false>>;
    else
      f.out.handler = f.has("wrap") ? &map3<U, U, U, U, Funnel<false, true>> : &map3<U, U, U, U, Funnel<false, false>>;
    return;
  }
  f.out.b = f.source(2, Type::u32);
  const bool left = f.op() == Op::shl_;
  switch (type) {
    case Type::s16:
      f.out.handler = left ? nullptr : kShiftOf<Shr, std::int16_t>;
      break;
    case Type::s32:
      f.out.handler = left ? nullptr : best<kShiftOf<Shr, std::int32_t>>();
      break;
    case Type::s64:
      f.out.handler = left ? nullptr : best<kShiftOf<Shr, std::int64_t>>();
      break;
    case Type::b16:
    case Type::u16:
      f.out.handler = left ? kShiftOf<Shl, std::uint16_t> : kShiftOf<Shr, std::uint16_t>;
      break;
    case Type::b32:
    case Type::u32:
      f.out.handler = left ? best<kShiftOf<Shl, std::uint32_t>>() : best<kShiftOf<Shr, std::uint32_t>>();
      break;
    default:
      f.out.handler = left ? best<kShiftOf<Shl, std::uint64_t>>() : best<kShiftOf<Shr, std::uint64_t>>();
      break;
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
