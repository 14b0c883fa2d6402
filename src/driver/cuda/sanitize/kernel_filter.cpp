#include "driver/cuda/sanitize/kernel_filter.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <regex>

namespace nvmlkit::cuda::sanitizer {
namespace {

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

// Without results, scopes, arguments: name of void scope::name<int>(float*).
std::string bare(std::string name) {
  name = name.substr(0, name.find('('));
  name = name.substr(0, name.find('<'));
  const auto start = name.find_last_of(" :");
  return start == name.npos ? name : name.substr(start + 1);
}

}  // namespace

bool matches(const std::vector<sanitize::KernelFilter>& filters, const std::string& mangled) {
  using Match = sanitize::KernelFilter::Match;
  if (filters.empty()) return false;
  const auto name = demangled(mangled);
  for (const auto& [match, text] : filters) {
    if (match == Match::mangled && mangled == text) return true;
    if (match == Match::name && (name == text || bare(name) == text || mangled == text)) return true;
    if (match == Match::part && (name.find(text) != name.npos || mangled.find(text) != mangled.npos)) return true;
    if (match != Match::pattern) continue;
    const std::regex pattern(text, std::regex::ECMAScript);
    if (std::regex_search(name, pattern) || std::regex_search(mangled, pattern)) return true;
  }
  return false;
}

}  // namespace nvmlkit::cuda::sanitizer
