// Common parts of the fault kinds: reading their words, and the messages for wrong ones.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>

#include "sim/faults/kinds.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::sim::faults {

using Active = std::vector<std::string>;

inline std::optional<std::uint64_t> number(std::string_view text) { return text::number_of<std::uint64_t>(text); }

template <class Table>
detail::unexpected<Problem> unknown(std::string_view what, std::string_view word, const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return fail(unknown_name(what, word, names));
}

template <class Table>
auto find(const Table& table, std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const auto& e) { return e.name == name; });
  return found == std::end(table) ? nullptr : &*found;
}

inline Expected<void> no_more(Words arguments, std::size_t count) {
  if (arguments.size() > count) return fail(unexpected_word(arguments[count]));
  return {};
}

// Of what is over once it happened.
inline Active never_active(const model::Gpu&) { return {}; }

// A bit for each fan or link.

template <class Bits>
Expected<void> set_bits(Bits& bits, const std::string& which, std::uint64_t count, const char* what) {
  if (which == "all") {
    bits = static_cast<Bits>(count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
    return {};
  }
  const auto wanted = number(which);
  if (!wanted || *wanted >= count)
    return fail(wrong_value(std::string(what) + " 0 to " + std::to_string(count - 1) + " or all", quote(which)));
  bits = static_cast<Bits>(bits | std::uint64_t{1} << *wanted);
  return {};
}

inline Active bits_as_words(std::uint64_t bits, const char* behind) {
  Active out;
  for (int i = 0; i < 64; ++i)
    if (bits >> i & 1) out.push_back(std::to_string(i) + behind);
  return out;
}

}  // namespace nvmlkit::sim::faults
