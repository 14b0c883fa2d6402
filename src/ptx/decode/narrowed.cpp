#include "ptx/decode/narrowed.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "ptx/parse/source.hpp"

namespace nvmlkit::ptx {
namespace {

using Uses = std::unordered_map<std::uint32_t, unsigned>;  // mentions of a register, by its place

void count(const Term& term, Uses& uses) {
  if (term.kind == Term::Kind::reg) ++uses[term.offset];
  for (const auto& item : term.items) count(item, uses);
}

Uses uses_in(const Body& body) {
  Uses uses;
  for (const auto& statement : body.statements) {
    if (statement.has_guard) count(statement.guard, uses);
    for (const auto& term : statement.terms) count(term, uses);
  }
  return uses;
}

auto vector_word(Statement& statement) {
  return std::ranges::find_if(statement.words, [](auto word) { return word == "v2" || word == "v4"; });
}

// Bytes of an element, of the types whose vectors ptxas makes smaller.
std::optional<unsigned> element_size(const Statement& load) {
  const auto name = load.words.back();
  if (name.ends_with("16")) return 2;
  if (name.ends_with("32")) return 4;
  if (name.ends_with("64")) return 8;
  return std::nullopt;
}

bool can_be_narrowed(Statement& load) {
  if (load.opcode != "ld" || load.words.empty() || vector_word(load) == load.words.end()) return false;
  if (load.terms.size() < 2 || load.terms[0].kind != Term::Kind::vector || load.terms[1].kind != Term::Kind::address)
    return false;
  const auto has = [&](auto... words) {
    return std::ranges::any_of(load.words, [&](auto word) { return ((word == words) || ...); });
  };
  if (has("volatile", "mmio", "const", "param")) return false;
  const auto size = element_size(load);
  const auto count = load.terms[0].items.size();
  return size && (count == 2 || count == 4) && *size * count <= 16;
}

// The elements that something besides this load mentions, bit by bit.
unsigned used_elements(const Term& vector, const Uses& uses) {
  unsigned used = 0;
  for (std::size_t k = 0; k < vector.items.size(); ++k) {
    const auto& item = vector.items[k];
    if (item.kind == Term::Kind::reg && uses.at(item.offset) > 1) used |= 1u << k;
  }
  return used;
}

void keep(Statement& load, unsigned first, unsigned count) {
  auto& items = load.terms[0].items;
  load.terms[1].value += std::uint64_t{first} * *element_size(load);
  if (count == 1) {
    load.words.erase(vector_word(load));
    const auto only = items[first];
    load.terms[0] = only;
  } else {
    *vector_word(load) = "v2";
    items = {items[first], items[first + 1]};
  }
}

void narrow(Statement& load, const Uses& uses) {
  const auto used = used_elements(load.terms[0], uses);
  if (std::has_single_bit(used))
    keep(load, static_cast<unsigned>(std::countr_zero(used)), 1);
  else if (load.terms[0].items.size() == 4 && (used == 0b0011 || used == 0b1100))
    keep(load, used == 0b0011 ? 0 : 2, 2);
}

}  // namespace

void narrow_loads(Body& body) {
  std::optional<Uses> uses;
  for (auto& statement : body.statements) {
    if (!can_be_narrowed(statement)) continue;
    if (!uses) uses = uses_in(body);
    narrow(statement, *uses);
  }
}

}  // namespace nvmlkit::ptx
