#include "scenario/schema.hpp"

#include <nlohmann/json.hpp>

#include "scenario/keys.hpp"

namespace nvmlkit::scenario {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDuration = "^([0-9]+(\\.[0-9]+)?(ms|s|m|min|h))+$";
constexpr const char* kMoment = "^([0-9]+(\\.[0-9]+)?(ms|s|m|min|h))+( to ([0-9]+(\\.[0-9]+)?(ms|s|m|min|h))+)?$";
constexpr const char* kChance = "^[0-9]+(\\.[0-9]+)?%$";

Json pattern(const char* text) { return {{"type", "string"}, {"pattern", text}}; }
Json one_or_list(const Json& item) {
  return {{"oneOf", {item, {{"type", "array"}, {"items", item}, {"minItems", 1}}}}};
}
Json reference(const char* name) { return {{"$ref", std::string("#/definitions/") + name}}; }
Json text() { return {{"type", "string"}, {"minLength", 1}}; }
Json word() { return {{"type", {"string", "integer"}}}; }

Json schema_of(Form form) {
  switch (form) {
    case Form::text:
      return {{"type", {"string", "number", "boolean"}}};
    case Form::texts:
      return one_or_list(word());
    case Form::flag:
      return {{"type", "boolean"}};
    case Form::whole:
      return {{"type", "integer"}, {"minimum", 1}};
    case Form::duration:
      return pattern(kDuration);
    case Form::moment:
      return pattern(kMoment);
    case Form::chance:
      return pattern(kChance);
    case Form::gpus:
      return reference("gpus");
    case Form::nodes:
      return reference("nodes");
    case Form::groups:
      return {{"type", "object"}, {"additionalProperties", reference("gpus")}};
    case Form::labels:
      return {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
    case Form::condition:
      return text();
    case Form::conditions:
    case Form::lines:
      return one_or_list(text());
    case Form::steps:
      break;
  }
  return {{"type", "array"}, {"minItems", 1}, {"items", reference("step")}};
}

Json object_of(std::span<const Key> keys) {
  Json properties = Json::object();
  for (const auto& key : keys) {
    // Beside $ref, a draft of this age reads nothing.
    Json of = schema_of(key.form);
    if (of.contains("$ref")) of = {{"allOf", Json::array({of})}};
    of["description"] = key.doc;
    properties[std::string(key.name)] = std::move(of);
  }
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
}

Json gpus_schema() {
  auto drawn = object_of(gpu_keys());
  drawn["oneOf"] = {{{"required", {"count"}}}, {{"required", {"fraction"}}}};
  return {{"oneOf", {word(), {{"type", "array"}, {"items", word()}, {"minItems", 1}}, std::move(drawn)}}};
}

Json step_schema() {
  auto out = object_of(step_keys());
  out["anyOf"] = {
      {{"required", {"do"}}}, {{"required", {"any"}}}, {{"required", {"expect"}}}, {{"required", {"when"}}}};
  out["not"] = {{"anyOf", {{{"required", {"at", "after"}}}, {{"required", {"do", "any"}}}}}};
  return out;
}

}  // namespace

Json schema() {
  Json out{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "A scenario of nvmlkit"}};
  out.update(object_of(file_keys()));
  out["required"] = {"steps"};
  out["definitions"] = {
      {"gpus", gpus_schema()},
      {"nodes", {{"oneOf", {word(), {{"type", "array"}, {"items", word()}, {"minItems", 1}}, object_of(node_keys())}}}},
      {"step", step_schema()}};
  return out;
}

}  // namespace nvmlkit::scenario
