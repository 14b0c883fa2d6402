#include "sim/steering/options.hpp"

#include <algorithm>

#include "sim/problem/names.hpp"

namespace nvmlkit::sim::steering {

const std::string* Options::find(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

Expected<Options> read_options(std::span<const std::string> words, std::span<const std::string_view> options,
                               std::span<const std::string_view> flags) {
  const auto is_in = [](auto names, std::string_view word) {
    return std::find(names.begin(), names.end(), word) != names.end();
  };
  Options out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (!word.starts_with("--")) {
      out.plain.push_back(word);
      continue;
    }
    const bool takes_value = is_in(options, word);
    if (!takes_value && !is_in(flags, word)) {
      std::vector<std::string_view> known(options.begin(), options.end());
      known.insert(known.end(), flags.begin(), flags.end());
      return known.empty() ? fail(unexpected_word(word)) : fail(unknown_name("option", word, known));
    }
    if (takes_value && i + 1 == words.size()) return fail(missing("a value after " + quote(word)));
    if (!out.values.emplace(word, takes_value ? words[++i] : "").second)
      return fail({.kind = ProblemKind::duplicate, .what = quote(word) + " is there twice"});
  }
  return out;
}

std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> out;
  for (;;) {
    const auto comma = std::min(list.find(','), list.size());
    out.emplace_back(list.substr(0, comma));
    if (comma == list.size()) return out;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace nvmlkit::sim::steering
