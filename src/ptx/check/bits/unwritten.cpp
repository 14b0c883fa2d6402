#include "ptx/check/bits/unwritten.hpp"

#include <algorithm>
#include <cstring>

namespace nvmlkit::ptx {
namespace {

constexpr std::uint32_t kPart = 8;   // bytes: a register has one or two of them
constexpr std::uint32_t kUpper = 1;  // behind the offset of a register, which is even

std::uint64_t low(std::uint32_t bytes) { return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1; }

std::uint32_t size_of_register(const Function& function, const Instruction& i, Operand operand) {
  const auto number = static_cast<std::uint32_t>(&i - function.code.data());
  const auto first = std::ranges::lower_bound(function.accesses, number, {}, &Access::at);
  for (auto at = first; at != function.accesses.end() && at->at == number; ++at)
    if (at->writes && at->offset == operand.offset()) return at->size;
  return 0;
}

bool passes_guard(const Warp& w, const Instruction& i, unsigned lane) {
  if (!i.guard.is_there()) return true;
  return ((w.predicate(i.guard) >> lane & 1) != 0) != i.guard_negated;
}

}  // namespace

std::uint64_t as_loaded(const Function& function, const Instruction& i, Operand target, std::uint32_t size,
                        std::uint64_t bits) {
  const auto number = static_cast<std::size_t>(&i - function.code.data());
  if (is_signed(function.meanings[number].types[0]) && size < kPart && (bits >> (8 * size - 1) & 1)) bits |= ~low(size);
  return bits & low(size_of_register(function, i, target));
}

const UnwrittenPart* UnwrittenBits::find(Operand operand, unsigned lane, bool is_upper) const {
  if (operand.area() != Operand::registers) return nullptr;
  const auto at = registers_.find(operand.offset() + (is_upper ? kUpper : 0));
  return at == registers_.end() || at->second.lanes[lane].bits == 0 ? nullptr : &at->second.lanes[lane];
}

void UnwrittenBits::set(Operand operand, unsigned lane, const UnwrittenPart& part, bool is_upper) {
  set(registers_, operand.offset() + (is_upper ? kUpper : 0), lane, part);
}

void UnwrittenBits::set(Registers& all, std::uint32_t key, unsigned lane, const UnwrittenPart& part) {
  const auto at = all.find(key);
  if (at == all.end()) {
    if (part.bits != 0) all[key].lanes[lane] = part;
    return;
  }
  at->second.lanes[lane] = part;
  if (part.bits == 0 && std::ranges::all_of(at->second.lanes, [](const auto& p) { return p.bits == 0; })) all.erase(at);
}

std::optional<UnwrittenPart> UnwrittenBits::find_param(std::uint32_t offset, std::uint32_t size, unsigned lane) const {
  std::optional<UnwrittenPart> out;
  if (params_.empty()) return out;
  for (std::uint32_t k = 0; k < size; ++k) {
    const auto at = params_.find(offset + k);
    if (at == params_.end() || at->second.lanes[lane].bits == 0) continue;
    const auto& part = at->second.lanes[lane];
    if (!out) out = UnwrittenPart{0, false, part.is_value, part.from};
    out->bits |= part.bits << 8 * k;
    out->is_computed |= part.is_computed;
  }
  return out;
}

void UnwrittenBits::set_param(std::uint32_t offset, std::uint32_t size, unsigned lane, const UnwrittenPart& part) {
  for (std::uint32_t k = 0; k < size; ++k) {
    auto byte = part;
    byte.bits = part.bits >> 8 * k & 0xFF;
    set(params_, offset + k, lane, byte);
  }
}

void UnwrittenBits::forget(Registers& all, unsigned lane, const UnwrittenLoad& load) {
  for (auto& entry : all)
    if (entry.second.lanes[lane].from == load) entry.second.lanes[lane].bits = 0;
  std::erase_if(all, [](const auto& entry) {
    return std::ranges::all_of(entry.second.lanes, [](const auto& part) { return part.bits == 0; });
  });
}

void UnwrittenBits::forget(unsigned lane, const UnwrittenLoad& load) {
  forget(registers_, lane, load);
  forget(params_, lane, load);
}

void note_loaded(Warp& w, const Instruction& i, const CheckedForm& form, unsigned lane, const UnwrittenLoad& from,
                 const std::byte* written) {
  auto& frame = w.frame();
  const auto& function = *frame.function;
  const auto count = std::max<std::uint32_t>(i.count, 1);
  const auto size = form.size / count;
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto target = count > 1 ? function.operands[i.side + k] : i.d;
    if (!target.is_there()) continue;
    std::uint64_t halves[2] = {};
    std::memcpy(halves, written + k * size, std::min<std::size_t>(size, sizeof halves));
    halves[0] = ~halves[0] & low(size);
    halves[1] = size > kPart ? ~halves[1] : 0;
    if (halves[0] == 0 && halves[1] == 0) continue;
    if (form.scope != Scope::none || form.is_volatile)  // it matters that it is read
      return w.refuse(BadAccess::Kind::uninitialized, Touch::reads, from.space, i, from.address, from.size, lane);
    const bool is_value = halves[0] == low(size) && (size <= kPart || halves[1] == low(kPart));
    if (!frame.unwritten) frame.unwritten = std::make_shared<UnwrittenBits>();
    if (size > kPart) frame.unwritten->set(target, lane, {halves[1], false, is_value, from}, true);
    frame.unwritten->set(target, lane, {as_loaded(function, i, target, size, halves[0]), false, is_value, from});
  }
}

