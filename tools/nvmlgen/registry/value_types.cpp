#include "registry/value_types.hpp"

#include <algorithm>
#include <set>

#include "registry/error.hpp"
#include "registry/names.hpp"
#include "registry/yaml_file.hpp"

namespace nvmlgen {
namespace {

std::vector<ValueField> members_of(const Field& field) {
  std::vector<ValueField> fields;
  for (const auto& inner : field.fields) {
    ValueField f;
    f.fact = &inner;
    f.name = snake_case(inner.name);
    // Hungarian b: a truth value, as everywhere in NVML.
    if (inner.name.rfind("bIs", 0) == 0) f.unit = "bool";
    if (inner.type == "int" && inner.name.find("Temp") != std::string::npos) f.unit = "C";
    fields.push_back(f);
  }
  return fields;
}

void annotate(ValueField& field, const YAML::Node& notes);

void annotate_members(ValueField& field, const YAML::Node& notes) {
  for (const auto& item : notes) {
    const auto name = item.first.as<std::string>();
    const auto it = std::find_if(field.members.begin(), field.members.end(),
                                 [&](const ValueField& member) { return member.fact->name == name; });
    if (it == field.members.end()) fail(item.first, field.fact->name + " has no member " + name);
    annotate(*it, item.second);
  }
}

void annotate(ValueField& field, const YAML::Node& notes) {
  for (const auto& item : notes) {
    const auto key = item.first.as<std::string>();
    if (key == "as")
      field.name = item.second.as<std::string>();
    else if (key == "doc")
      field.doc = item.second.as<std::string>();
    else if (key == "unit")
      field.unit = item.second.as<std::string>();
    else if (key == "absent")
      field.absent = item.second.as<std::string>();
    else if (key == "enum")
      field.enumeration = item.second.as<std::string>();
    else if (key == "count")
      field.count = item.second.as<std::string>();
    else if (key == "skip")
      field.hidden = !item.second.as<std::string>().empty();
    else if (key == "key")
      field.key = item.second.as<bool>();
    else if (key == "optional")
      field.optional = item.second.as<bool>();
    else if (key == "members")
      annotate_members(field, item.second);
    else
      fail(item.first, "unknown key '" + key + "' of a field");
  }
}

// Members of a nameless union are members of the struct.
std::vector<const Field*> members(const Struct& s) {
  std::vector<const Field*> out;
  for (const auto& f : s.fields) {
    if (!f.name.empty()) {
      out.push_back(&f);
      continue;
    }
    for (const auto& inner : f.fields) out.push_back(&inner);
  }
  return out;
}

bool has(const Struct& s, const std::string& field) {
  const auto all = members(s);
  return std::any_of(all.begin(), all.end(), [&](const Field* f) { return f->name == field; });
}

ValueType type_from(const std::string& name, const YAML::Node& node, const Facts& facts) {
  ValueType type;
  type.name = name;
  YAML::Node notes;
  for (const auto& item : node) {
    const auto key = item.first.as<std::string>();
    if (key == "doc")
      type.doc = item.second.as<std::string>();
    else if (key == "structs")
      type.structs = item.second.as<std::vector<std::string>>();
    else if (key == "legacy")
      type.legacy = item.second.as<std::vector<std::string>>();
    else if (key == "fields")
      notes = item.second;
    else
      fail(item.first, "unknown key '" + key + "' of " + name);
  }
  if (type.doc.empty() || type.structs.empty()) fail(node, name + " needs doc and structs");
  std::vector<const Struct*> structs;
  for (const auto& s : type.structs) {
    structs.push_back(facts.structure(s));
    if (!structs.back() || structs.back()->name != s) fail(node, name + ": the facts have no struct " + s);
  }
  std::set<std::string> seen, counts;
  for (const Struct* s : structs)
    for (const Field* fact : members(*s)) {
      if (!seen.insert(fact->name).second) continue;
      ValueField field;
      field.fact = fact;
      field.name = snake_case(fact->name);
      field.members = members_of(*fact);
      field.hidden = fact->name == "version" || fact->name.rfind("reserved", 0) == 0;
      // A padding field called reserved is no value, but the memory that the driver reserves is.
      if (notes.IsMap() && notes[fact->name]) {
        field.hidden = false;
        annotate(field, notes[fact->name]);
      }
      for (const Struct* other : structs) field.optional = field.optional || !has(*other, fact->name);
      if (!field.count.empty()) counts.insert(field.count);
      type.fields.push_back(field);
    }
  if (notes.IsMap())
    for (const auto& item : notes)
      if (!seen.count(item.first.as<std::string>()))
        fail(item.first, name + " has no field " + item.first.as<std::string>());
  for (const auto& count : counts) {
    const auto it =
        std::find_if(type.fields.begin(), type.fields.end(), [&](const auto& f) { return f.fact->name == count; });
    if (it == type.fields.end()) fail(node, name + ": count " + count + " is no field");
    it->hidden = true;
  }
  for (const auto& f : type.fields)
    if (!f.hidden && f.fact->type.back() == '*' && f.count.empty())
      fail(node, name + ": " + f.fact->name + " is a pointer and does not say which field counts its entries");
  return type;
}

// What a type holds first.
void sort_types(Values& values, const Facts& facts) {
  std::vector<ValueType> sorted;
  std::set<std::string> done;
  const auto place = [&](const auto& self, const ValueType& type) -> void {
    if (!done.insert(type.name).second) return;
    for (const auto& f : type.fields) {
      std::string base = f.fact->type;
      if (base.back() == '*') base = base.substr(0, base.size() - 2);
      const Struct* s = facts.structure(base);
      if (const ValueType* inner = s ? values.of(s->name) : nullptr) self(self, *inner);
    }
    sorted.push_back(type);
  };
  std::sort(values.types.begin(), values.types.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const auto& type : values.types) place(place, type);
  values.types = std::move(sorted);
}

void load_types(Values& values, const YAML::Node& families, const Facts& facts) {
  for (const auto& item : families) {
    auto type = type_from(item.first.as<std::string>(), item.second, facts);
    for (const auto& s : type.structs)
      if (values.of(s)) fail(item.first, s + " is in two families");
    values.types.push_back(std::move(type));
  }
}

}  // namespace

const ValueType* Values::of(const std::string& structure) const {
  for (const auto& type : types)
    for (const auto* list : {&type.structs, &type.legacy})
      if (std::find(list->begin(), list->end(), structure) != list->end()) return &type;
  return nullptr;
}

const EnumType* Values::enum_of(const std::string& c_type) const {
  const auto it = std::find_if(enums.begin(), enums.end(), [&](const EnumType& e) { return e.c_type == c_type; });
  return c_type.empty() || it == enums.end() ? nullptr : &*it;
}

const EnumType* Values::enum_named(const std::string& name) const {
  const auto it = std::find_if(enums.begin(), enums.end(), [&](const EnumType& e) { return e.used_as() == name; });
  return it == enums.end() ? nullptr : &*it;
}

Values load_values(const std::filesystem::path& directory, const Facts& facts) {
  Values values;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "structs", ignored))
    if (entry.path().extension() == ".yaml")
      read_yaml(entry.path(), [&](const YAML::Node& families) { load_types(values, families, facts); });
  if (values.types.empty()) throw RegistryError((directory / "structs").string(), "holds no families of structs");
  sort_types(values, facts);
  values.enums = load_enums(directory / "enums.yaml", facts);
  return values;
}

}  // namespace nvmlgen
