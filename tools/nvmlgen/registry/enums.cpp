#include "registry/enums.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "registry/names.hpp"
#include "registry/yaml_file.hpp"

namespace nvmlgen {
namespace {

struct EnumRules {
  std::vector<std::string> prefixes;  // of constants
  std::string prefix, suffix, initial;
  std::map<std::string, std::string> names;
  std::set<std::string> skip;
};

bool single_bit(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return bits != 0 && (bits & (bits - 1)) == 0;
}

// What all names begin with, up to an underscore.
std::string common_beginning(const Enum& e) {
  std::string prefix = e.values.front().first;
  for (const auto& [name, number] : e.values) {
    std::size_t same = 0;
    while (same < prefix.size() && same < name.size() && prefix[same] == name[same]) ++same;
    prefix.resize(same);
  }
  return prefix.substr(0, prefix.rfind('_') + 1);
}

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "NVML_CLOCK_SM" -> "sm", "nvmlEventTypeXidCriticalError" -> "xid_critical_error".
std::string enumerator_name(const std::string& constant, const std::string& prefix, const EnumRules& rules) {
  if (const auto known = rules.names.find(constant); known != rules.names.end()) return known->second;
  std::string rest = constant.substr(constant.starts_with(prefix) ? prefix.size() : 0);
  if (!rules.suffix.empty() && rest.ends_with(rules.suffix)) rest.resize(rest.size() - rules.suffix.size());
  std::string name = prefix.starts_with("nvml") ? snake_case(rest) : lowered(rest);
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0]))) name = rules.initial + name;
  return name;
}

class EnumReader {
 public:
  EnumReader(const Facts& facts, const YAML::Node& key, const YAML::Node& node) : facts_(facts), key_(key) {
    type_.name = key.as<std::string>();
    for (const auto& item : node) read(item.first, item.second);
    if (type_.doc.empty()) fail(key, type_.name + " needs a doc");
  }

  EnumType finish() {
    const Enum* e = facts_.enumeration(type_.c_type);
    if (e) {
      type_.integer = e->underlying;
      add_enum(*e);
    } else if (!type_.c_type.empty()) {
      const Typedef* t = facts_.type_definition(type_.c_type);
      if (!t) fail(key_, type_.name + ": the facts have no type " + type_.c_type);
      type_.integer = t->type;
    }
    for (const auto& prefix : rules_.prefixes) add_constants(prefix);
    for (const auto& [constant, name] : rules_.names) add_named(constant, name);
    if (type_.enumerators.empty()) fail(key_, type_.name + " has no enumerators");
    for (const auto& name : rules_.skip)
      if (!facts_.value(name)) fail(key_, type_.name + ": the facts have no " + name);
    refuse_clashes();
    if (!type_.flags.empty())
      std::sort(type_.enumerators.begin(), type_.enumerators.end(), [](const Enumerator& a, const Enumerator& b) {
        return static_cast<std::uint64_t>(a.value) < static_cast<std::uint64_t>(b.value);
      });
    return type_;
  }

 private:
  void read(const YAML::Node& item, const YAML::Node& value) {
    const auto key = item.as<std::string>();
    if (key == "doc")
      type_.doc = value.as<std::string>();
    else if (key == "type")
      type_.c_type = value.as<std::string>();
    else if (key == "constants")
      rules_.prefixes = value.as<std::vector<std::string>>();
    else if (key == "values")
      for (const auto& each : value)
        type_.enumerators.push_back({each.first.as<std::string>(), "", each.second.as<std::int64_t>()});
    else if (key == "prefix")
      rules_.prefix = value.as<std::string>();
    else if (key == "suffix")
      rules_.suffix = value.as<std::string>();
    else if (key == "initial")
      rules_.initial = value.as<std::string>();
    else if (key == "names")
      rules_.names = value.as<std::map<std::string, std::string>>();
    else if (key == "skip")
      for (const auto& each : value) rules_.skip.insert(each.as<std::string>());
    else if (key == "integer")
      type_.integer = value.as<std::string>();
    else if (key == "flags")
      type_.flags = value.as<std::string>();
    else if (key == "by_hand")
      type_.by_hand = value.as<std::string>();
    else
      fail(item, "unknown key '" + key + "' of " + type_.name);
  }

  void add(const std::string& name, const std::string& constant, std::int64_t value) {
    if (rules_.skip.count(constant) || (!type_.flags.empty() && !single_bit(value))) return;
    // Of several names of a bit the first one counts.
    if (!type_.flags.empty() && std::any_of(type_.enumerators.begin(), type_.enumerators.end(),
                                            [&](const Enumerator& other) { return other.value == value; }))
      return;
    type_.enumerators.push_back({name, constant, value});
  }

  void add_enum(const Enum& e) {
    const std::string prefix = rules_.prefix.empty() ? common_beginning(e) : rules_.prefix;
    for (const auto& [constant, value] : e.values)
      if (!counts_values(e, constant, value)) add(enumerator_name(constant, prefix, rules_), constant, value);
  }

  void add_constants(const std::string& prefix) {
    for (const auto& c : facts_.constants)
      if (c.name.starts_with(prefix) && !c.name.ends_with("_COUNT"))
        add(enumerator_name(c.name, prefix, rules_), c.name, c.number);
  }

  // A constant that no prefix finds.
  void add_named(const std::string& constant, const std::string& name) {
    const auto value = facts_.value(constant);
    if (!value) fail(key_, type_.name + ": the facts have no " + constant);
    if (std::none_of(type_.enumerators.begin(), type_.enumerators.end(),
                     [&](const Enumerator& each) { return each.constant == constant; }))
      add(name, constant, *value);
  }

  void refuse_clashes() const {
    std::set<std::string> seen;
    for (const auto& each : type_.enumerators) {
      const bool good = !each.name.empty() && std::isdigit(static_cast<unsigned char>(each.name[0])) == 0;
      if (!good) fail(key_, type_.name + ": " + each.constant + " needs a name");
      if (!seen.insert(each.name).second) fail(key_, type_.name + " has '" + each.name + "' twice");
    }
  }

  const Facts& facts_;
  YAML::Node key_;
  EnumType type_;
  EnumRules rules_;
};

}  // namespace

std::string enumerator_number(const EnumType& type, const Enumerator& enumerator) {
  if (!type.integer.starts_with("unsigned")) return std::to_string(enumerator.value);
  const auto number = static_cast<std::uint64_t>(enumerator.value);
  return std::to_string(type.integer == "unsigned int" ? static_cast<std::uint32_t>(number) : number);
}

bool counts_values(const Enum& e, const std::string& name, std::int64_t value) {
  if (name.ends_with("_COUNT")) return true;
  if (!name.ends_with("_MAX") || value <= 0) return false;
  return std::all_of(e.values.begin(), e.values.end(), [&](const auto& other) { return other.second <= value; });
}

std::vector<EnumType> load_enums(const std::filesystem::path& file, const Facts& facts) {
  std::vector<EnumType> types;
  read_yaml(file, [&](const YAML::Node& document) {
    for (const auto& item : document) {
      types.push_back(EnumReader(facts, item.first, item.second).finish());
      for (std::size_t i = 0; i + 1 < types.size(); ++i)
        if (!types.back().c_type.empty() && types[i].c_type == types.back().c_type)
          fail(item.first, types.back().c_type + " has two types");
    }
  });
  return types;
}

}  // namespace nvmlgen
