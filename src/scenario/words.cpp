#include "scenario/words.hpp"

#include "sim/problem/names.hpp"

namespace nvmlkit::scenario {

sim::Expected<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  bool inside = false;  // of a word
  char open = 0;        // the quote that is open
  for (const char c : line) {
    if (open != 0) {
      if (c == open)
        open = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      open = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) out.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (open != 0)
    return sim::fail({.kind = sim::ProblemKind::syntax, .what = "a quote is not closed in " + sim::quote(line)});
  if (inside) out.push_back(std::move(word));
  return out;
}

}  // namespace nvmlkit::scenario
