// Reading and writing the folder of facts.
#include <fmt/format.h>

#include <fstream>
#include <functional>

#include "facts_json.hpp"

namespace nvmlgen::headers {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t kColumns = 120;

// One line, with a space behind the colons and commas outside of strings.
std::string one_line(const Json& json) {
  const std::string dense = json.dump();
  std::string line;
  bool quoted = false;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    line += dense[i];
    if (dense[i] == '\\' && quoted)
      line += dense[++i];
    else if (dense[i] == '"')
      quoted = !quoted;
    else if (!quoted && (dense[i] == ':' || dense[i] == ','))
      line += ' ';
  }
  return line;
}

void print(const Json& json, std::size_t indent, std::size_t lead, std::string& out) {
  const std::string line = one_line(json);
  if (!json.is_structured() || json.empty() || indent + lead + line.size() < kColumns) {
    out += line;
    return;
  }
  const bool object = json.is_object();
  out += object ? "{" : "[";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 1, ' ');
    std::size_t width = 0;
    if (object) {
      const std::string name = Json(key).dump() + ": ";
      out += name;
      width = name.size();
    }
    print(value, indent + 1, width, out);
  }
  out += '\n';
  out.append(indent, ' ');
  out += object ? "}" : "]";
}

void write(const fs::path& path, const Json& json) {
  const fs::path fresh = path.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::binary);
    out << pretty(json);
    out.close();
    if (!out) throw Error(fmt::format("{}: cannot be written", fresh.string()));
  }
  std::error_code error;
  fs::rename(fresh, path, error);
  if (error) throw Error(fmt::format("{}: {}", path.string(), error.message()));
}

bool read(const fs::path& path, const std::function<void(const Json&)>& use) {
  if (!fs::exists(path)) return false;
  std::ifstream in(path, std::ios::binary);
  try {
    use(Json::parse(in));
  } catch (const nlohmann::json::exception& e) {
    throw Error(fmt::format("{}: {}", path.string(), e.what()));
  }
  return true;
}

void create(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error(fmt::format("{}: {}", directory.string(), error.message()));
}

}  // namespace

std::string pretty(const Json& json) {
  std::string out;
  print(json, 0, 0, out);
  return out + '\n';
}

Facts load_facts(const fs::path& directory) {
  Facts facts;
  Api& api = facts.api;
  read(directory / "functions.json", [&](const Json& j) { functions_from_json(j, api); });
  read(directory / "structs.json", [&](const Json& j) { structs_from_json(j, api); });
  read(directory / "enums.json", [&](const Json& j) { enums_from_json(j, api); });
  read(directory / "constants.json", [&](const Json& j) { constants_from_json(j, api); });
  read(directory / "types.json", [&](const Json& j) { types_from_json(j, api); });
  read(directory / "drivers.json", [&](const Json& j) { drivers_from_json(j, facts.drivers); });
  read(directory / "history.json", [&](const Json& j) { history_from_json(j, facts.history); });
  if (!facts.history.headers.empty()) api.version = facts.history.headers.back();
  if (api.version.empty() && !api.functions.empty())
    throw Error(fmt::format("{}: functions without the headers they come from", (directory / "history.json").string()));
  return facts;
}

void save_facts(const Facts& facts, const fs::path& directory) {
  create(directory);
  write(directory / "functions.json", functions_to_json(facts.api));
  write(directory / "structs.json", structs_to_json(facts.api));
  write(directory / "enums.json", enums_to_json(facts.api));
  write(directory / "constants.json", constants_to_json(facts.api));
  write(directory / "types.json", types_to_json(facts.api));
  write(directory / "families.json", families_to_json(facts.api));
  save_driver_facts(facts, directory);
}

void save_driver_facts(const Facts& facts, const fs::path& directory) {
  create(directory);
  write(directory / "drivers.json", drivers_to_json(facts.drivers));
  write(directory / "history.json", history_to_json(facts.history));
}

void join_drivers(Facts& facts) {
  for (auto& [name, removed] : facts.history.removed_functions) {
    removed.exported_by.clear();
    for (const auto& [branch, driver] : facts.drivers)
      if (std::binary_search(driver.symbols.begin(), driver.symbols.end(), name)) removed.exported_by.push_back(branch);
  }
}

}  // namespace nvmlgen::headers
