#include "ptx/parse/head.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace nvmlkit::ptx {
namespace {

struct WordOfHead {
  std::string_view text;
  int line = 1;
};

// Takes a word from the beginning, behind spaces and comments.
WordOfHead take_word(std::string_view& text, int& line) {
  const auto drop = [&](std::size_t count) {
    line += static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(count), '\n'));
    text.remove_prefix(count);
  };
  for (;;) {
    drop(std::min(text.find_first_not_of(" \t\r\n\f\v"), text.size()));
    if (text.starts_with("//"))
      drop(std::min(text.find('\n'), text.size()));
    else if (text.starts_with("/*"))
      drop(text.find("*/") == text.npos ? text.size() : text.find("*/") + 2);
    else
      break;
  }
  WordOfHead out{text.substr(0, text.find_first_of(" \t\r\n\f\v,;/")), line};
  drop(out.text.size());
  return out;
}

int number_in(std::string_view text) { return std::atoi(std::string(text).c_str()); }

// 9.0 is 90.
int version_in(std::string_view text) {
  const auto dot = std::min(text.find('.'), text.size());
  return 10 * number_in(text.substr(0, dot)) + (dot < text.size() ? number_in(text.substr(dot + 1)) : 0);
}

// The first version of PTX that has a target. 0: no target.
int first_version_with(int architecture) {
  static constexpr std::pair<int, int> kTargets[] = {
      {20, 20}, {30, 30}, {32, 40},  {35, 31},  {37, 41},  {50, 40},  {52, 41},  {53, 42}, {60, 50},
      {61, 50}, {62, 50}, {70, 60},  {72, 61},  {75, 63},  {80, 70},  {86, 71},  {87, 74}, {88, 90},
      {89, 78}, {90, 78}, {100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};
  for (const auto& [target, version] : kTargets)
    if (target == architecture) return version;
  return 0;
}

}  // namespace

std::string version_text(int version) { return std::to_string(version / 10) + "." + std::to_string(version % 10); }

int architecture_of(std::string_view target) { return target.starts_with("sm_") ? number_in(target.substr(3)) : 0; }

bool is_version(int version) {
  static constexpr int kLastOfMajor[] = {15, 23, 32, 43, 51, 65, 78, 88, kVersionOfCompilers};
  return std::any_of(std::begin(kLastOfMajor), std::end(kLastOfMajor),
                     [&](int last) { return version / 10 == last / 10 && version <= last; });
}

bool is_architecture(int architecture) { return first_version_with(architecture) != 0; }

Head head_of(std::string_view text, int known) {
  int line = 1;
  if (take_word(text, line).text != ".version") return {.fault = HeadFault::no_version};
  const auto version = take_word(text, line);
  const int number = version_in(version.text);
  if (number > known)
    return {.fault = HeadFault::unknown_version,
            .problem = "Unsupported .version " + std::string(version.text) + "; current version is '" +
                       version_text(known) + "'",
            .line = version.line};
  if (take_word(text, line).text != ".target") return {};
  const auto target = take_word(text, line);
  if (!target.text.starts_with("sm_")) return {};
  Head out{.line = target.line, .target = std::string(target.text)};
  const int first = first_version_with(architecture_of(target.text));
  if (first == 0) {
    out.fault = HeadFault::unknown_target;
    out.problem = "Unsupported .target '" + out.target + "'";
  } else if (first > number) {
    out.fault = HeadFault::version_too_early;
    out.problem = "PTX .version " + std::string(version.text) + " does not support .target " + out.target;
  }
  return out;
}

}  // namespace nvmlkit::ptx
