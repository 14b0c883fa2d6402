// The committed facts as they were for older headers: without what newer ones brought. A fact that is not marked as
// newer stays, so a comparison finds each change that the marks do not explain.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace nvmlgen::testing_support {

class OlderFacts {
 public:
  // `headers`: the versions that count.
  OlderFacts(std::filesystem::path folder, const nlohmann::json& headers);

  nlohmann::json functions() const { return first_seen("functions.json"); }
  nlohmann::json structs() const;
  nlohmann::json enums() const;
  nlohmann::json constants() const;
  nlohmann::json families() const;
  nlohmann::json types() const;
  // Of history.json, by the name of a timeline of each function, type or constant.
  nlohmann::json timelines(const std::string& key) const;
  nlohmann::json functions_per_header() const;

 private:
  nlohmann::json read(const std::string& file) const;
  nlohmann::json first_seen(const std::string& file) const;
  bool counts(const nlohmann::json& version) const { return headers_.contains(version.get<std::string>()); }
  // The value of a constant then, by its name and its value now.
  nlohmann::json value_then(const std::string& name, const nlohmann::json& now) const;
  void undo_growth(nlohmann::json& structure) const;

  std::filesystem::path folder_;
  std::set<std::string> headers_;
  nlohmann::json history_;
};

}  // namespace nvmlgen::testing_support
