#include "registry/facts.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

using nlohmann::ordered_json;

ordered_json facts_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw RegistryError(file.string(), "cannot be read");
  try {
    return ordered_json::parse(in);
  } catch (const nlohmann::json::exception& e) {
    throw RegistryError(file.string(), e.what());
  }
}

Kind kind_of(const std::string& name) {
  static const std::map<std::string, Kind> kinds{{"int", Kind::integer},
                                                 {"enum", Kind::enumeration},
                                                 {"struct", Kind::structure},
                                                 {"handle", Kind::handle},
                                                 {"char", Kind::character}};
  const auto it = kinds.find(name);
  if (it == kinds.end()) throw RegistryError("functions.json", "unknown parameter kind '" + name + "'");
  return it->second;
}

Function function_from(const ordered_json& j) {
  Function f;
  f.name = j.at("name");
  f.ret = j.at("ret");
  for (const auto& p : j.at("params")) {
    Param param;
    param.name = p.at("name");
    param.type = p.at("type");
    param.canon = p.value("canon", param.type);
    param.base = p.at("base");
    param.ptr = p.at("ptr");
    param.kind = kind_of(p.at("kind"));
    f.params.push_back(std::move(param));
  }
  if (j.contains("group") && j["group"].is_string()) f.group = j["group"];
  f.guard = j.value("guard", "");
  if (j.contains("deprecated")) f.deprecated = j["deprecated"].is_boolean() ? j["deprecated"].get<bool>() : true;
  f.first_seen = j.value("first_seen", "");
  f.returns = j.value("returns", std::vector<std::string>{});
  return f;
}

Field field_from(const ordered_json& j) {
  Field f;
  f.name = j.at("name");
  f.type = j.at("type");
  f.dims = j.value("dims", std::vector<std::int64_t>{});
  f.offset = j.at("off");
  f.size = j.at("size");
  if (j.contains("fields"))
    for (const auto& nested : j["fields"]) f.fields.push_back(field_from(nested));
  return f;
}

Struct struct_from(const ordered_json& j) {
  Struct s;
  s.name = j.at("name");
  s.aliases = j.value("aliases", std::vector<std::string>{});
  s.is_union = j.value("kind", "struct") == "union";
  s.size = j.at("size");
  s.align = j.at("align");
  s.versioned = j.value("versioned", "");
  if (j.contains("version_macro"))
    for (const auto& [macro, value] : j["version_macro"].items()) s.version_macro[macro] = value.get<std::uint64_t>();
  if (j.contains("group") && j["group"].is_string()) s.group = j["group"];
  s.first_seen = j.value("first_seen", "");
  for (const auto& f : j.at("fields")) s.fields.push_back(field_from(f));
  return s;
}

Constant constant_from(const std::string& name, const ordered_json& j) {
  Constant c;
  c.name = name;
  c.type = j.at("t");
  if (j.at("v").is_string())
    c.text = j["v"];
  else if (j["v"].is_number_unsigned())
    c.number = static_cast<std::int64_t>(j["v"].get<std::uint64_t>());
  else
    c.number = j["v"].get<std::int64_t>();
  if (j.contains("g") && j["g"].is_string()) c.group = j["g"];
  return c;
}

void load_types(const std::filesystem::path& file, Facts& facts) {
  const auto types = facts_in(file);
  for (const auto& h : types.at("handles")) facts.handles.push_back(h.at("name"));
  for (const auto& t : types.at("typedefs")) facts.typedefs.push_back({t.at("name"), t.at("type")});
  for (const auto& [plain, target] : types.at("aliases").at("functions").items())
    facts.function_aliases[plain] = target;
  for (const auto& [macro, v] : types.at("struct_versions").items())
    facts.struct_versions[macro] = {v.at("struct"), v.at("version"), v.at("value")};
}

// Symbols that drivers export and no header declares become functions too; what is known of their signatures stands
// in undocumented.json.
void load_drivers(const std::filesystem::path& directory, Facts& facts) {
  std::set<std::string> undeclared;
  const auto drivers = facts_in(directory / "drivers.json");
  const auto signatures = facts_in(directory / "undocumented.json");
  for (const auto& [branch, driver] : drivers.items())
    for (const auto& symbol : driver.at("symbols")) facts.exports[branch].insert(symbol.get<std::string>());
  for (const auto& [branch, symbols] : facts.exports)
    for (const auto& symbol : symbols) {
      const auto it = std::find_if(facts.functions.begin(), facts.functions.end(),
                                   [&](const Function& f) { return f.name == symbol; });
      if (it != facts.functions.end())
        it->exported_by.push_back(branch);
      else
        undeclared.insert(symbol);
    }
  for (const auto& symbol : undeclared) {
    if (!signatures.contains(symbol)) throw RegistryError("undocumented.json", "no signature of " + symbol);
    auto declaration = signatures.at(symbol);
    declaration["name"] = symbol;
    Function f = function_from(declaration);
    f.library_only = true;
    for (const auto& [branch, symbols] : facts.exports)
      if (symbols.count(symbol)) f.exported_by.push_back(branch);
    facts.functions.push_back(std::move(f));
  }
}

