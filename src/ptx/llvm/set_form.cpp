// `set`: which comparisons into a register are pure.
#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/host.hpp"

namespace nvmlkit::ptx::jit {
namespace {

bool is_known(Type type, const Meaning& meaning) {
  if (type == Type::f16 || type == Type::f16x2) return meaning.words == 0 && converts_halves();
  if (type == Type::bf16 || type == Type::bf16x2) return meaning.words == 0;
  return is_number(type) && meaning.is_only({Word::ftz}) && (type == Type::f32 || !meaning.has(Word::ftz));
}

}  // namespace

std::optional<Pure> set_form(const Function& function, std::uint32_t at) {
  const auto& i = function.code[at];
  const auto& meaning = function.meanings[at];
  const auto to = meaning.types[0], type = meaning.types[1];
  if (!i.d.is_there() || i.c.is_there() || meaning.relation == Relation::none || !is_known(type, meaning))
    return std::nullopt;
  const auto size = static_cast<std::uint8_t>(size_of(type));
  Pure out;
  out.rule = Rule::set;
  out.type = type;
  out.relation = meaning.relation;
  out.flushes = meaning.has(Word::ftz);
  out.number = i.immediate;
  out.arguments = {{i.a, size}, {i.b, size}};
  out.d = Key{i.d.offset(), static_cast<std::uint8_t>(size_of(to))};
  return out;
}

}  // namespace nvmlkit::ptx::jit
