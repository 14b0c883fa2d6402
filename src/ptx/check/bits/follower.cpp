#include "ptx/check/bits/follower.hpp"

#include <algorithm>

namespace nvmlkit::ptx {

using bits::Value;

namespace {

bool is_integer(Type type) {
  return (type >= Type::b16 && type <= Type::s16) || (type >= Type::b32 && type <= Type::s32) ||
         (type >= Type::b64 && type <= Type::s64) || (type >= Type::b8 && type <= Type::s8);
}

}  // namespace

Follower::Follower(Warp& w, const Instruction& i, unsigned lane)
    : w_(w), i_(i), function_(*w.frame().function), known_(*w.frame().unwritten), lane_(lane) {
  number_ = static_cast<std::uint32_t>(&i - function_.code.data());
  const auto first = std::ranges::lower_bound(function_.accesses, number_, {}, &Access::at);
  const auto end = std::find_if(first, function_.accesses.end(), [&](const auto& a) { return a.at != number_; });
  accesses_ = {first, end};
}

const UnwrittenPart* Follower::first_read() const {
  for (const auto& access : accesses_) {
    if (access.writes || (i_.guard.is_there() && access.offset == i_.guard.offset())) continue;
    if (const auto* const part = read_at(access)) return part;
  }
  return nullptr;
}

const UnwrittenPart* Follower::read_at(const Access& access) const {
  const auto operand = Operand::at(Operand::registers, access.offset);
  const auto* const part = find(operand);
  return part || access.size <= 8 ? part : find(operand, true);
}

void Follower::set(Operand target, std::uint64_t unknown, bool is_computed) {
  const auto* const source = unknown != 0 ? first_read() : nullptr;
  const auto op = meaning().op;
  const bool adds_others = op == Op::or_ || op == Op::bfi_ || op == Op::prmt_ || i_.count > 1;
  const bool shifts = op == Op::shl_ || op == Op::shr_ || op == Op::bfe_;
  known_.set(target, lane_,
             source ? UnwrittenPart{unknown, is_computed, (source->is_value || shifts) && !adds_others, source->from}
                    : UnwrittenPart{});
}

void Follower::set_all_from(const UnwrittenPart* source, std::uint64_t which) {
  const auto from = source ? source->from : UnwrittenLoad{};
  for (const auto& access : accesses_) {
    if (!access.writes) continue;
    const auto unknown = !source ? 0 : access.size == 0 ? 1 : bits::low(8 * access.size) & which;
    const auto target = Operand::at(Operand::registers, access.offset);
    known_.set(target, lane_, {unknown, true, false, from});
    if (access.size > 8) known_.set(target, lane_, {unknown, true, false, from}, true);
  }
}

Value Follower::value(Operand operand, unsigned size) const {
  Value out;
  if (!operand.is_there()) return out;
  std::memcpy(&out.bits, w_.at<std::byte>(operand) + std::size_t{lane_} * size, size);
  if (const auto* const part = find(operand)) out.unknown = part->bits & bits::low(8 * size);
  return out;
}

Value Follower::predicate(Operand operand, bool is_negated) const {
  if (!operand.is_there()) return {};
  const auto* const part = find(operand);
  return {((w_.predicate(operand) >> lane_ & 1) != 0) != is_negated ? 1u : 0u, part ? part->bits & 1 : 0};
}

bool Follower::has_computed() const {
  for (const auto& access : accesses_)
    if (const auto* const part = read_at(access); part && !access.writes && part->is_computed) return true;
  return false;
}

unsigned Follower::size_of_result() const {
  for (const auto& access : accesses_)
    if (access.writes) return access.size;
  return 0;
}

// mov of a vector: `detail` is the width of a part.
bool Follower::follow_parts() {
  const std::span parts(function_.operands.data() + i_.side, i_.count);
  if (i_.detail * i_.count > 8u) return follow_wide_parts();
  const bool is_computed = has_computed();
  if (i_.d.is_there()) {
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) all |= value(parts[k], i_.detail).unknown << 8 * i_.detail * k;
    set(i_.d, all, is_computed);
    return true;
  }
  const auto whole = value(i_.a, i_.detail * i_.count).unknown;
  const auto* const source = find(i_.a);
  const auto from = source ? source->from : UnwrittenLoad{};
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].is_there())
      known_.set(parts[k], lane_, {whole >> 8 * i_.detail * k & bits::low(8 * i_.detail), is_computed, false, from});
  return true;
}

