#include <fstream>
#include <regex>

#include "drift.hpp"

namespace nvmlgen::headers {

namespace {

// A function has semantics when a file has its name as a key of the first level. What is said there is the
// generator's to judge.
void collect(const std::filesystem::path& file, std::set<std::string>& names) {
  static const std::regex key(R"(^["']?(nvml[A-Z][A-Za-z0-9_]*)["']?\s*:)");
  std::ifstream in(file);
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_search(line, match, key)) names.insert(match[1].str());
}

}  // namespace

std::vector<std::string> missing_semantics(const Api& api, const std::filesystem::path& semantics) {
  if (!std::filesystem::is_directory(semantics)) return {};
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(semantics))
    if (entry.is_regular_file() && entry.path().extension() == ".yaml") collect(entry.path(), names);
  std::vector<std::string> missing;
  for (const Function& f : api.functions)
    if (!names.contains(f.name)) missing.push_back(f.name);
  return missing;
}

}  // namespace nvmlgen::headers
