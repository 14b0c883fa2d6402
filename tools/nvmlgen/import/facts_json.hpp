// The JSON shape of the facts, one pair of functions per file. registry/schema/facts.schema.json describes it.
#pragma once

#include "facts.hpp"

namespace nvmlgen::headers {

using Json = nlohmann::ordered_json;

Json functions_to_json(const Api& api);
Json structs_to_json(const Api& api);
Json enums_to_json(const Api& api);
Json constants_to_json(const Api& api);
Json types_to_json(const Api& api);
Json families_to_json(const Api& api);
Json history_to_json(const History& history);
Json drivers_to_json(const std::map<std::string, Driver>& drivers);

// These throw nlohmann::json::exception on a wrong shape.
void functions_from_json(const Json& json, Api& api);
void structs_from_json(const Json& json, Api& api);
void enums_from_json(const Json& json, Api& api);
void constants_from_json(const Json& json, Api& api);
void types_from_json(const Json& json, Api& api);
void history_from_json(const Json& json, History& history);
void drivers_from_json(const Json& json, std::map<std::string, Driver>& drivers);

/// Pretty text: what fits a line of 120 columns stays on one line, so that a diff shows one thing per line.
std::string pretty(const Json& json);

// Helpers of the files of this pair.
template <class T>
Json ordered_to_json(const Ordered<T>& list) {
  Json json = Json::object();
  for (const auto& [name, value] : list) json[name] = value;
  return json;
}

template <class T>
void ordered_from_json(const Json& json, const char* key, Ordered<T>& list) {
  if (!json.contains(key)) return;
  for (const auto& [name, value] : json.at(key).items()) list.emplace_back(name, value.template get<T>());
}

template <class T>
void optional_from_json(const Json& json, const char* key, T& value) {
  if (json.contains(key)) value = json.at(key).get<T>();
}

void group_to_json(Json& json, const char* key, const std::optional<std::string>& group);
std::optional<std::string> group_from_json(const Json& json, const char* key);

}  // namespace nvmlgen::headers
