#include "ptx/meaning.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace nvmlkit::ptx {
namespace {

constexpr std::pair<std::string_view, Word> kWords[] = {
    {"wide", Word::wide},
    {"hi", Word::hi},
    {"sat", Word::sat},
    {"ftz", Word::ftz},
    {"cc", Word::cc},
    {"volatile", Word::ordered},
    {"relaxed", Word::ordered},
    {"acquire", Word::ordered},
    {"release", Word::ordered},
    {"mmio", Word::ordered},
    {"v2", Word::vector},
    {"v4", Word::vector},
    {"v8", Word::vector},
    {"rni", Word::to_integer},
    {"rzi", Word::to_integer},
    {"rmi", Word::to_integer},
    {"rpi", Word::to_integer},
    {"rz", Word::not_nearest},
    {"rm", Word::not_nearest},
    {"rp", Word::not_nearest},
    {"l", Word::left},
    {"wrap", Word::wraps},
    {"up", Word::up},
    {"down", Word::down},
    {"bfly", Word::butterfly},
    {"sys", Word::system},
    {"relu", Word::relu},
    {"NaN", Word::keeps_nan},
    {"shiftamt", Word::as_distance},
};

constexpr std::pair<std::string_view, Relation> kRelations[] = {
    {"eq", Relation::eq},   {"ne", Relation::ne},   {"lt", Relation::lt},   {"le", Relation::le},
    {"gt", Relation::gt},   {"ge", Relation::ge},   {"lo", Relation::lt},   {"ls", Relation::le},
    {"hs", Relation::ge},   {"equ", Relation::equ}, {"neu", Relation::neu}, {"ltu", Relation::ltu},
    {"leu", Relation::leu}, {"gtu", Relation::gtu}, {"geu", Relation::geu}, {"num", Relation::num},
    {"nan", Relation::nan},
};

constexpr std::pair<std::string_view, Change> kChanges[] = {
    {"add", Change::add},       {"min", Change::least},
    {"max", Change::greatest},  {"and", Change::bit_and},
    {"or", Change::bit_or},     {"xor", Change::bit_xor},
    {"exch", Change::exchange}, {"cas", Change::compare_exchange},
    {"inc", Change::increment}, {"dec", Change::decrement},
};

// What no instruction here does otherwise because of it. Approximate forms are as exact as the others.
constexpr std::array kNoMatter = {
    std::string_view("lo"),    std::string_view("rn"),          std::string_view("global"), std::string_view("shared"),
    std::string_view("ca"),    std::string_view("cg"),          std::string_view("cs"),     std::string_view("lu"),
    std::string_view("cv"),    std::string_view("nc"),          std::string_view("wb"),     std::string_view("wt"),
    std::string_view("to"),    std::string_view("uni"),         std::string_view("param"),  std::string_view("const"),
    std::string_view("weak"),  std::string_view("shared::cta"), std::string_view("local"),  std::string_view("approx"),
    std::string_view("full"),  std::string_view("gpu"),         std::string_view("cta"),    std::string_view("r"),
    std::string_view("clamp"), std::string_view("idx"),         std::string_view("sync"),
};

bool is_hint(std::string_view word) {
  return word.starts_with("L1::") || (word.starts_with("L2::") && word != "L2::cache_hint") ||
         std::ranges::find(kNoMatter, word) != kNoMatter.end();
}

}  // namespace

Meaning meaning_of(Op op, std::span<const std::string_view> words) {
  Meaning out;
  out.op = op;
  std::size_t types = 0;
  const bool changes = op == Op::atom_ || op == Op::red_;
  const bool compares = op == Op::setp_ || op == Op::set_;
  for (const auto word : words) {
    if (const auto type = type_named(word)) {
      if (types < 2) out.types[types++] = *type;
      continue;
    }
    const auto relation = std::ranges::find(kRelations, word, [](const auto& known) { return known.first; });
    if (compares && (relation != std::end(kRelations) || word == "hi")) {
      out.relation = word == "hi" ? Relation::gt : relation->second;
      continue;
    }
    const auto change = std::ranges::find(kChanges, word, [](const auto& c) { return c.first; });
    if (changes && change != std::end(kChanges)) {
      out.change = change->second;
      continue;
    }
    if (word == "rzi" || word == "rz") out.rounding = Rounding::zero;
    if (word == "rmi" || word == "rm") out.rounding = Rounding::down;
    if (word == "rpi" || word == "rp") out.rounding = Rounding::up;
    const auto known = std::ranges::find(kWords, word, [](const auto& w) { return w.first; });
    if (known != std::end(kWords))
      out.add(known->second);
    else if (!is_hint(word))
      out.add(Word::other);
  }
  return out;
}

}  // namespace nvmlkit::ptx