void load_history(const ordered_json& history, Facts& facts) {
  facts.headers = history.at("headers").get<std::vector<std::string>>();
  for (const auto& [name, changes] : history.at("constant_changes").items())
    for (const auto& change : changes)
      if (change.at(1).is_number()) facts.constant_changes[name].emplace_back(change.at(0), change.at(1));
  for (const auto& [name, changes] : history.at("struct_layout_changes").items())
    for (const auto& change : changes)
      facts.struct_sizes[name].emplace_back(change.at("from"), change.value("size", std::size_t{0}));
}

}  // namespace

const Param* Function::find(const std::string& param) const {
  const auto it = std::find_if(params.begin(), params.end(), [&](const Param& p) { return p.name == param; });
  return it == params.end() ? nullptr : &*it;
}

const Field* Struct::find(const std::string& field) const {
  const auto it = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == field; });
  return it == fields.end() ? nullptr : &*it;
}

const Function* Facts::function(const std::string& name) const {
  const auto it = std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  return it == functions.end() ? nullptr : &*it;
}

const Struct* Facts::structure(const std::string& name) const {
  for (const auto& s : structs)
    if (s.name == name || std::find(s.aliases.begin(), s.aliases.end(), name) != s.aliases.end()) return &s;
  return nullptr;
}

const Enum* Facts::enumeration(const std::string& name) const {
  const auto it = std::find_if(enums.begin(), enums.end(), [&](const Enum& e) { return e.name == name; });
  return it == enums.end() ? nullptr : &*it;
}

bool Facts::is_handle(const std::string& type) const {
  return std::find(handles.begin(), handles.end(), type) != handles.end();
}

const Typedef* Facts::type_definition(const std::string& name) const {
  const auto it = std::find_if(typedefs.begin(), typedefs.end(), [&](const Typedef& t) { return t.name == name; });
  return it == typedefs.end() ? nullptr : &*it;
}

std::optional<std::int64_t> Facts::value(const std::string& name) const {
  for (const auto& c : constants)
    if (c.name == name && c.text.empty()) return c.number;
  for (const auto& e : enums)
    for (const auto& [enumerator, number] : e.values)
      if (enumerator == name) return number;
  return std::nullopt;
}

std::optional<std::uint32_t> Facts::version_tag(const std::string& macro) const {
  if (const auto it = struct_versions.find(macro); it != struct_versions.end()) return it->second.tag;
  if (const auto number = value(macro)) return static_cast<std::uint32_t>(*number);
  return std::nullopt;
}

std::optional<std::size_t> Facts::header_index(const std::string& header) const {
  for (std::size_t i = 0; i < headers.size(); ++i)
    if (headers[i] == header) return i;
  return std::nullopt;
}

Facts load_facts(const std::filesystem::path& directory) {
  Facts facts;
  try {
    for (const auto& j : facts_in(directory / "functions.json")) facts.functions.push_back(function_from(j));
    for (const auto& j : facts_in(directory / "structs.json")) facts.structs.push_back(struct_from(j));
    for (const auto& j : facts_in(directory / "enums.json")) {
      Enum e{j.at("name"), j.at("underlying"), {}};
      for (const auto& [name, value] : j.at("values").items()) e.values.emplace_back(name, value.get<std::int64_t>());
      facts.enums.push_back(std::move(e));
    }
    const auto constants = facts_in(directory / "constants.json");
    for (const auto& [name, j] : constants.items()) facts.constants.push_back(constant_from(name, j));
    load_types(directory / "types.json", facts);
    load_drivers(directory, facts);
    const auto history = facts_in(directory / "history.json");
    facts.newest_header = history.at("headers").back();
    load_history(history, facts);
  } catch (const nlohmann::json::exception& e) {
    throw RegistryError(directory.string(), e.what());
  }
  return facts;
}

}  // namespace nvmlgen
