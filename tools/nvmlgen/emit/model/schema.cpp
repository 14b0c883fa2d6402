#include <nlohmann/json.hpp>

#include "emit/model/emitters.hpp"
#include "registry/model_check.hpp"

namespace nvmlgen {
namespace {

using nlohmann::ordered_json;

std::string description(const ModelField& field) {
  std::string out = field.doc;
  if (!field.unit.empty()) out += " Unit: " + field.unit + ".";
  if (field.visibility == Visibility::later) out += " Not shown yet: waits for " + field.visibility_note + ".";
  if (field.visibility == Visibility::inert)
    out += " Accepted, and shown by no function: " + field.visibility_note + ".";
  return out;
}

ordered_json default_json(const ModelField& field) {
  if (field.list) return ordered_json::array();
  if (field.type == ModelType::boolean) return *field.default_text == "true";
  if (field.is_text() || field.type == ModelType::enumeration) return *field.default_text;
  return *parse_integer(*field.default_text);
}

ordered_json absent() { return {{"enum", {"N/A", nullptr}}}; }

ordered_json number(const ModelField& field) {
  ordered_json j{{"type", field.type == ModelType::f64 ? "number" : "integer"}};
  const bool is_signed = field.type == ModelType::i32 || field.type == ModelType::i64 || field.type == ModelType::f64;
  if (field.range) {
    j["minimum"] = field.range->min;
    j["maximum"] = field.range->max;
  } else if (!is_signed) {
    j["minimum"] = 0;
  }
  return j;
}

// The schema of one value, without the marker for absence.
ordered_json value_schema(const Model& model, const ModelField& field) {
  switch (field.type) {
    case ModelType::boolean:
      return {{"type", "boolean"}};
    case ModelType::string:
      if (!field.words.empty()) return {{"enum", field.words}};
      // A number is as good a text as any: `serial: 1562821083900`.
      return {{"type", {"string", "number"}}, {"maxLength", field.capacity - 1}};
    case ModelType::uuid:
      return {{"type", "string"},
              {"pattern", "^GPU-[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"}};
    case ModelType::pci_bus_id:
      return {{"type", "string"}, {"pattern", "^([0-9A-Fa-f]{1,8}:)?[0-9A-Fa-f]{1,2}:[01]?[0-9A-Fa-f](\\.[0-7])?$"}};
    case ModelType::enumeration: {
      ordered_json words = ordered_json::array();
      for (const auto& w : model.enumeration(field.reference)->words) words.push_back(w.word);
      return {{"enum", words}};
    }
    case ModelType::native:
    case ModelType::structure:
      return {{"$ref", "#/definitions/" + field.reference}};
    default: {
      ordered_json j = number(field);
      if (!field.quoted) return j;
      return {{"anyOf", {j, {{"type", "string"}, {"pattern", "^-?[0-9]+$"}}}}};
    }
  }
}

ordered_json field_schema(const Model& model, const ModelField& field) {
  ordered_json value = value_schema(model, field);
  ordered_json j;
  j["description"] = description(field);
  if (field.default_text) j["default"] = default_json(field);
  if (field.list) {
    ordered_json list{{"type", "array"}, {"maxItems", field.max_items}, {"items", std::move(value)}};
    j["anyOf"] = {std::move(list), absent()};
  } else if (field.required) {
    j.update(value);
  } else {
    j["anyOf"] = {std::move(value), absent()};
  }
  return j;
}

ordered_json struct_schema(const Model& model, const ModelStruct& s) {
  ordered_json j{{"description", s.doc}, {"type", "object"}, {"additionalProperties", false}};
  ordered_json properties = ordered_json::object(), required = ordered_json::array();
  for (const auto& field : s.fields) {
    if (field.is_native()) continue;
    properties[field.name] = field_schema(model, field);
    if (field.required) required.push_back(field.name);
  }
  j["properties"] = std::move(properties);
  if (!required.empty()) j["required"] = std::move(required);
  return j;
}

// What the reader handles itself has a shape that the types do not tell.
void put_document_shape(const Model& model, ordered_json& machine, ordered_json& definitions) {
  auto& properties = machine["properties"];
  const auto& top = *model.structure("Machine");
  ordered_json& gpu = definitions["Gpu"];
  ordered_json device = gpu;
  gpu["properties"].erase("index");
  gpu["properties"].erase("base");
  device["description"] = top.find("devices")->doc;
  device["required"] = {"index"};
  ordered_json index = number(*model.structure("Gpu")->find("index"));
  index["description"] = model.structure("Gpu")->find("index")->doc;
  device["properties"]["index"] = std::move(index);
  device["properties"]["base"] = {{"description", model.structure("Gpu")->find("base")->doc}, {"type", "string"}};
  definitions["Device"] = std::move(device);
  properties["version"] = {{"description", top.find("version")->doc}, {"enum", {"1.0", 1.0}}};
  properties["base"] = {{"description", top.find("base")->doc}, {"type", "string"}};
  properties["devices"] = {
      {"description", top.find("devices")->doc},
      {"anyOf",
       {{{"type", "array"},
         {"maxItems", model.structure("Gpu")->find("index")->range.value_or(ModelRange{0, 1023}).max + 1},
         {"items", {{"$ref", "#/definitions/Device"}}}},
        {{"type", "null"}}}}};
}

}  // namespace

std::string emit_model_schema(const Model& model, const Facts&) {
  ordered_json definitions = ordered_json::object();
  ordered_json machine;
  for (const auto& s : model.structs) (s.name == "Machine" ? machine : definitions[s.name]) = struct_schema(model, s);
  put_document_shape(model, machine, definitions);
  ordered_json root{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"$comment", "Generated by nvmlgen from registry/. Do not edit."},
                    {"title", "nvmlkit machine"}};
  root.update(machine);
  root["definitions"] = std::move(definitions);
  return root.dump(1) + "\n";
}

}  // namespace nvmlgen
