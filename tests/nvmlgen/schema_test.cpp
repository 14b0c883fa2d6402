// Every file of the registry holds to its JSON Schema, and the schemas refuse what is wrong.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace nvmlgen {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kRegistry = fs::path(NVMLKIT_SOURCE_DIR) / "registry";

// Plain scalars become what YAML's core schema makes of them, quoted ones stay texts.
json to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    json out = json::object();
    for (const auto& item : node) out[item.first.as<std::string>()] = to_json(item.second);
    return out;
  }
  if (node.IsSequence()) {
    json out = json::array();
    for (const auto& item : node) out.push_back(to_json(item));
    return out;
  }
  if (!node.IsDefined() || node.IsNull()) return nullptr;
  const auto text = node.as<std::string>();
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "false") return text == "true";
  char* end = nullptr;
  const auto integer = std::strtoll(text.c_str(), &end, 0);
  if (!text.empty() && *end == '\0') return integer;
  const auto real = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0') return real;
  return text;
}

json read(const fs::path& file) {
  if (file.extension() == ".json") return json::parse(std::ifstream(file));
  return to_json(YAML::LoadFile(file.string()));
}

class Schema {
 public:
  explicit Schema(const json& text) : text_(text) {
    valijson::adapters::NlohmannJsonAdapter adapter(text_);
    valijson::SchemaParser().populateSchema(adapter, schema_);
  }

  // An empty text when the document is valid.
  std::string errors(const json& document) {
    valijson::Validator validator;
    valijson::ValidationResults results;
    valijson::adapters::NlohmannJsonAdapter adapter(document);
    if (validator.validate(schema_, adapter, &results)) return {};
    std::string out;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
      for (const auto& part : error.context) out += part;
      out += ": " + error.description + "\n";
    }
    return out;
  }

 private:
  json text_;
  valijson::Schema schema_;
};

Schema schema(const std::string& name) { return Schema(read(kRegistry / "schema" / (name + ".schema.json"))); }

// The schema of one definition of a file of schemas.
Schema schema_of(const std::string& file, const std::string& definition) {
  auto all = read(kRegistry / "schema" / (file + ".schema.json"));
  return Schema({{"$ref", "#/definitions/" + definition}, {"definitions", all["definitions"]}});
}

Schema facts_schema(const std::string& definition) { return schema_of("facts", definition); }

TEST(RegistrySchema, Libraries) {
  auto library = schema_of("libraries", "library"), facts = schema_of("libraries", "facts");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kRegistry / "libraries")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(library.errors(read(entry.path())), "") << entry.path();
    EXPECT_EQ(facts.errors(read(kRegistry / "libraries" / "facts" / (entry.path().stem().string() + ".json"))), "");
    ++files;
  }
  EXPECT_GE(files, 1);
  EXPECT_NE(library.errors(json::parse(R"({"library": "libx", "headers": []})")), "");
}

TEST(RegistrySchema, Semantics) {
  auto s = schema("semantics");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kRegistry / "semantics")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(s.errors(read(entry.path())), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 25);
}

TEST(RegistrySchema, FieldValues) {
  EXPECT_EQ(schema("field_values").errors(read(kRegistry / "semantics" / "values" / "field_values.yaml")), "");
}

TEST(RegistrySchema, GpmMetrics) {
  EXPECT_EQ(schema("gpm_metrics").errors(read(kRegistry / "semantics" / "values" / "gpm_metrics.yaml")), "");
}

TEST(RegistrySchema, Errata) {
  EXPECT_EQ(schema("errata").errors(read(kRegistry / "semantics" / "values" / "errata.yaml")), "");
}

TEST(RegistrySchema, Values) {
  const auto values = kRegistry / "semantics" / "values";
  auto structs = schema("structs");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(values / "structs")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(structs.errors(read(entry.path())), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 10);
  EXPECT_EQ(schema("enums").errors(read(values / "enums.yaml")), "");
  auto broken = read(values / "structs" / "memory.yaml");
  broken["Memory"]["fields"]["total"]["unit"] = "GB";
  EXPECT_NE(structs.errors(broken), "");
}

TEST(RegistrySchema, Model) {
  auto s = schema("model");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kRegistry / "model")) {
    EXPECT_EQ(s.errors(read(entry.path())), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 10);
}

TEST(RegistrySchema, Facts) {
  for (const char* name : {"functions", "structs", "enums", "constants", "types", "families", "history", "drivers"})
    EXPECT_EQ(facts_schema(name).errors(read(kRegistry / "facts" / (std::string(name) + ".json"))), "") << name;
}

TEST(RegistrySchema, Cuda) {
  const auto cuda = kRegistry / "cuda";
  for (const char* name : {"functions", "enums", "structs", "types", "entry_points", "drivers", "undeclared"})
    EXPECT_EQ(schema_of("cuda", name).errors(read(cuda / "facts" / (std::string(name) + ".json"))), "") << name;
  EXPECT_EQ(schema_of("cuda", "runtime_facts").errors(read(cuda / "facts" / "runtime.json")), "");
  EXPECT_EQ(schema_of("cuda", "runtime_exports").errors(read(cuda / "facts" / "runtime_exports.json")), "");
  for (const char* name : {"attributes", "errors", "runtime"})
    EXPECT_EQ(schema_of("cuda", name).errors(read(cuda / (std::string(name) + ".yaml"))), "") << name;
  auto semantics = schema_of("cuda", "semantics");
  for (const auto& entry : fs::directory_iterator(cuda / "semantics"))
    EXPECT_EQ(semantics.errors(read(entry.path())), "") << entry.path();
  auto broken = read(cuda / "semantics" / "memory.yaml");
  broken["answers"]["cuMemAlloc_v2"]["needs"] = "luck";
  EXPECT_NE(semantics.errors(broken), "");
}

TEST(RegistrySchema, RefusesWhatIsWrong) {
  const auto power = read(kRegistry / "semantics" / "power.yaml");
  auto s = schema("semantics");
  const auto broken = [&](const char* key, const json& value) {
    auto copy = power;
    copy["nvmlDeviceGetPowerUsage"][key] = value;
    return s.errors(copy);
  };
  EXPECT_NE(broken("call", "sometimes"), "");
  EXPECT_NE(broken("surprise", 1), "");
  EXPECT_NE(broken("sim", {{"later", "some day"}}), "");
  EXPECT_NE(broken("sim", {{"read", {{"power", "gpu.power.x"}}}, {"code", json::array()}}), "");
  EXPECT_NE(broken("as", "PowerUsage"), "");
}

// Machine files are checked by an editor with this one; the built-in machines hold to it.
TEST(MachineSchema, BuiltInMachines) {
  const fs::path profiles = fs::path(NVMLKIT_SOURCE_DIR) / "profiles";
  Schema s(read(profiles / "machine.schema.json"));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(profiles)) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(s.errors(read(entry.path())), "") << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 28);
  EXPECT_NE(s.errors({{"version", "1.0"}, {"device_default", json::object()}}), "");
}

}  // namespace
}  // namespace nvmlgen
