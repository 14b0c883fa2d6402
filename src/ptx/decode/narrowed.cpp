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

unsigned element_size(const Statement& load) {
  const auto type = type_named(load.words.back());
  return type ? size_of(*type) : 0;
}

// Only what is right as it stands: else a mistake in an element that is left out would go unseen.
bool is_vector_of_one_type(const Term& vector, std::string_view word) {
  const auto is_same = [&](const Term& item) {
    return item.kind == Term::Kind::reg && item.type == vector.items.front().type;
  };
  return vector.kind == Term::Kind::vector && vector.items.size() == (word == "v2" ? 2 : 4) &&
         std::ranges::all_of(vector.items, is_same);
}

bool can_be_narrowed(Statement& load) {
  if (load.opcode != "ld" || load.terms.size() < 2 || load.terms[1].kind != Term::Kind::address) return false;
  const auto word = vector_word(load);
  if (word == load.words.end() || !is_vector_of_one_type(load.terms[0], *word)) return false;
  for (const auto stays : {"volatile", "mmio", "const", "param"})
    if (std::ranges::find(load.words, stays) != load.words.end()) return false;
  const auto size = element_size(load);  // ptxas loads vectors of bytes whole
  return size >= 2 && size * load.terms[0].items.size() <= 16;
}

// The elements that something besides this load mentions, bit by bit.
unsigned used_elements(const Term& vector, const Uses& uses) {
  unsigned used = 0;
  for (std::size_t k = 0; k < vector.items.size(); ++k)
    if (uses.at(vector.items[k].offset) > 1) used |= 1u << k;
  return used;
}

void keep(Statement& load, unsigned first, unsigned count) {
  auto& items = load.terms[0].items;
  load.terms[1].value += std::uint64_t{first} * element_size(load);
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
