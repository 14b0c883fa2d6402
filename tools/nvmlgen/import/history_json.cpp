// History and drivers.
#include "facts_json.hpp"

namespace nvmlgen::headers {

namespace {

Json removed_functions_to_json(const Ordered<Removed>& list) {
  Json json = Json::object();
  for (const auto& [name, r] : list) {
    json[name] = {{"first_seen", r.first_seen}, {"last_seen", r.last_seen}, {"exported_by", r.exported_by}};
    if (!r.signature.empty()) json[name]["sig"] = r.signature;
  }
  return json;
}

Json layouts_to_json(const Timeline<LayoutChange>& timeline) {
  Json list = Json::array();
  for (const auto& step : timeline) {
    Json one{{"from", step.from}};
    if (!step.value) {
      one["gone"] = true;
    } else {
      one["size"] = step.value->size;
      if (!step.value->added.empty()) one["added"] = step.value->added;
      if (!step.value->removed.empty()) one["removed"] = step.value->removed;
      if (!step.value->moved_or_resized.empty()) one["moved_or_resized"] = step.value->moved_or_resized;
    }
    list.push_back(std::move(one));
  }
  return list;
}

Timeline<LayoutChange> layouts_from_json(const Json& list) {
  Timeline<LayoutChange> timeline;
  for (const Json& one : list) {
    Step<LayoutChange> step{one.at("from"), std::nullopt};
    if (!one.contains("gone")) {
      step.value.emplace();
      one.at("size").get_to(step.value->size);
      optional_from_json(one, "added", step.value->added);
      optional_from_json(one, "removed", step.value->removed);
      optional_from_json(one, "moved_or_resized", step.value->moved_or_resized);
    }
    timeline.push_back(std::move(step));
  }
  return timeline;
}

template <class T>
Json pairs_to_json(const std::map<std::string, Timeline<T>>& all) {
  Json json = Json::object();
  for (const auto& [name, timeline] : all) {
    json[name] = Json::array();
    for (const auto& step : timeline)
      json[name].push_back(Json::array({step.from, step.value ? Json(*step.value) : Json(nullptr)}));
  }
  return json;
}

template <class T>
void pairs_from_json(const Json& json, std::map<std::string, Timeline<T>>& all) {
  for (const auto& [name, list] : json.items())
    for (const Json& pair : list) {
      Step<T> step{pair.at(0), std::nullopt};
      if (!pair.at(1).is_null()) step.value = T(pair.at(1));
      all[name].push_back(std::move(step));
    }
}

}  // namespace

Json history_to_json(const History& history) {
  Json json = Json::object();
  json["headers"] = history.headers;
  json["removed_functions"] = removed_functions_to_json(history.removed_functions);
  if (!history.removed_types.empty())
    for (const auto& [name, r] : history.removed_types)
      json["removed_types"][name] = {{"kind", r.kind}, {"first_seen", r.first_seen}, {"last_seen", r.last_seen}};
  if (!history.alias_first_seen.empty()) json["alias_first_seen"] = history.alias_first_seen;
  json["functions_per_header"] = Json::object();
  for (const std::string& header : history.headers)
    json["functions_per_header"][header] = history.functions_per_header.at(header);
  json["struct_layout_changes"] = Json::object();
  for (const auto& [name, timeline] : history.layouts) json["struct_layout_changes"][name] = layouts_to_json(timeline);
  json["signature_changes"] = Json::object();
  for (const auto& [name, timeline] : history.signatures) {
    json["signature_changes"][name] = Json::array();
    for (const auto& step : timeline)
      json["signature_changes"][name].push_back({{"from", step.from}, {"sig", *step.value}});
  }
  json["constant_changes"] = pairs_to_json(history.values);
  json["alias_changes"] = pairs_to_json(history.aliases);
  return json;
}

void history_from_json(const Json& json, History& history) {
  json.at("headers").get_to(history.headers);
  for (const auto& [name, r] : json.at("removed_functions").items()) {
    Removed removed{r.at("first_seen"), r.at("last_seen"), {}, {}, {}};
    optional_from_json(r, "exported_by", removed.exported_by);
    optional_from_json(r, "sig", removed.signature);
    history.removed_functions.emplace_back(name, std::move(removed));
  }
  if (json.contains("removed_types"))
    for (const auto& [name, r] : json["removed_types"].items())
      history.removed_types.emplace_back(name, Removed{r.at("first_seen"), r.at("last_seen"), {}, {}, r.at("kind")});
  optional_from_json(json, "alias_first_seen", history.alias_first_seen);
  for (const auto& [header, count] : json.at("functions_per_header").items())
    history.functions_per_header[header] = count.get<std::size_t>();
  for (const auto& [name, list] : json.at("struct_layout_changes").items())
    history.layouts[name] = layouts_from_json(list);
  for (const auto& [name, list] : json.at("signature_changes").items())
    for (const Json& one : list)
      history.signatures[name].push_back({one.at("from"), one.at("sig").get<std::vector<std::string>>()});
  pairs_from_json(json.at("constant_changes"), history.values);
  pairs_from_json(json.at("alias_changes"), history.aliases);
}

Json drivers_to_json(const std::map<std::string, Driver>& drivers) {
  Json json = Json::object();
  for (const auto& [branch, driver] : drivers)
    json[branch] = {{"version", driver.version}, {"symbols", driver.symbols}};
  return json;
}

void drivers_from_json(const Json& json, std::map<std::string, Driver>& drivers) {
  for (const auto& [branch, driver] : json.items())
    drivers[branch] = {driver.at("version"), driver.at("symbols").get<std::vector<std::string>>()};
}

}  // namespace nvmlgen::headers
