// The generator refuses a model with a hole, and says where it is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "emit/model/emitters.hpp"
#include "registry/error.hpp"
#include "registry/model.hpp"

namespace nvmlgen {
namespace {

namespace fs = std::filesystem;

const fs::path registry = fs::path(NVMLKIT_SOURCE_DIR) / "registry";

Facts few_facts() {
  Facts facts;
  facts.enums.push_back(
      {"nvmlEnableState_t", "unsigned int", {{"NVML_FEATURE_DISABLED", 0}, {"NVML_FEATURE_ENABLED", 1}}});
  return facts;
}

constexpr const char* kEnums =
    "enums:\n  State: {type: nvmlEnableState_t, words: {off: NVML_FEATURE_DISABLED, on: NVML_FEATURE_ENABLED}}\n";

// A model around the fields of its Gpu.
std::string around(const std::string& gpu_fields) {
  return "- struct: Machine\n  doc: A.\n  fields: {system: {struct: System, doc: B.}, device_defaults: {struct: Gpu, "
         "handled: "
         "reader, doc: C.}}\n- struct: System\n  doc: D.\n  fields: {s: {enum: State, doc: E.}}\n- struct: Gpu\n  doc: "
         "F.\n  "
         "fields:\n" +
         gpu_fields;
}

class ModelFiles {
 public:
  ModelFiles() : directory_(fs::path(testing::TempDir()) / ("nvmlgen_model_" + std::to_string(getpid()))) {
    fs::create_directories(directory_);
  }
  ~ModelFiles() { fs::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(directory_ / name) << text; }

  // The refusal without the folder, or nothing.
  std::string refusal() const {
    try {
      load_model(directory_, few_facts());
    } catch (const RegistryError& e) {
      const std::string what = e.what(), prefix = directory_.string() + "/";
      return what.rfind(prefix, 0) == 0 ? what.substr(prefix.size()) : what;
    }
    return "";
  }

