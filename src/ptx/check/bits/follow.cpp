// The handler in front of instructions of a frame that has bits which nothing wrote. Addresses, guards, and what others
// see of such bits are uses.
#include <array>
#include <cstring>

#include "ptx/check/bits/follower.hpp"
#include "ptx/check/bounds.hpp"
#include "ptx/check/written.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {
namespace {

bool is_memory(Op op) { return op == Op::ld_ || op == Op::ldu_ || op == Op::st_ || op == Op::atom_ || op == Op::red_; }

// Of bytes that were stored, one bit counts as written, whatever it is: they differ from those that nothing touched.
constexpr std::byte kStored{0x80};

// What a store hands on of one lane, for the bytes of its memory.
struct Stored {
  std::array<std::byte, 32> unknown{};
  std::uint32_t size = 0;
};

constexpr std::uint32_t kHalf = 8;  // bytes that are followed as one part

Operand value_of(const Warp& w, const Instruction& i, std::uint32_t k) {
  return i.count > 1 ? w.frame().function->operands[i.side + k] : i.b;
}

enum class StoredAs : std::uint8_t { nothing, copy, use };

// Back to where they came from, such bits are what they were. A part of a value is the padding of a struct or a field
// of bits. A whole value that becomes one of other memory is used, and what was computed from it is as well.
StoredAs stored_as(const UnwrittenPart& part, std::uint64_t unknown, bool is_whole, Space space,
                   std::uint64_t address) {
  if (unknown == 0) return StoredAs::nothing;
  if (space == Space::local) return StoredAs::copy;
  if (part.is_computed) return StoredAs::use;
  const bool is_back = space == part.from.space && address - part.from.address < part.from.size;
  return is_back || (!is_whole && !part.is_value) ? StoredAs::copy : StoredAs::use;
}

Stored stored_bits(const Follower& follower, Warp& w, const Instruction& i, const CheckedForm& form, unsigned lane,
                   Space space, std::uint64_t address) {
  Stored out;
  const auto count = std::max<std::uint32_t>(i.count, 1);
  const auto size = form.size / count;
  out.size = form.size;
  const auto bytes = std::min(size, kHalf);
  for (std::uint32_t at = 0; at < form.size; at += bytes) {
    const auto* const part = follower.find(value_of(w, i, at / size), at % size != 0);
    if (!part) continue;
    const auto whole = bits::low(8 * bytes), unknown = part->bits & whole;
    const auto* const other = size > kHalf ? follower.find(value_of(w, i, at / size), at % size == 0) : part;
    const bool is_whole = unknown == whole && other && (other->bits & whole) == whole;
    const auto as = stored_as(*part, unknown, is_whole, space, address + at);
    if (as == StoredAs::copy) std::memcpy(out.unknown.data() + at, &unknown, bytes);
    if (as == StoredAs::use) report_unwritten(w, lane, part->from);
  }
  return out;
}

// A parameter of a function that is called, or what a function gives: handed on as by a move.
void follow_param(Warp& w, const Instruction& i, const CheckedForm& form, Mask lanes) {
  const auto count = std::max<std::uint32_t>(i.count, 1);
  const auto size = form.size / count, bytes = std::min(size, kHalf);
  auto& known = *w.frame().unwritten;
  std::uint64_t addresses[kLanes];
  effective_addresses(w, i, addresses);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    for (std::uint32_t at = 0; at < form.size; at += bytes) {
      const auto operand = form.op == Op::st_ || count > 1 ? value_of(w, i, at / size) : i.d;
      const auto offset = static_cast<std::uint32_t>(addresses[lane] + at);
      if (form.op == Op::st_) {
        const auto* const part = operand.is_there() ? known.find(operand, lane, at % size != 0) : nullptr;
        known.set_param(offset, bytes, lane, part ? *part : UnwrittenPart{});
      } else if (operand.is_there()) {
        auto part = known.find_param(offset, bytes, lane).value_or(UnwrittenPart{});
        part.bits = as_loaded(*w.frame().function, i, operand, bytes, part.bits);
        known.set(operand, lane, part, at % size != 0);
      }
    }
  }
  form.followed(w, i, lanes);
}

void follow_store(Warp& w, const Instruction& i, Mask lanes) {
  const auto& form = checked_form(*w.frame().function, i);
  std::uint64_t addresses[kLanes];
  effective_addresses(w, i, addresses);
  std::array<Stored, kLanes> stored;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    Follower follower(w, i, lane);
    auto address = addresses[lane];
    const auto space = space_of(i.space, address);
    if (const auto* const part = i.a.is_there() ? follower.find(i.a) : nullptr) report_unwritten(w, lane, part->from);
    if (form.size != 0) stored[lane] = stored_bits(follower, w, i, form, lane, space, address);
  }
  form.followed(w, i, lanes);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    auto address = addresses[lane];
    const auto space = space_of(i.space, address);
    auto* const written = stored[lane].size == 0 ? nullptr : written_at(w, i, space, address, stored[lane].size, lane);
    for (std::uint32_t k = 0; written && k < stored[lane].size; ++k)
      if (const auto unknown = stored[lane].unknown[k]; unknown != std::byte{}) written[k] = ~unknown | kStored;
  }
}

