#include "cli/sanitize_filters.hpp"

#include <algorithm>

#include "cli/command_error.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

using Match = sanitize::KernelFilter::Match;

[[noreturn]] void refuse(const std::string& option, const std::string& text) {
  throw CommandError(of_argument(
      option,
      sim::wrong_value("kernel_name=NAME, kernel_substring=PART or their short forms kne, kns, or regex=PATTERN",
                       sim::quote(text))));
}

sanitize::KernelFilter filter(const std::string& option, const std::string& text, bool is_pattern) {
  const auto equal = text.find('=');
  const auto key = equal == text.npos ? "" : text.substr(0, equal);
  const auto value = text.substr(equal == text.npos ? 0 : equal + 1);
  if (value.empty()) refuse(option, text);
  const bool is_known_pattern = key.empty() || key == "kernel_regex" || key == "kns" || key == "kne" ||
                                key == "kernel_name" || key == "kernel_substring";
  if (key == "regex" || (is_pattern && is_known_pattern)) return {Match::pattern, value};
  if (is_pattern) refuse(option, text);
  if (key == "kernel_name" || key == "kne") return {Match::name, value};
  if (key == "kernel_substring" || key == "kns" || key.empty()) return {Match::part, value};
  if (key == "kernel_mangled_name") return {Match::mangled, value};
  refuse(option, text);
}

}  // namespace

void add_sanitize_filters(std::vector<sanitize::KernelFilter>& out, const std::string& option, const std::string& text,
                          bool is_pattern) {
  // A pattern may have commas of its own.
  if (is_pattern || text.starts_with("regex=")) {
    out.push_back(filter(option, text, is_pattern));
    return;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    out.push_back(filter(option, text.substr(at, end - at), false));
    at = end + 1;
  }
}

}  // namespace nvmlkit::cli