// The same of 128 bits: a part is a half of the register, or lies in one.
bool Follower::follow_wide_parts() {
  const std::span parts(function_.operands.data() + i_.side, i_.count);
  const unsigned in_half = 8u / i_.detail;
  UnwrittenPart halves[2];
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto shift = 8 * i_.detail * (k % in_half);
    const auto* const part = find(i_.d.is_there() ? parts[k] : i_.a, !i_.d.is_there() && k >= in_half);
    auto handed = part ? *part : UnwrittenPart{};
    if (!i_.d.is_there()) {
      handed.bits = handed.bits >> shift & bits::low(8 * i_.detail);
      if (parts[k].is_there()) known_.set(parts[k], lane_, handed);
    } else if (part) {
      auto& half = halves[k / in_half];
      half = {half.bits | handed.bits << shift, half.is_computed || handed.is_computed, false, handed.from};
    }
  }
  for (unsigned k = 0; k < 2 && i_.d.is_there(); ++k) known_.set(i_.d, lane_, halves[k], k == 1);
  return true;
}

void Follower::move_wide() {
  for (const bool is_upper : {false, true}) {
    const auto* const part = find(i_.a, is_upper);
    known_.set(i_.d, lane_, part ? *part : UnwrittenPart{}, is_upper);
  }
}

bool Follower::follow_predicates() {
  const auto a = predicate(i_.a, i_.flag), b = predicate(i_.b, i_.count == 2);
  const auto op = meaning().op;
  if (op == Op::mov_ || op == Op::not_) return computed(a.unknown);
  return computed(bits::of_logic(op, a, b) & 1);
}

bool Follower::follow_comparison(unsigned size) {
  const auto type = meaning().types[0];
  if (!is_integer(type) || i_.d2.is_there()) return false;
  const bool is_unknown = bits::of_comparison(meaning().relation, type, value(i_.a, size), value(i_.b, size));
  if (!i_.c.is_there()) return computed(is_unknown ? 1 : 0);
  const auto other = predicate(i_.c, i_.flag);
  if (!is_unknown) return computed(other.unknown);
  const auto op = i_.detail == '&' ? Op::and_ : i_.detail == '|' ? Op::or_ : Op::xor_;
  return computed(bits::of_logic(op, {0, 1}, other) & 1);
}

bool Follower::follow_fields(unsigned size) {
  const auto width = 8 * size;
  const bool has_sign = is_signed(meaning().types[0]);
  const auto a = value(i_.a, size);
  if (meaning().op == Op::bfe_) return moved(bits::of_extracted(has_sign, width, a, value(i_.b, 4), value(i_.c, 4)));
  if (meaning().op == Op::bfi_)
    return moved(bits::of_inserted(width, a, value(i_.b, size), value(i_.c, 4), value(i_.d2, 4)));
  return i_.detail == 0 && moved(bits::of_permuted(a, value(i_.b, 4), value(i_.c, 4)));
}

bool Follower::follow_numbers(unsigned size) {
  const auto width = 8 * size;
  const auto type = meaning().types[0];
  const auto a = value(i_.a, size);
  switch (meaning().op) {
    case Op::and_:
    case Op::or_:
      return moved(bits::of_logic(meaning().op, a, value(i_.b, size)) & bits::low(width));
    case Op::xor_:
      return computed(bits::of_logic(meaning().op, a, value(i_.b, size)) & bits::low(width));
    case Op::not_:
      return computed(a.unknown);
    case Op::lop3_:
      return computed(bits::of_table(static_cast<std::uint32_t>(i_.immediate), a, value(i_.b, 4), value(i_.c, 4)) &
                      bits::low(32));
    case Op::shl_:
    case Op::shr_:
      return moved(bits::of_shift(meaning().op == Op::shl_, is_signed(type), width, a, value(i_.b, 4)));
    case Op::add_:
    case Op::sub_:
      if (!is_integer(type) || meaning().words != 0) return false;
      return computed(bits::of_sum(meaning().op == Op::sub_, width, a, value(i_.b, size)));
    case Op::bfe_:
    case Op::bfi_:
    case Op::prmt_:
      return follow_fields(size);
    case Op::setp_:
      return follow_comparison(size);
    case Op::selp_: {
      const auto p = predicate(i_.c, i_.flag);
      const auto b = value(i_.b, size);
      if (p.unknown != 0) return computed((a.bits ^ b.bits) | a.unknown | b.unknown);
      return moved(p.bits != 0 ? a.unknown : b.unknown);
    }
    default:
      return false;
  }
}

bool Follower::follow_bits() {
  const auto& says = meaning();
  const auto type = says.types[0];
  if (says.op == Op::mov_ && type != Type::pred) {
    if (i_.count > 1) return follow_parts();
    if (size_of(type) <= 8) return moved(value(i_.a, size_of(type)).unknown);
    move_wide();
    return true;
  }
  if (type == Type::pred) return says.op != Op::setp_ && follow_predicates();
  if (says.op == Op::cvt_) {
    if (!is_integer(type) || !is_integer(says.types[1]) || says.words != 0) return false;
    for (const auto& access : accesses_)
      if (!access.writes && access.size != 0 && access.offset == i_.a.offset())
        return moved(bits::of_converted(type, says.types[1], 8 * size_of_result(), value(i_.a, access.size)));
    return false;
  }
  return size_of(type) >= 2 && size_of(type) <= 8 && follow_numbers(size_of(type));
}

}  // namespace nvmlkit::ptx