 private:
  fs::path directory_;
};

std::string refusal(const std::string& gpu_fields) {
  const ModelFiles files;
  files.write("enums.yaml", kEnums);
  files.write("gpu.yaml", around(gpu_fields));
  return files.refusal();
}

TEST(ModelHoles, EachIsNamedWithItsPlace) {
  EXPECT_EQ(refusal("    a: {type: u32, doc: G.}\n"), "");
  EXPECT_EQ(refusal("    a: {type: u33, doc: G.}\n"), "gpu.yaml:10: unknown type 'u33'");
  EXPECT_EQ(refusal("    a: {type: u32}\n"), "gpu.yaml:10: field 'a': doc is missing");
  EXPECT_EQ(refusal("    a: {doc: G.}\n"),
            "gpu.yaml:10: field 'a' needs exactly one of type, enum, struct, list, native");
  EXPECT_EQ(refusal("    a: {type: u32, enum: State, doc: G.}\n"),
            "gpu.yaml:10: field 'a' needs exactly one of type, enum, struct, list, native");
  EXPECT_EQ(refusal("    a: {type: u32, doc: G., colour: red}\n"), "gpu.yaml:10: unknown attribute 'colour'");
  EXPECT_EQ(refusal("    a: {type: u32, doc: G.}\n    a: {type: u32, doc: G.}\n"), "gpu.yaml:11: duplicate key 'a'");
  EXPECT_EQ(refusal("    a: {enum: Nothing, doc: G.}\n"), "gpu.yaml:10: field 'a': there is no enum 'Nothing'");
  EXPECT_EQ(refusal("    a: {struct: Nothing, doc: G.}\n"), "gpu.yaml:10: field 'a': there is no struct 'Nothing'");
  EXPECT_EQ(refusal("    a: {struct: Gpu, doc: G.}\n"), "gpu.yaml:7: struct 'Gpu' contains itself");
  EXPECT_EQ(refusal("    a: {type: u32, range: [0, 5], default: 6, doc: G.}\n"),
            "gpu.yaml:10: field 'a': default '6' is out of range");
  EXPECT_EQ(refusal("    a: {type: u32, range: [5, 0], doc: G.}\n"), "gpu.yaml:10: the range is empty");
  EXPECT_EQ(refusal("    a: {enum: State, default: maybe, doc: G.}\n"),
            "gpu.yaml:10: field 'a': default 'maybe' is no word of State");
  EXPECT_EQ(refusal("    a: {type: string, doc: G.}\n"), "gpu.yaml:10: field 'a': a string needs size");
  EXPECT_EQ(refusal("    a: {type: string, size: 4, default: long, doc: G.}\n"),
            "gpu.yaml:10: field 'a': the default is too long");
  EXPECT_EQ(refusal("    a: {list: u32, default: [], doc: G.}\n"), "gpu.yaml:10: field 'a': a list needs max");
  EXPECT_EQ(refusal("    a: {native: faults::State, include: sim/native/faults.hpp, doc: G.}\n"), "");
  EXPECT_EQ(refusal("    a: {native: faults::State, doc: G.}\n"), "gpu.yaml:10: field 'a': native needs include");
  EXPECT_EQ(refusal("    a: {type: u32, include: sim/native/faults.hpp, doc: G.}\n"),
            "gpu.yaml:10: field 'a': include is for native");
  EXPECT_EQ(refusal("    a: {type: u32, identity: key, doc: G.}\n"), "");
  EXPECT_EQ(refusal("    a: {type: u32, identity: mine, doc: G.}\n"), "gpu.yaml:10: expected basis, own or key");
  EXPECT_EQ(refusal("    a: {list: u32, max: 2, default: [], identity: own, doc: G.}\n"),
            "gpu.yaml:10: field 'a': identity is for scalars");
  EXPECT_EQ(refusal("    a: {type: u32, later: x, inert: y, doc: G.}\n"),
            "gpu.yaml:10: later and inert exclude each other");
  EXPECT_EQ(refusal("    a: {type: u32, doc: G.}\n- struct: Lost\n  doc: H.\n  fields: {b: {type: u32, doc: I.}}\n"),
            "gpu.yaml:11: nothing contains struct 'Lost'");
}

TEST(ModelHoles, EnumsMustBeInTheFacts) {
  const ModelFiles files;
  files.write("gpu.yaml", around("    a: {type: u32, doc: G.}\n"));
  files.write("enums.yaml", "enums:\n  State: {type: nvmlEnableState_t, words: {on: NVML_NO_SUCH}}\n");
  EXPECT_EQ(files.refusal(), "enums.yaml:2: the facts have no constant 'NVML_NO_SUCH'");
  files.write("enums.yaml", "enums:\n  State: {type: nvmlNoSuch_t, words: {on: NVML_FEATURE_ENABLED}}\n");
  EXPECT_EQ(files.refusal(), "enums.yaml:2: the facts have no type 'nvmlNoSuch_t'");
}

class Registry : public testing::Test {
 protected:
  static const Model& model() {
    static const Facts facts = load_facts(registry / "facts");
    static const Model model = load_model(registry / "model", facts);
    return model;
  }
};

TEST_F(Registry, PathsFindFields) {
  ASSERT_NE(model().find("gpu.power.limit_mw"), nullptr);
  EXPECT_EQ(model().find("gpu.power.limit_mw")->unit, "mW");
  EXPECT_EQ(model().find("gpu.processes[].pid"), model().find("gpu.processes.pid"));
  EXPECT_TRUE(model().find("gpu.power")->is_struct());
  EXPECT_NE(model().find("system.driver_version"), nullptr);
  for (const char* bad : {"", "gpu.powr", "gpu.power.limit_mw.x", "gpu.power[].limit_mw", "limit_mw", "gpu..power"})
    EXPECT_EQ(model().find(bad), nullptr) << bad;
}

TEST_F(Registry, EveryLeafIsFoundByItsPathOnce) {
  std::set<std::string> seen;
  for (const auto& leaf : model().leaves()) {
    EXPECT_EQ(model().find(leaf.path), leaf.field) << leaf.path;
    EXPECT_TRUE(seen.insert(leaf.path).second) << leaf.path;
  }
  EXPECT_GT(seen.size(), 300u);
}

TEST_F(Registry, ReferenceNamesEveryKeyOfAGpu) {
  const std::string text = emit_model_reference(model(), Facts{});
  for (const auto& leaf : model().leaves()) {
    if (leaf.path.rfind("gpu.", 0) != 0) continue;
    EXPECT_NE(text.find("| `" + leaf.path.substr(4) + "` |"), std::string::npos) << leaf.path;
  }
}

}  // namespace
}  // namespace nvmlgen
