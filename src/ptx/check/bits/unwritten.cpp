#include "ptx/check/bits/unwritten.hpp"

#include <algorithm>
#include <cstring>

namespace nvmlkit::ptx {
namespace {

constexpr std::uint32_t kLargest = 8;  // bytes of a register that is followed

std::uint32_t size_of_register(const Function& function, const Instruction& i, Operand operand) {
  const auto number = static_cast<std::uint32_t>(&i - function.code.data());
  const auto first = std::ranges::lower_bound(function.accesses, number, {}, &Access::at);
  for (auto at = first; at != function.accesses.end() && at->at == number; ++at)
    if (at->writes && at->offset == operand.offset()) return at->size;
  return 0;
}

}  // namespace

const UnwrittenPart* UnwrittenBits::find(Operand operand, unsigned lane) const {
  if (operand.area() != Operand::registers) return nullptr;
  const auto at = registers.find(operand.offset());
  return at == registers.end() || at->second.lanes[lane].bits == 0 ? nullptr : &at->second.lanes[lane];
}

void UnwrittenBits::set(Operand operand, unsigned lane, const UnwrittenPart& part) {
  const auto at = registers.find(operand.offset());
  if (at == registers.end()) {
    if (part.bits != 0) registers[operand.offset()].lanes[lane] = part;
    return;
  }
  at->second.lanes[lane] = part;
  if (part.bits == 0 && std::ranges::all_of(at->second.lanes, [](const auto& p) { return p.bits == 0; }))
    registers.erase(at);
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
    const auto width = size_of_register(function, i, target);
    std::uint64_t bits = 0;
    std::memcpy(&bits, written + k * size, std::min(size, kLargest));
    bits = ~bits & (size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1);
    if (bits == 0 && size <= kLargest) continue;
    if (form.scope != Scope::none || form.is_volatile || width > kLargest)  // it matters that it is read
      return w.refuse(BadAccess::Kind::uninitialized, Touch::reads, from.space, i, from.address, from.size, lane);
    const bool is_value = bits == (size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1);
    const bool has_sign = is_signed(function.meanings[static_cast<std::size_t>(&i - function.code.data())].types[0]);
    if (has_sign && (bits >> (8 * size - 1) & 1)) bits |= ~std::uint64_t{0} << (8 * size - 1);
    if (width < 8) bits &= (std::uint64_t{1} << 8 * width) - 1;
    if (!frame.unwritten) frame.unwritten = std::make_shared<UnwrittenBits>();
    frame.unwritten->set(target, lane, {bits, false, is_value, from});
  }
}

void report_unwritten(Warp& w, unsigned lane, UnwrittenLoad load) {
  auto& registers = w.frame().unwritten->registers;
  for (auto& entry : registers)
    if (entry.second.lanes[lane].from == load) entry.second.lanes[lane].bits = 0;
  std::erase_if(registers, [](const auto& entry) {
    return std::ranges::all_of(entry.second.lanes, [](const auto& part) { return part.bits == 0; });
  });
  w.refuse(BadAccess::Kind::uninitialized, Touch::reads, load.space, *load.at, load.address, load.size, lane);
}

void check_guard(Warp& w, const Instruction& i, Mask lanes) {
  if (!i.guard.is_there()) return;
  for (Mask left = lanes; left != 0; left &= left - 1)
    if (const auto* const part = w.frame().unwritten->find(i.guard, first_of(left)))
      report_unwritten(w, first_of(left), part->from);
}

}  // namespace nvmlkit::ptx
