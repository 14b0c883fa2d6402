// Which conversions are pure.
#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/host.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using enum Type;

bool is_narrow(Type t) { return t == bf16 || (t == f16 && converts_halves()); }

// Without a word, by rounding to whole numbers, or to the ends of a type.
bool is_known(Type to, Type from, Meaning meaning) {
  const auto leave_out = [&](Word word) { meaning.words &= ~(1u << static_cast<unsigned>(word)); };
  if (to == f32 || from == f32) leave_out(Word::ftz);
  // What is no whole number ends there anyway.
  const bool is_cut = to == f32 && from == f32 && meaning.has(Word::sat);
  if (is_whole(to) || is_cut) leave_out(Word::sat);
  const auto is_real = [](Type t) { return t == f32 || t == f64 || is_narrow(t); };
  if (meaning.words == 0) {
    if (is_whole(to)) return is_whole(from);
    if (to == f32 || to == f64) return is_cut || is_whole(from) || (is_real(from) && to != from);
    return is_narrow(to) && ((is_whole(from) && size_of(from) <= 4) || from == f32);
  }
  if (!meaning.is_only({Word::to_integer})) return false;
  if (is_narrow(from)) return is_whole(to) || to == from;
  return (from == f32 || from == f64) && (is_whole(to) || to == from);
}

// Two floats; the first is the upper half.
std::optional<Pure> into_pair(const Instruction& i, const Meaning& meaning, Pure out) {
  if (!meaning.is_only({Word::relu}) || meaning.types[1] != f32 || !i.b.is_there()) return std::nullopt;
  if (out.type == f16x2 && !converts_halves()) return std::nullopt;
  out.rule = Rule::pack_halves;
  out.is_relu = meaning.has(Word::relu);
  out.arguments = {{i.a, 4}, {i.b, 4}};
  out.d = Key{i.d.offset(), 4};
  return out;
}

}  // namespace

std::optional<Pure> conversion_form(const Function& function, const Needs& needs, std::uint32_t at) {
  const auto& i = function.code[at];
  const auto& meaning = function.meanings[at];
  const auto to = meaning.types[0], from = meaning.types[1];
  if (!i.d.is_there()) return std::nullopt;
  Pure out;
  out.type = to;
  if (is_pair(to)) return into_pair(i, meaning, out);
  if (!is_known(to, from, meaning) || i.a.area() != Operand::registers) return std::nullopt;
  const auto register_size = [&](Operand operand) {
    for (const auto& a : needs.accesses(at))
      if (operand.area() == Operand::registers && a.offset == operand.offset()) return unsigned{a.size};
    return 0u;
  };
  // Whole numbers lie in wider registers, too.
  const auto fits = [](unsigned size, Type type) {
    return size == size_of(type) || (is_whole(type) && size > size_of(type) && size <= 8);
  };
  const auto to_size = register_size(i.d), from_size = register_size(i.a);
  if (!fits(to_size, to) || !fits(from_size, from)) return std::nullopt;
  out.rule = Rule::convert;
  out.from = from;
  out.to_integer = meaning.has(Word::to_integer);
  out.rounding = meaning.rounding;
  out.flushes = meaning.has(Word::ftz);
  out.saturates = meaning.has(Word::sat);
  out.arguments = {{i.a, static_cast<std::uint8_t>(from_size)}};
  out.d = Key{i.d.offset(), static_cast<std::uint8_t>(to_size)};
  return out;
}

}  // namespace nvmlkit::ptx::jit
