// Which instructions of 16-bit floats are pure.
#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/host.hpp"

namespace nvmlkit::ptx::jit {
namespace {

std::optional<Rule> rule_of(const Meaning& meaning) {
  const auto if_only = [&](std::initializer_list<Word> allowed, Rule rule) {
    return meaning.is_only(allowed) ? std::optional(rule) : std::nullopt;
  };
  const bool is_of_halves = meaning.types[0] == Type::f16 || meaning.types[0] == Type::f16x2;
  const auto sum = [&](Rule rule) {
    if (meaning.has(Word::sat) && !is_of_halves) return std::optional<Rule>();
    return if_only({Word::sat}, rule);
  };
  switch (meaning.op) {
    case Op::add_:
      return sum(Rule::add);
    case Op::sub_:
      return sum(Rule::sub);
    case Op::mul_:
      return sum(Rule::mul);
    case Op::fma_:
      return meaning.has(Word::relu) ? if_only({Word::relu}, Rule::fused) : sum(Rule::fused);
    case Op::min_:
      return if_only({Word::keeps_nan}, Rule::least);
    case Op::max_:
      return if_only({Word::keeps_nan}, Rule::greatest);
    case Op::neg_:
      return if_only({}, Rule::negate);
    case Op::abs_:
      return if_only({}, Rule::absolute);
    default:
      return std::nullopt;
  }
}

// Of a pair, the second predicate is that of the upper half.
std::optional<Pure> comparison(const Instruction& i, const Meaning& meaning, Pure out) {
  Meaning rest = meaning;
  if (i.c.is_there()) rest.words &= ~(1u << static_cast<unsigned>(Word::other));  // the word of the combination
  if (rest.words != 0 || meaning.relation == Relation::none) return std::nullopt;
  const auto size = static_cast<std::uint8_t>(size_of(out.type));
  out.rule = Rule::compare;
  out.relation = meaning.relation;
  out.arguments = {{i.a, size}, {i.b, size}};
  if (i.c.is_there()) {
    out.combined = static_cast<char>(i.detail);
    out.arguments.push_back({i.c, 0, i.flag});
  }
  if (i.d.is_there()) out.d = Key{i.d.offset(), 0};
  if (i.d2.is_there()) out.d2 = Key{i.d2.offset(), 0};
  return out;
}

}  // namespace

std::optional<Pure> half_form(const Function& function, std::uint32_t at) {
  const auto& i = function.code[at];
  const auto& meaning = function.meanings[at];
  Pure out;
  out.type = meaning.types[0];
  if (!is_half(out.type) || i.count != 1) return std::nullopt;
  const bool is_of_f16 = out.type == Type::f16 || out.type == Type::f16x2;
  if (is_of_f16 && !converts_halves()) return std::nullopt;
  if (meaning.types[1] != Type::none) return std::nullopt;
  if (meaning.op == Op::setp_) return comparison(i, meaning, out);
  const auto rule = rule_of(meaning);
  if (!rule || !i.d.is_there()) return std::nullopt;
  out.rule = *rule;
  out.saturates = meaning.has(Word::sat);
  out.is_relu = meaning.has(Word::relu);
  out.keeps_nan = meaning.has(Word::keeps_nan);
  const auto size = static_cast<std::uint8_t>(size_of(out.type));
  for (const auto from : {i.a, i.b, i.c})
    if (from.is_there()) out.arguments.push_back({from, size});
  out.d = Key{i.d.offset(), size};
  return out;
}

}  // namespace nvmlkit::ptx::jit
