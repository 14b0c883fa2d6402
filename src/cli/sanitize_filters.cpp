#include "cli/sanitize_filters.hpp"

#include "cli/command_error.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {

sanitize::KernelFilter sanitize_filter(const std::string& text, bool is_pattern) {
  using Match = sanitize::KernelFilter::Match;
  const auto equal = text.find('=');
  const auto key = equal == text.npos ? "" : text.substr(0, equal);
  const auto value = text.substr(equal == text.npos ? 0 : equal + 1);
  if (is_pattern && (key.empty() || key == "kernel_regex" || key == "kns" || key == "kne" || key == "regex"))
    return {Match::pattern, value};
  if (key == "regex") return {Match::pattern, value};
  if (key == "kernel_name" || key == "kne") return {Match::name, value};
  if (key == "kernel_substring" || key == "kns" || key.empty()) return {Match::part, value};
  if (key == "kernel_mangled_name") return {Match::mangled, value};
  throw CommandError(of_argument(
      is_pattern ? "--kernel-regex" : "--kernel-name",
      sim::wrong_value("kernel_name=NAME, kernel_substring=PART or their short forms kne, kns", sim::quote(text))));
}

}  // namespace nvmlkit::cli
