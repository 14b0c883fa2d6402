// Enums, constants and the small types.
#include "facts_json.hpp"

namespace nvmlgen::headers {

Json enums_to_json(const Api& api) {
  Json list = Json::array();
  for (const Enum& e : api.enums) {
    Json json{{"name", e.name}};
    if (!e.tag.empty()) json["tag"] = e.tag;
    json["size"] = e.size;
    json["underlying"] = e.underlying;
    group_to_json(json, "group", e.group);
    json["first_seen"] = e.first_seen;
    json["values"] = ordered_to_json(e.values);
    if (!e.late.empty()) json["late"] = ordered_to_json(e.late);
    if (!e.deprecated.empty()) json["deprecated"] = e.deprecated;
    list.push_back(std::move(json));
  }
  return list;
}

void enums_from_json(const Json& list, Api& api) {
  for (const Json& json : list) {
    Enum e;
    json.at("name").get_to(e.name);
    optional_from_json(json, "tag", e.tag);
    json.at("size").get_to(e.size);
    json.at("underlying").get_to(e.underlying);
    e.group = group_from_json(json, "group");
    json.at("first_seen").get_to(e.first_seen);
    ordered_from_json(json, "values", e.values);
    ordered_from_json(json, "late", e.late);
    optional_from_json(json, "deprecated", e.deprecated);
    api.enums.push_back(std::move(e));
  }
}

Json constants_to_json(const Api& api) {
  Json json = Json::object();
  for (const auto& [name, c] : api.constants) {
    Json one{{"v", c.value}, {"t", c.type}};
    group_to_json(one, "g", c.group);
    one["since"] = c.since;
    if (!c.alias_of.empty()) one["alias_of"] = c.alias_of;
    if (c.deprecated) one["deprecated"] = true;
    json[name] = std::move(one);
  }
  return json;
}

void constants_from_json(const Json& json, Api& api) {
  for (const auto& [name, one] : json.items()) {
    Constant c;
    c.value = one.at("v");
    one.at("t").get_to(c.type);
    c.group = group_from_json(one, "g");
    one.at("since").get_to(c.since);
    optional_from_json(one, "alias_of", c.alias_of);
    optional_from_json(one, "deprecated", c.deprecated);
    api.constants.emplace_back(name, std::move(c));
  }
}

Json types_to_json(const Api& api) {
  Json json = Json::object();
  json["handles"] = Json::array();
  for (const Handle& h : api.handles)
    json["handles"].push_back({{"name", h.name}, {"struct", h.target}, {"size", h.size}, {"first_seen", h.first_seen}});
  json["typedefs"] = Json::array();
  for (const Typedef& t : api.typedefs) {
    Json one{{"name", t.name}, {"type", t.type}, {"canon", t.canon}, {"kind", t.kind}, {"size", t.size}};
    group_to_json(one, "group", t.group);
    json["typedefs"].push_back(std::move(one));
  }
  json["aliases"]["functions"] = ordered_to_json(api.function_aliases);
  json["aliases"]["types"] = ordered_to_json(api.type_aliases);
  json["struct_versions"] = Json::object();
  for (const auto& [name, v] : api.struct_versions) {
    char hex[16];
    std::snprintf(hex, sizeof hex, "0x%08llx", static_cast<unsigned long long>(v.value));
    json["struct_versions"][name] = {{"struct", v.record}, {"version", v.version}, {"value", v.value}, {"hex", hex}};
  }
  json["function_macros"] = Json::object();
  for (const auto& [name, macro] : api.function_macros)
    json["function_macros"][name] = {{"params", macro.params}, {"body", macro.body}};
  json["other_macros"] = ordered_to_json(api.other_macros);
  return json;
}

void types_from_json(const Json& json, Api& api) {
  for (const Json& h : json.at("handles"))
    api.handles.push_back({h.at("name"), h.at("struct"), h.at("size"), h.at("first_seen")});
  for (const Json& t : json.at("typedefs"))
    api.typedefs.push_back(
        {t.at("name"), t.at("type"), t.at("canon"), t.at("kind"), t.at("size"), group_from_json(t, "group")});
  ordered_from_json(json.at("aliases"), "functions", api.function_aliases);
  ordered_from_json(json.at("aliases"), "types", api.type_aliases);
  for (const auto& [name, v] : json.at("struct_versions").items())
    api.struct_versions.emplace_back(name, StructVersion{v.at("struct"), v.at("version"), v.at("value")});
  for (const auto& [name, macro] : json.at("function_macros").items())
    api.function_macros.emplace_back(name, FunctionMacro{macro.at("params"), macro.at("body")});
  ordered_from_json(json, "other_macros", api.other_macros);
}

Json families_to_json(const Api& api) {
  Json json = Json::object();
  for (const auto& [name, family] : families(api)) {
    Json one{{"members", family.members}, {"newest", family.newest}};
    if (!family.default_member.empty()) one["default"] = family.default_member;
    if (family.first_missing) one["v1_not_in_header"] = true;
    if (!family.twin.empty()) one["v_suffix_twin"] = family.twin;
    json[name] = std::move(one);
  }
  return json;
}

}  // namespace nvmlgen::headers
