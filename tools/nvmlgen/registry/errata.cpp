#include "registry/errata.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <regex>
#include <set>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

YAML::Node read_yaml(const std::filesystem::path& file) {
  try {
    return YAML::LoadFile(file.string());
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
}

Erratum read_entry(const std::string& file, const std::string& id, const YAML::Node& node) {
  const auto where = file + ":" + std::to_string(node.Mark().line + 1);
  Erratum e;
  e.id = id;
  for (const auto& item : node) {
    const auto key = item.first.as<std::string>();
    if (key == "what")
      e.what = item.second.as<std::string>();
    else if (key == "handled")
      e.handled = item.second.as<std::string>();
    else if (key == "source")
      e.source = item.second.as<std::string>();
    else if (key == "numbering")
      e.numbering = item.second.as<std::string>();
    else if (key == "structs")
      e.structs = item.second.as<std::map<std::string, std::string>>();
    else if (key == "drivers")
      for (const auto& bound : item.second) {
        const auto which = bound.first.as<std::string>();
        if (which != "from" && which != "before") throw RegistryError(where, id + ": drivers has no '" + which + "'");
        (which == "from" ? e.from : e.before) = bound.second.as<std::string>();
      }
    else
      throw RegistryError(where, "unknown key '" + key + "' of " + id);
  }
  if (e.what.empty() || e.handled.empty() || e.source.empty())
    throw RegistryError(where, id + " needs what, handled and source");
  if (e.from.empty() && e.before.empty()) throw RegistryError(where, id + " names no drivers");
  if (!e.from.empty() && !e.before.empty() && driver_version(e.from, where) >= driver_version(e.before, where))
    throw RegistryError(where, fmt::format("{}: no driver lies between {} and {}", id, e.from, e.before));
  return e;
}

// What stood for `name` in a header: the last change at or before it.
template <class Value>
std::optional<Value> at_header(const Facts& facts, const std::vector<std::pair<std::string, Value>>& changes,
                               std::size_t header) {
  std::optional<Value> value;
  for (const auto& [from, changed] : changes)
    if (facts.header_index(from).value_or(header + 1) <= header) value = changed;
  return value;
}

bool is_field(const std::string& name) { return name.rfind("NVML_FI_", 0) == 0 && name != "NVML_FI_MAX"; }

std::size_t header_of(const Facts& facts, const Erratum& e, const std::string& header) {
  const auto index = facts.header_index(header);
  if (!index) throw RegistryError(e.id, "the facts know no header " + header);
  return *index;
}

void derive_wire(const Facts& facts, Erratum& e, std::set<std::pair<std::string, std::int64_t>>& named) {
  if (e.numbering.empty()) return;
  const std::size_t header = header_of(facts, e, e.numbering);
  for (const auto& [name, changes] : facts.constant_changes) {
    if (!is_field(name)) continue;
    const auto then = at_header(facts, changes, header);
    if (then == facts.value(name)) continue;
    e.wire[name] = then;
    if (then) named.emplace(name, *then);
  }
  if (e.wire.empty()) throw RegistryError(e.id, "header " + e.numbering + " numbers every field as the newest does");
}

void check_structs(const Facts& facts, const Erratum& e, std::set<std::pair<std::string, std::size_t>>& named) {
  for (const auto& [name, header] : e.structs) {
    const auto known = facts.struct_sizes.find(name);
    const auto* newest = facts.structure(name);
    const auto then =
        known == facts.struct_sizes.end() ? std::nullopt : at_header(facts, known->second, header_of(facts, e, header));
    if (!then || *then == 0 || (newest && newest->size == *then))
      throw RegistryError(e.id, fmt::format("{} had its newest size in header {}", name, header));
    named.emplace(name, *then);
  }
}

void check_numbers(const std::filesystem::path& file, const FieldIds& fields, Errata& errata) {
  std::map<std::int64_t, std::string> owners;
  std::set<std::string> known;
  for (const auto& id : fields.ids) known.insert(id.name);
  for (const auto& item : read_yaml(file)) {
    const auto name = item.first.as<std::string>();
    const auto number = item.second.as<std::int64_t>();
    if (!known.count(name)) throw RegistryError(file.string(), name + " is no field id of its own");
    if (number < kFirstFieldNumber || number >= 0x4000)
      throw RegistryError(file.string(), name + ": the number is out of range");
    const auto [owner, free] = owners.emplace(number, name);
    if (!free) throw RegistryError(file.string(), fmt::format("{} and {} have one number", owner->second, name));
    errata.fields[name] = number;
  }
  for (const auto& name : known)
    if (!errata.fields.count(name)) throw RegistryError(file.string(), "no number for " + name);
}

}  // namespace

std::vector<int> driver_version(const std::string& text, const std::string& where) {
  static const std::regex shape("([0-9]{3})(?:\\.([0-9]{1,3}))?(?:\\.([0-9]{1,3}))?");
  std::smatch match;
  if (!std::regex_match(text, match, shape)) throw RegistryError(where, "'" + text + "' is no driver version");
  std::vector<int> numbers;
  for (int i = 1; i <= 3; ++i) numbers.push_back(match[i].matched ? std::stoi(match[i]) : 0);
  return numbers;
}

Errata load_errata(const std::filesystem::path& directory, const Facts& facts, const FieldIds& fields) {
  const auto file = (directory / "errata.yaml").string();
  Errata errata;
  std::set<std::pair<std::string, std::int64_t>> ids;
  std::set<std::pair<std::string, std::size_t>> sizes;
  for (const auto& item : read_yaml(file)) {
    auto e = read_entry(file, item.first.as<std::string>(), item.second);
    derive_wire(facts, e, ids);
    check_structs(facts, e, sizes);
    errata.list.push_back(std::move(e));
  }
  std::vector<std::string> holes;
  for (const auto& [name, changes] : facts.constant_changes)
    for (const auto& [header, value] : changes)
      if (is_field(name) && facts.value(name) && facts.value(name) != value && !ids.count({name, value}))
        holes.push_back(fmt::format("{} was {} in header {}", name, value, header));
  for (const auto& [name, changes] : facts.struct_sizes)
    for (const auto& [header, size] : changes)
      if (const auto* newest = facts.structure(name);
          newest && size != 0 && newest->size != size && !sizes.count({name, size}))
        holes.push_back(fmt::format("{} had {} bytes in header {}", name, size, header));
  if (!holes.empty()) throw RegistryError(file, fmt::format("no erratum for:\n  {}", fmt::join(holes, "\n  ")));
  check_numbers(directory / "field_numbers.yaml", fields, errata);
  return errata;
}

}  // namespace nvmlgen