// Before the instruction is executed.
void follow_lane(Warp& w, const Instruction& i, unsigned lane) {
  Follower follower(w, i, lane);
  const auto op = follower.meaning().op;
  if (is_memory(op)) {
    while (const auto* const part = follower.first_read()) report_unwritten(w, lane, part->from);
    return follower.set_all(false);
  }
  if (op == Op::prefetch_) return follower.set_all(false);
  const auto* const part = follower.first_read();
  if (part && follower.size_of_result() == 0 && op != Op::setp_ && follower.meaning().types[0] != Type::pred)
    return report_unwritten(w, lane, part->from);
  if (!part || !follower.follow_bits()) follower.set_all(part != nullptr);
}

// The lanes that a shuffle reads: what it gives of the numbers of lanes.
std::array<std::uint32_t, kLanes> sources_of(Warp& w, const Instruction& i, const CheckedForm& form, Mask lanes) {
  using Row = std::array<std::uint32_t, kLanes>;
  auto &a = *w.at<Row>(i.a), &d = *w.at<Row>(i.d);
  const auto before_a = a, before_d = d;
  const auto before = i.d2.is_there() ? w.predicate(i.d2) : 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) a[lane] = lane;
  (form.handler ? form.handler : form.followed)(w, i, lanes);
  const auto out = d;
  a = before_a;
  d = before_d;
  if (i.d2.is_there()) w.set_predicate(i.d2, kAllLanes, before);
  return out;
}

// A shuffle moves bits from lane to lane. With an unknown lane or an unknown segment, all of its result is unknown.
void follow_shuffle(Warp& w, const Instruction& i, const CheckedForm& form, Mask lanes) {
  std::array<UnwrittenPart, kLanes> parts;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (const auto* const part = w.frame().unwritten->find(i.a, lane)) parts[lane] = *part;
  const auto sources = sources_of(w, i, form, lanes);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    Follower follower(w, i, lane);
    const auto* const by = follower.find(i.b);
    const auto* const segment = follower.find(w.frame().function->operands[i.side]);
    follower.set_all_from(by ? by : segment);
    if (!by && !segment) w.frame().unwritten->set(i.d, lane, parts[sources[lane]]);
  }
}

// What all lanes get of all lanes. A ballot has a bit of each.
void follow_exchange(Warp& w, const Instruction& i, const CheckedForm& form, Mask lanes) {
  const bool is_of_register = i.a.is_there() && i.d.is_there();
  if (form.op == Op::shfl_ && is_of_register && i.a.area() == Operand::registers)
    return follow_shuffle(w, i, form, lanes);
  const bool hands_on = form.op == Op::vote_ || form.op == Op::match_ || form.op == Op::redux_;
  Mask unknown = 0;
  UnwrittenPart first;
  for (Mask left = hands_on ? lanes : 0; left != 0; left &= left - 1) {
    const auto* const part = Follower(w, i, first_of(left)).first_read();
    if (part && unknown == 0) first = *part;
    if (part) unknown |= Mask{1} << first_of(left);
  }
  const bool is_ballot = form.op == Op::vote_ && i.detail == 'b';
  for (Mask left = lanes; left != 0; left &= left - 1)
    Follower(w, i, first_of(left))
        .set_all_from(unknown != 0 ? &first : nullptr, is_ballot ? unknown : ~std::uint64_t{0});
}

void follow(Warp& w, const Instruction& i, Mask lanes) {
  const auto& form = checked_form(*w.frame().function, i);
  if (!w.frame().unwritten) [[likely]]
    return form.followed(w, i, lanes);
  if (w.frame().unwritten->empty()) {
    w.frame().unwritten.reset();
    return form.followed(w, i, lanes);
  }
  if (i.space == Space::param && (form.op == Op::st_ || form.op == Op::ld_)) return follow_param(w, i, form, lanes);
  if (form.op == Op::st_) return follow_store(w, i, lanes);
  if (form.names_lanes) {
    follow_exchange(w, i, form, lanes);
    return form.followed(w, i, lanes);
  }
  for (Mask left = lanes; left != 0; left &= left - 1) follow_lane(w, i, first_of(left));
  form.followed(w, i, lanes);
}

}  // namespace

void add_following(Instruction& out, CheckedForm& made) {
  if (!out.handler || (out.kind != Kind::plain && out.kind != Kind::guarded && out.kind != Kind::converge)) return;
  made.followed = out.handler;
  out.handler = &follow;
}

}  // namespace nvmlkit::ptx
