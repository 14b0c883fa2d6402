#include "scenario/node.hpp"

#include <algorithm>

#include "scenario/draw.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::scenario {

using namespace sim;

bool matches_pattern(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, in_pattern = 0, star = std::string_view::npos, resume = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      resume = at;
    } else if (in_pattern < pattern.size() && (pattern[in_pattern] == '?' || pattern[in_pattern] == text[at])) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

namespace {

bool matches_any(std::string_view text, const std::vector<std::string>& patterns) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                         [&](const auto& pattern) { return matches_pattern(text, pattern); });
}

// The value that a text in quotes stands for, with \" and \\ and the like.
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  std::string out;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

}  // namespace

bool matches(const NodeChoice& choice, const NodeIdentity& node, std::string_view seed) {
  if (!node.known) return true;
  if (!matches_any(node.name, choice.names)) return false;
  const auto value_of = [&](const std::string& key) {
    const auto found = node.labels.find(key);
    return found == node.labels.end() ? nullptr : &found->second;
  };
  for (const auto& [key, pattern] : choice.labels)
    if (const auto* value = value_of(key); value == nullptr || !matches_pattern(*value, pattern)) return false;
  if (!choice.pools.empty())
    if (const auto* pool = value_of(kPoolLabel); pool == nullptr || !matches_any(*pool, choice.pools)) return false;
  return !choice.fraction || draw({seed, "node", node.name}) < *choice.fraction;
}

Expected<void> add_label(std::string_view text, NodeIdentity& node) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return fail(wrong_value("KEY=VALUE", quote(text)));
  node.labels[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  return {};
}

Expected<void> add_labels_of_file(const std::string& file, std::string_view text, NodeIdentity& node) {
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto entry = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (entry.empty()) continue;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return fail(wrong_value("KEY=\"VALUE\"", quote(entry)).at({file, line, 1}));
    node.labels[std::string(entry.substr(0, equals))] = unquoted(entry.substr(equals + 1));
  }
  return {};
}

}  // namespace nvmlkit::scenario
