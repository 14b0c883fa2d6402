#include "ptx/llvm/exchange_form.hpp"

namespace nvmlkit::ptx::jit {
namespace {

std::optional<Exchange> shuffle(const Function& function, const Instruction& i, const Meaning& meaning) {
  if (!meaning.is_only({Word::up, Word::down, Word::butterfly})) return std::nullopt;
  Exchange out;
  out.what = Exchange::What::shuffle;
  out.mode = meaning.has(Word::up) ? 'u' : meaning.has(Word::down) ? 'd' : meaning.has(Word::butterfly) ? 'b' : 'i';
  out.from = i.a;
  if (i.d.is_there()) out.d = Key{i.d.offset(), 4};
  if (i.d2.is_there()) out.d2 = Key{i.d2.offset(), 0};
  out.by = i.b;
  out.limits = function.operands[i.side];
  return out;
}

std::optional<Exchange> of_set(const Instruction& i, const Meaning& meaning) {
  if (meaning.op != Op::elect_ && i.detail == 0) return std::nullopt;
  Exchange out;
  out.set = i.c;
  out.what = meaning.op == Op::elect_   ? Exchange::What::elect
             : meaning.op == Op::match_ ? Exchange::What::match
                                        : Exchange::What::reduce;
  out.mode = static_cast<char>(i.detail);
  out.has_sign = is_signed(meaning.types[0]);
  out.from = i.a;
  if (meaning.op == Op::match_) out.size = static_cast<std::uint8_t>(size_of(meaning.types[0]));
  if (i.d.is_there()) out.d = Key{i.d.offset(), 4};
  if (i.d2.is_there()) out.d2 = Key{i.d2.offset(), 0};
  return out;
}

}  // namespace

std::optional<Exchange> exchange_form(const Function& function, std::uint32_t at) {
  const auto& i = function.code[at];
  const auto& meaning = function.meanings[at];
  if (i.guard.is_there()) return std::nullopt;
  Exchange out;
  if (meaning.op == Op::activemask_ && i.kind == Kind::plain) {
    out.what = Exchange::What::active;
    out.d = Key{i.d.offset(), 4};
    return out;
  }
  if (i.kind != Kind::converge) return std::nullopt;
  if (meaning.op == Op::bar_ || meaning.op == Op::barrier_) return out;
  if (meaning.op == Op::shfl_) return shuffle(function, i, meaning);
  if (meaning.op == Op::elect_ || meaning.op == Op::match_ || meaning.op == Op::redux_) return of_set(i, meaning);
  if (meaning.op != Op::vote_) return std::nullopt;
  out.what = Exchange::What::vote;
  out.set = i.c;
  out.mode = static_cast<char>(i.detail);
  out.from = i.a;
  out.negated = i.flag;
  out.d = Key{i.d.offset(), static_cast<std::uint8_t>(out.mode == 'b' ? 4 : 0)};
  return out;
}

std::optional<Parts> parts_form(const Function& function, std::uint32_t at) {
  const auto& i = function.code[at];
  const auto& meaning = function.meanings[at];
  if (meaning.op != Op::mov_ || i.kind != Kind::plain || i.count < 2) return std::nullopt;
  Parts out;
  out.packs = i.d.is_there();
  out.whole = out.packs ? i.d : i.a;
  out.parts = {function.operands.data() + i.side, i.count};
  out.part_size = i.detail;
  const bool is_usual = (out.part_size == 2 || out.part_size == 4) && (out.size() == 4 || out.size() == 8);
  return is_usual ? std::optional(out) : std::nullopt;
}

}  // namespace nvmlkit::ptx::jit
