// Single bits, bit fields and bytes: popc, clz, brev, bfind, bfe, bfi, bmsk, szext, fns, prmt.
#include <algorithm>
#include <bit>

#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/numbers.hpp"

namespace nvmlkit::ptx {
namespace {

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

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

template <bool as_shift>
Handler find_highest_bit(Type type) {
  switch (type) {
    case Type::u32:
      return &map1<U32, U32, Bfind<as_shift>>;
    case Type::s32:
      return &map1<U32, S32, Bfind<as_shift>>;
    case Type::u64:
      return &map1<U32, U64, Bfind<as_shift>>;
    case Type::s64:
      return &map1<U32, S64, Bfind<as_shift>>;
    default:
      return nullptr;
  }
}

Handler extract_bits(Type type) {
  switch (type) {
    case Type::u32:
      return &map3<U32, U32, U32, U32, Bfe>;
    case Type::s32:
      return &map3<S32, S32, U32, U32, Bfe>;
    case Type::u64:
      return &map3<U64, U64, U32, U32, Bfe>;
    case Type::s64:
      return &map3<S64, S64, U32, U32, Bfe>;
    default:
      return nullptr;
  }
}

// The mode of permute(): 0 without a name.
std::uint8_t permute_mode(const Form& f) {
  constexpr std::string_view kModes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  std::uint8_t mode = 0;
  for (std::size_t k = 0; k < std::size(kModes); ++k)
    if (f.has(kModes[k])) mode = static_cast<std::uint8_t>(k + 1);
  return mode;
}

}  // namespace

namespace decoders {

void bits(Form& f) {
  const auto type = f.type();
  const bool wide = size_of(type) == 8;
  const bool counts = f.op() == Op::popc_ || f.op() == Op::clz_ || f.op() == Op::bfind_;
  f.out.d = f.target(0, counts ? Type::u32 : type);
  f.out.a = f.source(1, type);
  if (f.count() > 2) f.out.b = f.source(2, f.op() == Op::bfi_ ? type : Type::u32);
  if (f.count() > 3) f.out.c = f.source(3, Type::u32);
  if (f.count() > 4) f.out.d2 = f.source(4, Type::u32);
  const bool wrap = f.has("wrap");
  switch (f.op()) {
    case Op::popc_:
      f.out.handler = wide ? &map1<U32, U64, Popc> : &map1<U32, U32, Popc>;
      break;
    case Op::clz_:
      f.out.handler = wide ? &map1<U32, U64, Clz> : &map1<U32, U32, Clz>;
      break;
    case Op::brev_:
      f.out.handler = unary_bits<Brev>(type);
      break;
    case Op::bfind_:
      f.out.handler = f.has("shiftamt") ? find_highest_bit<true>(type) : find_highest_bit<false>(type);
      break;
    case Op::bfe_:
      f.out.handler = extract_bits(type);
      break;
    case Op::bfi_:
      f.out.handler = wide ? &insert_bits<U64> : &insert_bits<U32>;
      break;
    case Op::bmsk_:
      f.out.handler = wrap ? &map2<U32, U32, U32, Bmsk<true>> : &map2<U32, U32, U32, Bmsk<false>>;
      break;
    case Op::szext_:
      if (type == Type::u32)
        f.out.handler = wrap ? kShiftOf<Szext<true>, U32> : kShiftOf<Szext<false>, U32>;
      else
        f.out.handler = wrap ? kShiftOf<Szext<true>, S32> : kShiftOf<Szext<false>, S32>;
      break;
    case Op::fns_:
      f.out.handler = &map3<U32, U32, U32, U32, Fns>;
      break;
    case Op::prmt_:
      f.out.detail = permute_mode(f);
      f.out.handler = &permute;
      break;
    default:
      break;
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
