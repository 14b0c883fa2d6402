// Which conversions are pure.
#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/host.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using enum Type;

bool is_narrow(Type t) { return t == bf16 || (t == f16 && converts_halves()); }

// Without a word, or by rounding to whole numbers.
bool is_known(Type to, Type from, Meaning meaning) {
  if (to == f32 || from == f32) meaning.words &= ~(1u << static_cast<unsigned>(Word::ftz));
  const auto is_whole = [](Type t) { return t == u16 || t == s16 || t == u32 || t == s32 || t == u64 || t == s64; };
  const auto is_real = [](Type t) { return t == f32 || t == f64 || is_narrow(t); };
  if (meaning.words == 0) {
    if (is_whole(to)) return is_whole(from);
    if (to == f32 || to == f64) return is_whole(from) || (is_real(from) && to != from);
    return is_narrow(to) && ((is_whole(from) && size_of(from) <= 4) || from == f32);
  }
  if (!meaning.is_only({Word::to_integer})) return false;
  if (is_narrow(from)) return is_whole(to) || to == from;
  return (from == f32 || from == f64) && (to == s32 || to == u32 || to == s64 || to == u64 || to == from);
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
  if (register_size(i.d) != size_of(to) || register_size(i.a) != size_of(from)) return std::nullopt;
  out.rule = Rule::convert;
  out.from = from;
  out.to_integer = meaning.has(Word::to_integer);
  out.rounding = meaning.rounding;
  out.flushes = meaning.has(Word::ftz);
  out.arguments = {{i.a, static_cast<std::uint8_t>(size_of(from))}};
  out.d = Key{i.d.offset(), static_cast<std::uint8_t>(size_of(to))};
  return out;
}

}  // namespace nvmlkit::ptx::jit
