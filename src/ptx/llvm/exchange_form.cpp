#include "ptx/llvm/exchange_form.hpp"

#include "ptx/llvm/known_word.hpp"

namespace nvmlkit::ptx::jit {
namespace {

void find_sources(const Meaning& meaning, std::uint32_t by, std::uint32_t limits, Exchange& out) {
  const auto clamp = static_cast<int>(limits & 31), segment = static_cast<int>(limits >> 8 & 31);
  const auto distance = static_cast<int>(by & 31);
  for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
    const int last = (lane & segment) | (clamp & ~segment);
    const int other = meaning.has(Word::up)          ? lane - distance
                      : meaning.has(Word::down)      ? lane + distance
                      : meaning.has(Word::butterfly) ? lane ^ distance
                                                     : (lane & segment) | (distance & ~segment);
    const bool is_inside = meaning.has(Word::up) ? other >= last : other <= last;
    out.source[static_cast<unsigned>(lane)] = is_inside ? other & 31 : lane;
    out.is_inside[static_cast<unsigned>(lane)] = is_inside;
  }
}

std::optional<Exchange> shuffle(const Function& function, const Instruction& i, const Meaning& meaning) {
  if (!meaning.is_only({Word::up, Word::down, Word::butterfly})) return std::nullopt;
  Exchange out;
  out.what = Exchange::What::shuffle;
  out.from = i.a;
  if (i.d.is_there()) out.d = Key{i.d.offset(), 4};
  if (i.d2.is_there()) out.d2 = Key{i.d2.offset(), 0};
  const auto by = known_word(function, i.b), limits = known_word(function, function.operands[i.side]);
  if (!limits) return std::nullopt;
  if (by) {
    find_sources(meaning, *by, *limits, out);
    return out;
  }
  // By a register: where all lanes read one.
  if (meaning.words != 0 || (*limits & 0x1F1F) != 31 || i.d2.is_there()) return std::nullopt;
  out.what = Exchange::What::read_one;
  out.lane = i.b;
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
  // The sets of lanes that take part may differ from lane to lane.
  if (meaning.op != Op::vote_ || i.c.area() != Operand::constants) return std::nullopt;
  out.what = Exchange::What::vote;
  out.vote = static_cast<char>(i.detail);
  out.from = i.a;
  out.negated = i.flag;
  out.d = Key{i.d.offset(), static_cast<std::uint8_t>(out.vote == 'b' ? 4 : 0)};
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
