#include "facts_json.hpp"

namespace nvmlgen::headers {

namespace {

Json param_to_json(const Param& p) {
  Json json{{"name", p.name}, {"type", p.type}};
  if (p.canon != p.type) json["canon"] = p.canon;
  json["ptr"] = p.ptr;
  json["base"] = p.base;
  json["kind"] = p.kind;
  return json;
}

Json field_to_json(const Field& f) {
  Json json{{"name", f.name}, {"type", f.type}};
  if (!f.dims.empty()) json["dims"] = f.dims;
  if (!f.dims_sym.empty()) json["dims_sym"] = f.dims_sym;
  json["off"] = f.off;
  json["size"] = f.size;
  if (!f.kind.empty()) json["kind"] = f.kind;
  if (f.elem_size) json["elem_size"] = f.elem_size;
  if (!f.fields.empty()) {
    json["fields"] = Json::array();
    for (const Field& nested : f.fields) json["fields"].push_back(field_to_json(nested));
  }
  return json;
}

Field field_from_json(const Json& json) {
  Field f;
  json.at("name").get_to(f.name);
  json.at("type").get_to(f.type);
  optional_from_json(json, "dims", f.dims);
  optional_from_json(json, "dims_sym", f.dims_sym);
  json.at("off").get_to(f.off);
  json.at("size").get_to(f.size);
  optional_from_json(json, "kind", f.kind);
  optional_from_json(json, "elem_size", f.elem_size);
  if (json.contains("fields"))
    for (const Json& nested : json["fields"]) f.fields.push_back(field_from_json(nested));
  return f;
}

// Where a record holds addresses of the caller's or the driver's memory.
void list_pointers(const std::vector<Field>& fields, const std::string& prefix, std::vector<std::string>& paths) {
  for (const Field& f : fields) {
    if (f.kind == "ptr") paths.push_back(prefix + f.name);
    list_pointers(f.fields, f.name.empty() ? prefix : prefix + f.name + ".", paths);
  }
}

}  // namespace

void group_to_json(Json& json, const char* key, const std::optional<std::string>& group) {
  json[key] = group ? Json(*group) : Json(nullptr);
}

std::optional<std::string> group_from_json(const Json& json, const char* key) {
  if (!json.contains(key) || json.at(key).is_null()) return std::nullopt;
  return json.at(key).get<std::string>();
}

Json functions_to_json(const Api& api) {
  Json list = Json::array();
  for (const Function& f : api.functions) {
    Json json{{"name", f.name}, {"ret", f.ret}};
    json["params"] = Json::array();
    for (const Param& p : f.params) json["params"].push_back(param_to_json(p));
    group_to_json(json, "group", f.group);
    if (!f.guard.empty()) json["guard"] = f.guard;
    json["deprecated"] = f.deprecated.empty() ? Json(false) : Json(f.deprecated);
    json["first_seen"] = f.first_seen;
    json["returns"] = f.returns;
    if (!f.doc_from.empty()) json["doc_from"] = f.doc_from;
    if (!f.product.empty()) json["product"] = f.product;
    list.push_back(std::move(json));
  }
  return list;
}

void functions_from_json(const Json& list, Api& api) {
  for (const Json& json : list) {
    Function f;
    json.at("name").get_to(f.name);
    json.at("ret").get_to(f.ret);
    for (const Json& p : json.at("params")) {
      Param param;
      p.at("name").get_to(param.name);
      p.at("type").get_to(param.type);
      param.canon = p.value("canon", param.type);
      p.at("ptr").get_to(param.ptr);
      p.at("base").get_to(param.base);
      p.at("kind").get_to(param.kind);
      f.params.push_back(std::move(param));
    }
    f.group = group_from_json(json, "group");
    optional_from_json(json, "guard", f.guard);
    if (json.at("deprecated").is_string()) json.at("deprecated").get_to(f.deprecated);
    json.at("first_seen").get_to(f.first_seen);
    json.at("returns").get_to(f.returns);
    optional_from_json(json, "doc_from", f.doc_from);
    optional_from_json(json, "product", f.product);
    api.functions.push_back(std::move(f));
  }
}

Json structs_to_json(const Api& api) {
  Json list = Json::array();
  for (const Struct& s : api.structs) {
    Json json{{"name", s.name}};
    if (s.is_union) json["kind"] = "union";
    if (!s.tag.empty()) json["tag"] = s.tag;
    if (!s.aliases.empty()) json["aliases"] = s.aliases;
    json["size"] = s.size;
    json["align"] = s.align;
    if (!s.version_macro.empty()) json["version_macro"] = ordered_to_json(s.version_macro);
    if (!s.versioned.empty()) json["versioned"] = s.versioned;
    std::vector<std::string> pointers;
    list_pointers(s.fields, "", pointers);
    if (!pointers.empty()) json["pointers"] = pointers;
    group_to_json(json, "group", s.group);
    json["first_seen"] = s.first_seen;
    json["fields"] = Json::array();
    for (const Field& f : s.fields) json["fields"].push_back(field_to_json(f));
    list.push_back(std::move(json));
  }
  return list;
}

void structs_from_json(const Json& list, Api& api) {
  for (const Json& json : list) {
    Struct s;
    json.at("name").get_to(s.name);
    s.is_union = json.value("kind", "") == "union";
    optional_from_json(json, "tag", s.tag);
    optional_from_json(json, "aliases", s.aliases);
    json.at("size").get_to(s.size);
    json.at("align").get_to(s.align);
    ordered_from_json(json, "version_macro", s.version_macro);
    optional_from_json(json, "versioned", s.versioned);
    s.group = group_from_json(json, "group");
    json.at("first_seen").get_to(s.first_seen);
    for (const Json& f : json.at("fields")) s.fields.push_back(field_from_json(f));
    api.structs.push_back(std::move(s));
  }
}

}  // namespace nvmlgen::headers
