#include "ptx/check/bits/results.hpp"

#include <algorithm>

namespace nvmlkit::ptx::bits {

std::uint64_t of_table(std::uint32_t table, const Value& a, const Value& b, const Value& c) {
  // Each bit stands for itself: it is known if no choice of the unknown ones changes it.
  std::uint64_t ones = 0, zeros = 0;
  for (unsigned k = 0; k < 8; ++k) {
    const auto may_be = [&](const Value& v, unsigned bit) { return v.unknown | (k & bit ? v.bits : ~v.bits); };
    const auto here = may_be(a, 4) & may_be(b, 2) & may_be(c, 1);
    (table >> k & 1 ? ones : zeros) |= here;
  }
  return ones & zeros;
}

std::uint64_t of_logic(Op op, const Value& a, const Value& b) {
  constexpr std::uint32_t kAnd = 0xC0, kOr = 0xFC, kXor = 0x3C;
  return of_table(op == Op::and_ ? kAnd : op == Op::or_ ? kOr : kXor, a, b, {});
}

std::uint64_t of_shift(bool is_left, bool is_signed, unsigned width, const Value& a, const Value& by) {
  if (by.unknown != 0) return low(width);
  const auto n = static_cast<unsigned>(std::min<std::uint64_t>(by.bits & 0xFFFFFFFF, width));
  if (is_left) return n >= width ? 0 : a.unknown << n & low(width);
  const bool sign = is_signed && (a.unknown >> (width - 1) & 1);
  const auto moved = n >= 64 ? 0 : a.unknown >> n;
  return moved | (sign ? low(width) & ~low(width - n) : 0);
}

std::uint64_t of_sum(bool subtracts, unsigned width, const Value& a, const Value& b) {
  const auto one = subtracts ? a.least() - b.most() : a.least() + b.least();
  const auto other = subtracts ? a.most() - b.least() : a.most() + b.most();
  return (a.unknown | b.unknown | (one ^ other)) & low(width);
}

std::uint64_t of_extracted(bool is_signed, unsigned width, const Value& a, const Value& start, const Value& length) {
  if ((start.unknown | length.unknown) != 0) return low(width);
  const auto s = static_cast<unsigned>(start.bits & 0xFF), n = static_cast<unsigned>(length.bits & 0xFF);
  if (n == 0) return 0;
  const auto moved = s >= width ? 0 : a.unknown >> s;
  const bool sign = is_signed && (a.unknown >> std::min(s + n - 1, width - 1) & 1);
  return ((moved & low(n)) | (sign ? ~low(std::min(n, s >= width ? 0 : width - s)) : 0)) & low(width);
}

std::uint64_t of_inserted(unsigned width, const Value& a, const Value& b, const Value& start, const Value& length) {
  if ((start.unknown | length.unknown) != 0) return low(width);
  const auto s = static_cast<unsigned>(start.bits & 0xFF), n = static_cast<unsigned>(length.bits & 0xFF);
  if (s >= width || n == 0) return b.unknown;
  const auto field = low(n) << s;
  return ((b.unknown & ~field) | (a.unknown << s & field)) & low(width);
}

std::uint64_t of_permuted(const Value& a, const Value& b, const Value& choice) {
  if (choice.unknown != 0) return low(32);
  const auto both = b.unknown << 32 | (a.unknown & low(32));
  std::uint64_t out = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const auto which = choice.bits >> 4 * k & 0xF;
    auto byte = both >> 8 * (which & 7) & 0xFF;
    if (which & 8) byte = byte & 0x80 ? 0xFF : 0;
    out |= byte << 8 * k;
  }
  return out;
}

std::uint64_t of_converted(Type to, Type from, unsigned register_width, const Value& a) {
  const auto extended = [](std::uint64_t bits, Type type) {
    const auto width = 8 * size_of(type);
    bits &= low(width);
    return is_signed(type) && (bits >> (width - 1) & 1) ? bits | ~low(width) : bits;
  };
  return extended(extended(a.unknown, from), to) & low(register_width);
}

bool of_comparison(Relation relation, Type type, Value a, Value b) {
  const auto width = 8 * size_of(type);
  if (is_signed(type)) {  // the order of unsigned numbers
    a.bits ^= std::uint64_t{1} << (width - 1);
    b.bits ^= std::uint64_t{1} << (width - 1);
  }
  const auto unknown = a.unknown | b.unknown;
  if (unknown == 0) return false;
  const auto certain = [](const Value& x, const Value& y) { return x.most() < y.least() || x.least() >= y.most(); };
  switch (relation) {
    case Relation::eq:
    case Relation::ne:
      return ((a.bits ^ b.bits) & ~unknown) == 0;
    case Relation::lt:
    case Relation::ge:
      return !certain(a, b);
    case Relation::le:
    case Relation::gt:
      return !certain(b, a);
    default:
      return true;
  }
}

}  // namespace nvmlkit::ptx::bits
