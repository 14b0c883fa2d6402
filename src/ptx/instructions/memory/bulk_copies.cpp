#include "ptx/instructions/memory/bulk_copies.hpp"

#include <cstring>

#include "ptx/instructions/memory/atomic_change.hpp"
#include "ptx/instructions/memory/mbarrier.hpp"
#include "ptx/instructions/numbers/operations.hpp"
#include "ptx/run/block.hpp"

namespace nvmlkit::ptx {
namespace {

template <class T>
T combined(Reduction how, T a, T b) {
  switch (how) {
    case Reduction::add:
      return Lifted<Add>::of(a, b);
    case Reduction::min:
      return Lifted<Least>::of(a, b);
    case Reduction::max:
      return Lifted<Greatest>::of(a, b);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) switch (how) {
      case Reduction::inc:
        return Increment::of(a, b);
      case Reduction::dec:
        return Decrement::of(a, b);
      case Reduction::all:
        return And::of(a, b);
      case Reduction::any:
        return Or::of(a, b);
      default:
        return Xor::of(a, b);
    }
  return a;
}

template <class T>
void reduce_each(Reduction how, std::byte* into, const std::byte* from, std::size_t size) {
  for (std::size_t at = 0; at < size; at += sizeof(T)) {
    T operand;
    std::memcpy(&operand, from + at, sizeof operand);
    change_atomically<T>(into + at, [=](T value) { return combined(how, value, operand); });
  }
}

}  // namespace

Reduction reduction_of(const Form& form) {
  static constexpr std::pair<std::string_view, Reduction> kWords[] = {
      {"add", Reduction::add}, {"min", Reduction::min}, {"max", Reduction::max}, {"inc", Reduction::inc},
      {"dec", Reduction::dec}, {"and", Reduction::all}, {"or", Reduction::any},  {"xor", Reduction::odd}};
  for (const auto& [word, how] : kWords)
    if (form.has(word)) return how;
  return Reduction::copy;
}

bool may_reduce(Reduction how, Type type) {
  const bool arithmetic = how == Reduction::add || how == Reduction::min || how == Reduction::max;
  switch (type) {
    case Type::f16:
    case Type::bf16:
      return arithmetic;
    case Type::f32:
    case Type::f64:
      return how == Reduction::add;
    case Type::u32:
      return true;
    case Type::b32:
    case Type::b64:
      return how >= Reduction::all;
    case Type::u64:
    case Type::s32:
    case Type::s64:
      return arithmetic || how >= Reduction::all;
    default:
      return false;
  }
}

void reduce(Reduction how, Type type, std::byte* into, const std::byte* from, std::size_t size) {
  switch (type) {
    case Type::f16:
      return reduce_each<Half>(how, into, from, size);
    case Type::bf16:
      return reduce_each<Bfloat>(how, into, from, size);
    case Type::f32:
      return reduce_each<float>(how, into, from, size);
    case Type::f64:
      return reduce_each<double>(how, into, from, size);
    case Type::s32:
      return reduce_each<std::int32_t>(how, into, from, size);
    case Type::s64:
      return reduce_each<std::int64_t>(how, into, from, size);
    case Type::u64:
    case Type::b64:
      return reduce_each<std::uint64_t>(how, into, from, size);
    default:
      return reduce_each<std::uint32_t>(how, into, from, size);
  }
}

bool complete(Warp& warp, const Instruction& i, std::uint64_t address, std::uint32_t bytes, unsigned lane) {
  auto* const at = warp.resolve(Space::shared, i, address, 8, lane);
  if (!at) return false;
  auto barrier = Mbarrier::load(at);
  barrier.complete(bytes);
  barrier.write(at);
  return true;
}

void OperandList::address(const Term& term) {
  Space space = Space::shared;
  auto& out = form_.out;
  out.a = {};
  form_.address(term, space);
  if (!out.a.is_there() || out.immediate != 0) form_.fail(ErrorKind::operands, "expected a register with an address");
  if (out.wide_address) wide_ |= 1u << operands_.size();
  operands_.push_back(out.a);
  out.a = {};
}

void OperandList::store() {
  form_.out.detail = static_cast<std::uint8_t>(wide_);
  form_.list(std::move(operands_));
}

std::uint64_t number_at(const Warp& warp, const Instruction& i, unsigned index, unsigned lane) {
  const auto operand = warp.frame().function->operands[i.side + index];
  return i.detail >> index & 1 ? warp.at<std::uint64_t>(operand)[lane] : warp.at<std::uint32_t>(operand)[lane];
}

bool has_operand(const Warp& warp, const Instruction& i, unsigned index) {
  return warp.frame().function->operands[i.side + index].is_there();
}

}  // namespace nvmlkit::ptx
