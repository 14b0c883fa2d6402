#include "api.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace nvmlgen::headers {

namespace {

std::string canonical_return(const Api& api, const std::string& ret) {
  const Enum* e = find(api.enums, ret);
  return e && !e->tag.empty() ? "enum " + e->tag : ret;
}

}  // namespace

std::vector<std::string> signature(const Api& api, const Function& function) {
  std::vector<std::string> types{canonical_return(api, function.ret)};
  for (const Param& p : function.params) types.push_back(p.canon);
  return types;
}

std::map<std::string, const Struct*> layouts(const Api& api) {
  std::map<std::string, const Struct*> all;
  for (const Struct& s : api.structs) {
    all[s.name] = &s;
    for (const std::string& alias : s.aliases) all[alias] = &s;
  }
  return all;
}

std::map<std::string, nlohmann::json> values(const Api& api) {
  std::map<std::string, nlohmann::json> all;
  for (const auto& [name, constant] : api.constants) all[name] = constant.value;
  for (const Enum& e : api.enums)
    for (const auto& [name, value] : e.values) all[name] = value;
  return all;
}

std::map<std::string, std::string> aliases(const Api& api) {
  std::map<std::string, std::string> all(api.function_aliases.begin(), api.function_aliases.end());
  all.insert(api.type_aliases.begin(), api.type_aliases.end());
  return all;
}

std::pair<std::string, int> split_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return {std::string(name), 1};
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + at + 2, end, number);
  if (error != std::errc{} || stop != end) return {std::string(name), 1};
  return {std::string(name.substr(0, at)), number};
}

std::map<std::string, Family> families(const Api& api) {
  std::map<std::string, std::vector<std::pair<int, std::string>>> groups;
  for (const Function& f : api.functions) {
    auto [plain, version] = split_version(f.name);
    groups[plain].emplace_back(version, f.name);
  }
  std::map<std::string, Family> result;
  for (auto& [plain, members] : groups) {
    std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const bool twin = groups.contains(plain + "V");
    if (members.size() == 1 && members.front().second == plain && !twin) continue;
    Family family;
    for (const auto& member : members) family.members.push_back(member.second);
    family.newest = members.back().second;
    if (const std::string* target = find(api.function_aliases, plain)) family.default_member = *target;
    if (twin) family.twin = plain + "V";
    family.first_missing = members.front().first > 1;
    result[plain] = std::move(family);
  }
  return result;
}

int compare_versions(std::string_view a, std::string_view b) {
  auto next = [](std::string_view& text) {
    long number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) number = -1;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    while (!text.empty() && !std::isdigit(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    return number;
  };
  while (!a.empty() || !b.empty()) {
    if (a.empty()) return -1;
    if (b.empty()) return 1;
    const long left = next(a), right = next(b);
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

}  // namespace nvmlgen::headers
