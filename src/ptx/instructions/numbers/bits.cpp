// Logic, shifts, and everything about single bits.
#include <algorithm>
#include <bit>

#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/numbers.hpp"

namespace nvmlkit::ptx {
namespace {

struct And {
  template <class T>
  static T of(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T of(T a) {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  static T of(T a) {
    return a == 0;
  }
};

// Of predicates: masks as a whole. `detail` is the operation, `flag` and `count` whether a and b are negated.
void predicates(Warp& w, const Instruction& i, Mask lanes) {
  const Mask a = i.flag ? ~w.predicate(i.a) : w.predicate(i.a);
  const Mask b = !i.b.is_there() ? 0 : i.count == 2 ? ~w.predicate(i.b) : w.predicate(i.b);
  w.set_predicate(i.d, lanes, i.detail == '&' ? a & b : i.detail == '|' ? a | b : i.detail == '^' ? a ^ b : ~a);
}

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

void lop3(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint32_t>(i.d);
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  const auto* const c = w.at<std::uint32_t>(i.c);
  const auto table = static_cast<std::uint32_t>(i.immediate);
  each_lane(lanes, [=](unsigned l) {
    std::uint32_t out = 0;
    for (unsigned k = 0; k < 8; ++k)
      if (table >> k & 1) out |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
    d[l] = out;
  });
}

struct Popc {
  template <class T>
  static std::uint32_t of(T a) {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  static std::uint32_t of(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct Brev {
  template <class T>
  static T of(T a) {
    T out = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k) out = static_cast<T>(out << 1 | (a >> k & 1));
    return out;
  }
};

// The highest bit that differs from the sign; all ones if there is none.
template <bool as_shift>
struct Bfind {
  template <class T>
  static std::uint32_t of(T a) {
    using U = std::make_unsigned_t<T>;
    const auto bits = static_cast<U>(std::is_signed_v<T> && a < T{0} ? ~a : a);
    if (bits == 0) return ~0u;
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
    return as_shift ? zeros : static_cast<std::uint32_t>(8 * sizeof(T)) - 1 - zeros;
  }
};

struct Bfe {
  template <class T>
  static T of(T a, std::uint32_t start, std::uint32_t length) {
    constexpr unsigned kBits = 8 * sizeof(T);
    start &= 0xFF;
    length &= 0xFF;
    using U = std::make_unsigned_t<T>;
    if (length == 0) return 0;
    const bool sign = std::is_signed_v<T> && (static_cast<U>(a) >> std::min(start + length - 1, kBits - 1) & 1);
    const U shifted = start < kBits ? static_cast<U>(static_cast<U>(a) >> start) : U{0};
    const auto there = start < kBits ? std::min(length, kBits - start) : 0;
    const U mask = there >= kBits ? ~U{0} : static_cast<U>((U{1} << there) - 1);
    return static_cast<T>(sign ? shifted | ~mask : shifted & mask);
  }
};

template <class T>
void insert_bits(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const auto* const start = w.at<std::uint32_t>(i.c);
  const auto* const length = w.at<std::uint32_t>(i.d2);
  each_lane(lanes, [=](unsigned l) {
    constexpr unsigned kBits = 8 * sizeof(T);
    const auto s = start[l] & 0xFF, n = length[l] & 0xFF;
    if (s >= kBits || n == 0) {
      d[l] = b[l];
      return;
    }
    const T mask = static_cast<T>((n >= kBits ? ~T{0} : (T{1} << n) - 1) << s);
    d[l] = static_cast<T>((b[l] & ~mask) | (static_cast<T>(a[l] << s) & mask));
  });
}

template <bool wraps>
struct Bmsk {
  static std::uint32_t of(std::uint32_t start, std::uint32_t length) {
    if (wraps) {
      start &= 31;
      length &= 31;
    }
    if (start >= 32 || length == 0) return 0;
    return (length >= 32 ? ~0u : (1u << length) - 1) << start;
  }
};

template <bool wraps>
struct Szext {
  template <class T>
  static T of(T a, std::uint32_t bits) {
    if (wraps) bits &= 31;
    if (bits == 0) return 0;
    if (bits >= 32) return a;
    const auto up = static_cast<std::uint32_t>(a) << (32 - bits);
    return static_cast<T>(static_cast<T>(up) >> (32 - bits));
  }
};

// The n-th set bit from a base on, upwards or downwards.
struct Fns {
  static std::uint32_t of(std::uint32_t mask, std::uint32_t base, std::uint32_t offset) {
    const auto n = static_cast<std::int32_t>(offset);
    if (base > 31) return ~0u;
    if (n == 0) return mask >> base & 1 ? base : ~0u;
    auto left = n > 0 ? n : -n;
    for (auto k = static_cast<int>(base); k >= 0 && k<32; k += n> 0 ? 1 : -1)
      if ((mask >> k & 1) && --left == 0) return static_cast<std::uint32_t>(k);
    return ~0u;
  }
};

// Bytes of two words in an order; mode 0 is the general one.
void permute(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint32_t>(i.d);
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  const auto* const c = w.at<std::uint32_t>(i.c);
  const auto mode = i.detail;
  each_lane(lanes, [=](unsigned l) {
    const auto both = std::uint64_t{b[l]} << 32 | a[l];
    const auto s = c[l] & 3;
    std::uint32_t out = 0;
    for (unsigned k = 0; k < 4; ++k) {
      std::uint32_t which = c[l] >> 4 * k & 0xF;
      if (mode == 1) which = s + k;                  // f4e
      if (mode == 2) which = (8 + s - k) & 7;        // b4e
      if (mode == 3) which = s;                      // rc8
      if (mode == 4) which = std::max(s, k);         // ecl
      if (mode == 5) which = std::min(s, k);         // ecr
      if (mode == 6) which = (s & 1) * 2 + (k & 1);  // rc16
      auto byte = static_cast<std::uint32_t>(both >> 8 * (which & 7)) & 0xFF;
      if (which & 8) byte = byte & 0x80 ? 0xFF : 0;
      out |= byte << 8 * k;
    }
    d[l] = out;
  });
}

template <class F>
Handler unary_bits(Type type) {
  switch (size_of(type)) {
    case 2:
      return &map1<std::uint16_t, std::uint16_t, F>;
    case 4:
      return &map1<std::uint32_t, std::uint32_t, F>;
    case 8:
      return &map1<std::uint64_t, std::uint64_t, F>;
    default:
      return nullptr;
  }
}

template <class F, class T>
constexpr Handler shift_of = &map2<T, T, std::uint32_t, F>;

}  // namespace

namespace decoders {

void logic(Form& f) {
  const auto type = f.type();
  f.out.d = f.target(0, type);
  if (type == Type::pred) {
    f.out.a = f.predicate(f.term(1));
    f.out.flag = f.term(1).negated;
    if (f.count() > 2) {
      f.out.b = f.predicate(f.term(2));
      f.out.count = f.term(2).negated ? 2 : 1;
    }
    f.out.detail = f.op() == Op::and_ ? '&' : f.op() == Op::or_ ? '|' : f.op() == Op::xor_ ? '^' : '!';
    f.out.run = &predicates;
    return;
  }
  f.out.a = f.source(1, type);
  if (f.count() > 2) f.out.b = f.source(2, type);
  switch (f.op()) {
    case Op::and_:
      f.out.run = binary_unsigned<And>(type);
      break;
    case Op::or_:
      f.out.run = binary_unsigned<Or>(type);
      break;
    case Op::xor_:
      f.out.run = binary_unsigned<Xor>(type);
      break;
    case Op::not_:
      f.out.run = unary_bits<Not>(type);
      break;
    case Op::cnot_:
      f.out.run = unary_bits<Cnot>(type);
      break;
    case Op::lop3_:
      f.out.c = f.source(3, type);
      f.out.immediate = f.term(4).value;
      f.out.run = best<&lop3>();
      break;
    default:
      break;
  }
}

void shifts(Form& f) {
  const auto type = f.type();
  f.out.d = f.target(0, type);
  f.out.a = f.source(1, type);
  if (f.op() == Op::shf_) {
    f.out.b = f.source(2, Type::b32);
    f.out.c = f.source(3, Type::b32);
    using U = std::uint32_t;
    if (f.has("l"))
      f.out.run = f.has("wrap") ? &map3<U, U, U, U, Funnel<true, true>> : &map3<U, U, U, U, Funnel<true, false>>;
    else
      f.out.run = f.has("wrap") ? &map3<U, U, U, U, Funnel<false, true>> : &map3<U, U, U, U, Funnel<false, false>>;
    return;
  }
  f.out.b = f.source(2, Type::u32);
  const bool left = f.op() == Op::shl_;
  switch (type) {
    case Type::s16:
      f.out.run = left ? nullptr : shift_of<Shr, std::int16_t>;
      break;
    case Type::s32:
      f.out.run = left ? nullptr : best<shift_of<Shr, std::int32_t>>();
      break;
    case Type::s64:
      f.out.run = left ? nullptr : best<shift_of<Shr, std::int64_t>>();
      break;
    case Type::b16:
    case Type::u16:
      f.out.run = left ? shift_of<Shl, std::uint16_t> : shift_of<Shr, std::uint16_t>;
      break;
    case Type::b32:
    case Type::u32:
      f.out.run = left ? best<shift_of<Shl, std::uint32_t>>() : best<shift_of<Shr, std::uint32_t>>();
      break;
    default:
      f.out.run = left ? best<shift_of<Shl, std::uint64_t>>() : best<shift_of<Shr, std::uint64_t>>();
      break;
  }
}

void bits(Form& f) {
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  using S32 = std::int32_t;
  using S64 = std::int64_t;
  const auto type = f.type();
  const bool wide = size_of(type) == 8;
  const bool counts = f.op() == Op::popc_ || f.op() == Op::clz_ || f.op() == Op::bfind_;
  f.out.d = f.target(0, counts ? Type::u32 : type);
  f.out.a = f.source(1, type);
  if (f.count() > 2) f.out.b = f.source(2, f.op() == Op::bfi_ ? type : Type::u32);
  if (f.count() > 3) f.out.c = f.source(3, Type::u32);
  if (f.count() > 4) f.out.d2 = f.source(4, Type::u32);
  const bool shift = f.has("shiftamt"), wrap = f.has("wrap");
  switch (f.op()) {
    case Op::popc_:
      f.out.run = wide ? &map1<U32, U64, Popc> : &map1<U32, U32, Popc>;
      break;
    case Op::clz_:
      f.out.run = wide ? &map1<U32, U64, Clz> : &map1<U32, U32, Clz>;
      break;
    case Op::brev_:
      f.out.run = unary_bits<Brev>(type);
      break;
    case Op::bfind_:
      if (type == Type::u32) f.out.run = shift ? &map1<U32, U32, Bfind<true>> : &map1<U32, U32, Bfind<false>>;
      if (type == Type::s32) f.out.run = shift ? &map1<U32, S32, Bfind<true>> : &map1<U32, S32, Bfind<false>>;
      if (type == Type::u64) f.out.run = shift ? &map1<U32, U64, Bfind<true>> : &map1<U32, U64, Bfind<false>>;
      if (type == Type::s64) f.out.run = shift ? &map1<U32, S64, Bfind<true>> : &map1<U32, S64, Bfind<false>>;
      break;
    case Op::bfe_:
      if (type == Type::u32) f.out.run = &map3<U32, U32, U32, U32, Bfe>;
      if (type == Type::s32) f.out.run = &map3<S32, S32, U32, U32, Bfe>;
      if (type == Type::u64) f.out.run = &map3<U64, U64, U32, U32, Bfe>;
      if (type == Type::s64) f.out.run = &map3<S64, S64, U32, U32, Bfe>;
      break;
    case Op::bfi_:
      f.out.run = wide ? &insert_bits<U64> : &insert_bits<U32>;
      break;
    case Op::bmsk_:
      f.out.run = wrap ? &map2<U32, U32, U32, Bmsk<true>> : &map2<U32, U32, U32, Bmsk<false>>;
      break;
    case Op::szext_:
      if (type == Type::u32)
        f.out.run = wrap ? shift_of<Szext<true>, U32> : shift_of<Szext<false>, U32>;
      else
        f.out.run = wrap ? shift_of<Szext<true>, S32> : shift_of<Szext<false>, S32>;
      break;
    case Op::fns_:
      f.out.run = &map3<U32, U32, U32, U32, Fns>;
      break;
    case Op::prmt_: {
      constexpr std::string_view kModes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
      for (std::size_t k = 0; k < 6; ++k)
        if (f.has(kModes[k])) f.out.detail = static_cast<std::uint8_t>(k + 1);
      f.out.run = &permute;
      break;
    }
    default:
      break;
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
