#include "scenario/library.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "scenario/read.hpp"

namespace nvmlkit::scenario {

std::string_view LibraryScenario::machine() const {
  constexpr std::string_view kMark = "# machine: ";
  if (!text.starts_with(kMark)) return {};
  const auto rest = text.substr(kMark.size());
  return rest.substr(0, rest.find('\n'));
}

sim::Expected<LibraryScenario> find_in_library(std::string_view name) {
  const auto all = library();
  const auto at = std::ranges::find(all, name, &LibraryScenario::name);
  if (at != all.end()) return *at;
  std::vector<std::string_view> names;
  for (const auto& known : all) names.push_back(known.name);
  return sim::fail(sim::unknown_name("scenario", name, names));
}

sim::Expected<Scenario> read_file_or_name(const std::string& file) {
  const bool is_name = file.find_first_of("/.") == std::string::npos;
  std::error_code ignored;
  if (!is_name || std::filesystem::exists(file, ignored)) return read_file(file);
  const auto found = find_in_library(file);
  return found ? read(file + ".yaml", found->text) : sim::fail(found.error());
}

}  // namespace nvmlkit::scenario
