#include "older_facts.hpp"

#include <fstream>

namespace nvmlgen::testing_support {

using nlohmann::json;

namespace {

// A step of a timeline is [version, value] or an object with `from`.
const json& version_of(const json& step) { return step.is_array() ? step.at(0) : step.at("from"); }

}  // namespace

OlderFacts::OlderFacts(std::filesystem::path folder, const json& headers)
    : folder_(std::move(folder)), headers_(headers.begin(), headers.end()), history_(read("history.json")) {}

json OlderFacts::read(const std::string& file) const { return json::parse(std::ifstream(folder_ / file)); }

json OlderFacts::first_seen(const std::string& file) const {
  json out = json::array();
  for (const json& item : read(file))
    if (counts(item.at("first_seen"))) out.push_back(item);
  return out;
}

json OlderFacts::value_then(const std::string& name, const json& now) const {
  const json& changes = history_.at("constant_changes");
  if (!changes.contains(name)) return now;
  json value = now;
  for (const json& step : changes.at(name))
    if (counts(version_of(step))) value = step.at(1);
  return value;
}

// The lengths of arrays that a constant names, and the sizes that follow from them.
void OlderFacts::undo_growth(json& structure) const {
  long long grown = 0;
  for (json& field : structure.at("fields")) {
    field.at("off") = field.at("off").get<long long>() - grown;
    if (!field.contains("dims_sym")) continue;
    for (std::size_t i = 0; i < field.at("dims_sym").size(); ++i) {
      const json& name = field.at("dims_sym")[i];
      json& length = field.at("dims")[i];
      const json then = name.is_string() ? value_then(name.get<std::string>(), length) : length;
      const long long size = field.at("size").get<long long>();
      const long long size_then = size / length.get<long long>() * then.get<long long>();
      length = then;
      field.at("size") = size_then;
      grown += size - size_then;
    }
  }
  structure.at("size") = structure.at("size").get<long long>() - grown;
}

json OlderFacts::structs() const {
  json out = first_seen("structs.json");
  const json& changes = history_.at("struct_layout_changes");
  for (json& structure : out) {
    const auto timeline = changes.find(structure.at("name").get<std::string>());
    if (timeline != changes.end() && !counts(version_of(timeline->back()))) undo_growth(structure);
  }
  return out;
}

json OlderFacts::enums() const {
  json out = first_seen("enums.json");
  for (json& enumeration : out) {
    json& values = enumeration.at("values");
    const json late = enumeration.value("late", json::object());
    for (const auto& [name, since] : late.items()) {
      if (counts(since)) continue;
      values.erase(name);
      enumeration.at("late").erase(name);
    }
    if (enumeration.contains("late") && enumeration.at("late").empty()) enumeration.erase("late");
    for (const auto& [name, value] : values.items()) value = value_then(name, value);
  }
  return out;
}

json OlderFacts::constants() const {
  const json all = read("constants.json");
  json out = json::object();
  for (const auto& [name, constant] : all.items()) {
    if (!counts(constant.at("since"))) continue;
    out[name] = constant;
    out[name].at("v") = value_then(name, constant.at("v"));
  }
  return out;
}

json OlderFacts::families() const {
  std::set<std::string> known;
  for (const json& function : functions()) known.insert(function.at("name").get<std::string>());
  const json all = read("families.json");
  json out = json::object();
  for (const auto& [plain, now] : all.items()) {
    json family = now, members = json::array();
    for (const json& member : now.at("members"))
      if (known.contains(member.get<std::string>())) members.push_back(member);
    if (members.empty()) continue;
    // A function without a version is a family only beside versions.
    if (members == json{plain} && !now.contains("v_suffix_twin") && !now.contains("v1_not_in_header")) continue;
    family.at("members") = members;
    family.at("newest") = members.back();
    out[plain] = family;
  }
  return out;
}

json OlderFacts::types() const {
  std::set<std::string> known;
  for (const json& structure : first_seen("structs.json")) known.insert(structure.at("name").get<std::string>());
  json out = read("types.json"), versions = json::object();
  for (const auto& [macro, version] : out.at("struct_versions").items())
    if (known.contains(version.at("struct").get<std::string>())) versions[macro] = version;
  out.at("struct_versions") = versions;
  return out;
}

json OlderFacts::timelines(const std::string& key) const {
  json out = json::object();
  for (const auto& [name, timeline] : history_.at(key).items()) {
    json steps = json::array();
    for (const json& step : timeline)
      if (counts(version_of(step))) steps.push_back(step);
    // One step alone is no change, unless it is all that there is.
    if (steps.size() == timeline.size() || steps.size() > 1) out[name] = steps;
  }
  return out;
}

json OlderFacts::functions_per_header() const {
  json out = json::object();
  for (const auto& [version, count] : history_.at("functions_per_header").items())
    if (counts(version)) out[version] = count;
  return out;
}

}  // namespace nvmlgen::testing_support