void report_unwritten(Warp& w, unsigned lane, UnwrittenLoad load) {
  w.frame().unwritten->forget(lane, load);
  w.refuse(BadAccess::Kind::uninitialized, Touch::reads, load.space, *load.at, load.address, load.size, lane,
           load.places.get());
}

void check_guard(Warp& w, const Instruction& i, Mask lanes) {
  auto& unwritten = *w.frame().unwritten;
  const bool goes_by_value = i.kind == Kind::branch_table || i.kind == Kind::call || i.kind == Kind::barrier;
  if (!i.guard.is_there() && !goes_by_value) return;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    if (const auto* const part = i.guard.is_there() ? unwritten.find(i.guard, lane) : nullptr)
      report_unwritten(w, lane, part->from);
    if (!goes_by_value || !passes_guard(w, i, lane)) continue;
    for (const auto operand : {i.a, i.b, i.c})
      if (const auto* const part = operand.is_there() ? unwritten.find(operand, lane) : nullptr)
        report_unwritten(w, lane, part->from);
    if (i.kind == Kind::barrier && i.d.is_there()) unwritten.set(i.d, lane, {});
  }
}

void hand_on_param(const Frame& from, std::uint32_t from_offset, Frame& to, std::uint32_t to_offset, std::uint32_t size,
                   Mask lanes) {
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    for (std::uint32_t k = 0; k < size; k += kPart) {
      const auto bytes = std::min(kPart, size - k);
      auto part = from.unwritten ? from.unwritten->find_param(from_offset + k, bytes, lane) : std::nullopt;
      if (part && !part->from.places) {
        const auto number = static_cast<std::uint32_t>(part->from.at - from.function->code.data());
        part->from.places = std::make_shared<const std::vector<Place>>(Warp::places_of(&from, number));
      }
      if (part && !to.unwritten) to.unwritten = std::make_shared<UnwrittenBits>();
      if (to.unwritten) to.unwritten->set_param(to_offset + k, bytes, lane, part.value_or(UnwrittenPart{}));
    }
  }
}

void check_builtin(Warp& w, const CallSite& site, Mask lanes) {
  const auto& function = *site.function;
  auto& unwritten = *w.frame().unwritten;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    for (std::size_t n = 0; n < site.arguments.size(); ++n)
      for (std::uint32_t k = 0; k < function.parameters[n].size; ++k)
        if (const auto part = unwritten.find_param(site.arguments[n] + k, 1, lane))
          report_unwritten(w, lane, part->from);
    for (std::size_t n = 0; n < site.results.size(); ++n)
      unwritten.set_param(site.results[n], static_cast<std::uint32_t>(function.results[n].size), lane, {});
  }
}

}  // namespace nvmlkit::ptx
