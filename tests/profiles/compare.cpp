#include "compare.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlkit::profiles_test {
namespace {

constexpr std::string_view kUnknown[] = {"",
                                         "null",
                                         "unknown",
                                         "not printed",
                                         "not listed",
                                         "board-vendor specific",
                                         "Requested functionality has been deprecated"};

// A fact without the remark behind it, and the first of two boards that differ.
std::string without_remark(std::string fact) {
  for (const std::string_view remark : {" (", " / ", " by default"})
    fact.resize(std::min(fact.size(), fact.find(remark)));
  return fact;
}

std::string word_of(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c == '-') continue;
    word += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word;
}

// "true" or "false" for the words that the facts have for it. A bandwidth that is full is not degraded.
std::string flag_of(std::string_view text) {
  constexpr std::string_view kYes[] = {"yes", "Yes", "True", "true", "Enabled"};
  constexpr std::string_view kNo[] = {"no", "No", "False", "false", "Disabled", "Full"};
  const auto begins = [text](std::string_view word) { return text.starts_with(word); };
  if (std::ranges::any_of(kYes, begins)) return "true";
  if (std::ranges::any_of(kNo, begins)) return "false";
  return "not a flag: " + std::string(text);
}

// Whether `number`, as the profile counts, is `fact` ("81", "16x", "49.68 W") or within it ("66.66..71.37 W").
bool is_number(std::string_view fact, double number, double scale) {
  const std::string text(fact);
  char* end = nullptr;
  const double low = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return false;
  const size_t dots = text.find("..");
  const double high = dots == std::string::npos ? low : std::strtod(text.c_str() + dots + 2, nullptr);
  return number >= low * scale - 0.5 && number <= high * scale + 0.5;
}

bool agrees(As as, std::string_view fact, const std::string& ours) {
  const auto number = [&ours] { return static_cast<double>(std::stoll(ours, nullptr, 0)); };
  switch (as) {
    case As::kText:
      return ours == fact;
    case As::kWord:
      return word_of(ours) == word_of(fact);
    case As::kHex:
      return std::stoul(ours, nullptr, 16) == std::stoul(std::string(fact), nullptr, 16);
    case As::kCount:
      return is_number(fact, number(), 1);
    case As::kMib:
      return is_number(fact, number(), 1024 * 1024);
    case As::kWatt:
      return is_number(fact, number(), 1000);
    case As::kSpeed:
      return is_number(fact, number(), 1000);
    case As::kFlag:
      return ours == flag_of(fact);
  }
  return false;
}

}  // namespace

bool is_unknown(std::string_view fact) {
  return std::ranges::any_of(
      kUnknown, [fact](std::string_view prefix) { return prefix.empty() ? fact.empty() : fact.starts_with(prefix); });
}

std::optional<std::string> complaint(const Machine& machine, const Row& row, const YAML::Node& fact) {
  std::vector<std::string> accepted;  // a list of facts is what the GPUs of a capture said: any of them will do
  if (fact.IsScalar()) accepted.push_back(without_remark(fact.Scalar()));
  if (fact.IsSequence()) accepted = fact.as<std::vector<std::string>>();
  if (accepted.empty() || is_unknown(accepted.front())) return std::nullopt;

  std::optional<std::string> ours = machine.text(row.profile);
  if (accepted.front() == "N/A") {
    if (!ours) return std::nullopt;
    return std::string(row.profile) + " is " + *ours + ", the GPU answers N/A";
  }
  if (!ours && !row.otherwise.empty()) ours = row.otherwise;
  if (!ours) return std::string(row.profile) + " is absent, known is " + accepted.front();
  if (std::ranges::any_of(accepted, [&](const std::string& one) { return agrees(row.as, one, *ours); })) {
    return std::nullopt;
  }
  return std::string(row.profile) + " is " + *ours + ", known is " + accepted.front();
}

void collect_paths(const YAML::Node& node, const std::string& prefix, std::vector<std::string>& paths) {
  for (const auto& entry : node) {
    const std::string path = prefix + entry.first.Scalar();
    if (entry.second.IsMap()) {
      collect_paths(entry.second, path + ".", paths);
    } else {
      paths.push_back(path);
    }
  }
}

bool is_within(std::string_view path, std::string_view group) {
  return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '.');
}

}  // namespace nvmlkit::profiles_test
