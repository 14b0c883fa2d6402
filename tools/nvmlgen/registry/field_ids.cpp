#include "registry/field_ids.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

FieldId read_entry(const std::filesystem::path& file, const std::string& name, const YAML::Node& node) {
  const auto where = file.string() + ":" + std::to_string(node.Mark().line + 1);
  FieldId id;
  id.name = name;
  for (const auto& item : node) {
    const auto key = item.first.as<std::string>();
    if (key == "type")
      id.type = item.second.as<std::string>();
    else if (key == "read")
      id.scopes[""] = item.second.as<std::string>();
    else if (key == "scopes")
      id.scopes = item.second.as<std::map<std::string, std::string>>();
    else if (key == "scopes_below")
      id.scopes_below = item.second.as<unsigned>();
    else if (key == "lacks")
      id.lacks = item.second.as<std::vector<std::string>>();
    else if (key == "elsewhere")
      id.elsewhere = item.second.as<std::string>();
    else if (key == "code")
      id.code = item.second.as<std::string>();
    else if (key == "reads")
      id.reads = item.second.as<std::vector<std::string>>();
    else if (key == "live")
      id.live = item.second.as<bool>();
    else if (key == "later")
      id.later = item.second.as<std::string>();
    else
      throw RegistryError(where, "unknown key '" + key + "' of " + name);
  }
  static const std::set<std::string> types{"uint", "int", "ullong", "double", "ushort"};
  if (!id.type.empty() && !types.count(id.type)) throw RegistryError(where, name + ": unknown type '" + id.type + "'");
  if (id.code.empty() != id.reads.empty()) throw RegistryError(where, name + " needs code and reads, or neither");
  if (id.later.empty() && id.code.empty() && (id.type.empty() || id.scopes.empty()))
    throw RegistryError(where, name + " needs a type and read or scopes, or code, or later");
  for (const auto& [scope, path] : id.scopes)
    if (!scope.empty() && scope != "gpu" && scope != "gpu_base" && scope != "module" && scope != "memory")
      throw RegistryError(where, name + ": unknown scope '" + scope + "'");
  return id;
}

}  // namespace

FieldIds load_field_ids(const std::filesystem::path& file, const Facts& facts) {
  YAML::Node document;
  try {
    document = YAML::LoadFile(file.string());
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
  FieldIds out;
  std::set<std::string> named;
  for (const auto& item : document) {
    const auto name = item.first.as<std::string>();
    named.insert(name);
    const auto value = facts.value(name);
    if (!value) throw RegistryError(file.string(), name + " is no constant of the facts");
    if (item.second["same_as"]) {
      if (facts.value(item.second["same_as"].as<std::string>()) != value)
        throw RegistryError(file.string(), name + " has another id than what it says it is the same as");
      continue;
    }
    auto id = read_entry(file, name, item.second);
    id.id = *value;
    out.ids.push_back(std::move(id));
  }
  for (const auto& constant : facts.constants)
    if (constant.name.rfind("NVML_FI_", 0) == 0 && constant.name != "NVML_FI_MAX" && !named.count(constant.name))
      throw RegistryError(file.string(), "no entry for " + constant.name);
  std::sort(out.ids.begin(), out.ids.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

}  // namespace nvmlgen
