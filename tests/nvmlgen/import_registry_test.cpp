// The committed facts against real headers and against the research they must agree with, where those are at hand.
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "import_support.hpp"
#include "older_facts.hpp"

namespace nvmlgen::testing_support {
namespace {

using nlohmann::json;

const fs::path facts_dir = NVMLKIT_REGISTRY_FACTS;

json facts(const std::string& name) { return json::parse(read_file(facts_dir / name)); }

// Every difference of two documents below the keys not ignored, as paths.
void differences(const json& want, const json& have, const std::set<std::string>& ignored, const std::string& path,
                 std::vector<std::string>& out) {
  if (want.is_object() && have.is_object()) {
    std::set<std::string> keys;
    for (const auto& [key, value] : want.items()) keys.insert(key);
    for (const auto& [key, value] : have.items()) keys.insert(key);
    for (const std::string& key : keys) {
      if (ignored.contains(key)) continue;
      if (!want.contains(key) || !have.contains(key))
        out.push_back(path + "/" + key + (have.contains(key) ? " extra" : " missing"));
      else
        differences(want[key], have[key], ignored, path + "/" + key, out);
    }
  } else if (want.is_array() && have.is_array() && want.size() == have.size()) {
    for (std::size_t i = 0; i < want.size(); ++i)
      differences(want[i], have[i], ignored, path + "/" + std::to_string(i), out);
  } else if (want != have) {
    out.push_back(path + ": want " + want.dump().substr(0, 120) + ", have " + have.dump().substr(0, 120));
  }
}

void expect_equal(const json& want, const json& have, const std::set<std::string>& ignored, const std::string& name) {
  std::vector<std::string> out;
  differences(want, have, ignored, name, out);
  for (const std::string& line : out) ADD_FAILURE() << line;
}

class DebianHeaders : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto old_header = file_from_env("NVMLKIT_TEST_HEADER_11_8"),
               new_header = file_from_env("NVMLKIT_TEST_HEADER_12_4");
    if (!old_header || !new_header)
      GTEST_SKIP() << "NVMLKIT_TEST_HEADER_11_8 and NVMLKIT_TEST_HEADER_12_4 do not name the headers";
    older = *old_header;
    newer = *new_header;
  }
  std::string older, newer;
};

TEST_F(DebianHeaders, FiftyFiveFunctionsCameAndThreeWent) {
  TempDir dir;
  const std::string target = (dir / "facts").string();
  ASSERT_EQ(nvmlgen_run({"import", older, "--version", "11.8.86", "--facts", target}).code, 0);
  const Output result = nvmlgen_run({"import", newer, "--version", "12.4.127", "--facts", target});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has_line(result.out, "new functions (55):")) << result.out;
  EXPECT_NE(result.out.find("functions gone (3):\n  nvmlDeviceGetPowerMode\n  nvmlDeviceGetSupportedPowerModes\n"
                            "  nvmlDeviceSetPowerMode\n"),
            std::string::npos)
      << result.out;
}

TEST_F(DebianHeaders, DoNotContradictTheRegistry) {
  for (const auto& [header, version] : {std::pair{older, "11.8.86"}, std::pair{newer, "12.4.127"}})
    for (const bool named : {true, false}) {
      std::vector<std::string> arguments{"check", header, "--facts", facts_dir.string()};
      if (named) arguments.insert(arguments.end(), {"--version", version});
      const Output result = nvmlgen_run(arguments);
      EXPECT_EQ(result.code, 0) << result.out << result.err;
      EXPECT_EQ(result.out.find("not in the registry"), std::string::npos) << result.out;
    }
}

// The research ends with the header that was the newest then. What later headers brought has no counterpart in it.
class SharedFacts : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto path = file_from_env("NVMLKIT_SHARED_FACTS");
    if (!path) GTEST_SKIP() << "NVMLKIT_SHARED_FACTS does not name nvml-api.json";
    shared = json::parse(read_file(*path));
    older = std::make_unique<OlderFacts>(facts_dir, shared["meta"]["ladder"]);
  }
  json shared;
  std::unique_ptr<OlderFacts> older;
};

TEST_F(SharedFacts, Functions) {
  expect_equal(shared["functions"], older->functions(),
               {"dir",
                "tag",
                "const",
                "len",
                "len_of",
                "len_unit",
                "len_const",
                "shape",
                "subject",
                "keys",
                "size_query",
                "family",
                "ver",
                "unversioned_alias",
                "default_maps_to",
                "exported_by",
                "os",
                "priv",
                "struct_versions",
                "returns_prose",
                "replaced_by",
                "group_inherited"},
               "functions");
}

TEST_F(SharedFacts, StructsEnumsConstants) {
  expect_equal(shared["structs"], older->structs(), {"dir"}, "structs");
  expect_equal(shared["enums"], older->enums(), {}, "enums");
  expect_equal(shared["constants"], older->constants(), {}, "constants");
}

TEST_F(SharedFacts, Types) {
  const json types = older->types();
  for (const auto& [key, value] : types.items()) expect_equal(shared.at(key), value, {}, key);
  expect_equal(shared["families"], older->families(), {"v1_exported_by"}, "families");
}

TEST_F(SharedFacts, HistoryAndDrivers) {
  const json history = facts("history.json"), drivers = facts("drivers.json");
  for (const auto& [key, value] : shared["history"].items())
    expect_equal(value, key == "functions_per_header" ? older->functions_per_header() : older->timelines(key), {}, key);
  json headers = history["headers"];
  const auto known = shared["meta"]["ladder"].size();
  ASSERT_GE(headers.size(), known);
  headers.erase(headers.begin() + static_cast<std::ptrdiff_t>(known), headers.end());
  EXPECT_EQ(shared["meta"]["ladder"], headers);
  // The registry knows the exports of more drivers.
  json removed = history["removed_functions"];
  for (auto& function : removed)
    std::erase_if(function["exported_by"].get_ref<json::array_t&>(),
                  [&](const json& branch) { return !shared["meta"]["libs"].contains(branch.get<std::string>()); });
  expect_equal(shared["removed_functions"], removed, {"sig"}, "removed_functions");
  for (const auto& [branch, library] : shared["meta"]["libs"].items()) {
    EXPECT_EQ(drivers[branch]["version"], library["version"]);
    EXPECT_EQ(drivers[branch]["symbols"].size(), library["symbols"].get<std::size_t>());
  }
  for (const json& function : shared["functions"])
    for (const auto& [branch, library] : shared["meta"]["libs"].items()) {
      const auto& symbols = drivers[branch]["symbols"];
      const auto& branches = function["exported_by"];
      EXPECT_EQ(std::find(symbols.begin(), symbols.end(), function["name"]) != symbols.end(),
                std::find(branches.begin(), branches.end(), branch) != branches.end())
          << function["name"] << " " << branch;
    }
}

}  // namespace
}  // namespace nvmlgen::testing_support
