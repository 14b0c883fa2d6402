// The generator refuses value types that do not fit functions and structs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "emit/bindings/method.hpp"
#include "registry/error.hpp"
#include "registry/registry.hpp"

namespace nvmlgen {
namespace {

namespace fs = std::filesystem;

class ValueTypes : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            (std::string("values_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::copy(fs::path(NVMLKIT_SOURCE_DIR) / "registry", root_, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string error_after(const std::string& file, const std::string& what, const std::string& by) {
    const auto path = root_ / "semantics" / "values" / file;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    auto contents = text.str();
    const auto at = contents.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    contents.replace(at, what.size(), by);
    std::ofstream(path) << contents;
    try {
      load_registry(root_);
    } catch (const RegistryError& e) {
      return e.what();
    }
    return "no error";
  }

  fs::path root_;
};

TEST_F(ValueTypes, FamiliesOfTheRegistry) {
  const auto registry = load_registry(root_);
  EXPECT_GE(registry.semantics.values.types.size(), 85u);
  EXPECT_GE(registry.semantics.values.enums.size(), 80u);
  const ValueType* memory = registry.semantics.values.of("nvmlMemory_t");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory, registry.semantics.values.of("nvmlMemory_v2_t"));
  EXPECT_EQ(memory->name, "Memory");
}

// Version fields, counts and buffers of C structs are the bindings' business.
TEST_F(ValueTypes, NoMethodTakesOrAnswersAStructOfTheAbi) {
  const auto registry = load_registry(root_);
  std::string found;
  for (const auto& [name, entry] : registry.semantics.functions) {
    const auto method = method_for(registry.facts, registry.semantics, entry);
    if (!method) continue;
    const std::string text = method->answer + ' ' + method->parameters;
    static const std::regex type("abi::(nvml\\w+)");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), type); it != std::sregex_iterator(); ++it)
      if (registry.facts.structure(it->str(1))) found += name + ": " + it->str(1) + "\n";
  }
  EXPECT_EQ(found, "");
}

TEST_F(ValueTypes, AnAnswerWithoutAFamily) {
  EXPECT_NE(error_after("structs/memory.yaml", "structs: [nvmlMemory_v2_t, nvmlMemory_t]", "structs: [nvmlMemory_v2_t]")
                .find("nvmlDeviceGetMemoryInfo: answers with nvmlMemory_t"),
            std::string::npos);
}

TEST_F(ValueTypes, AFamilyThatNothingUses) {
  EXPECT_NE(error_after("structs/identity.yaml",
                        "Pdi:", "GpmReading: {doc: \"One metric of GPM.\", structs: [nvmlGpmMetric_t]}\nPdi:")
                .find("GpmReading: a value type that no function answers with or takes"),
            std::string::npos);
}

TEST_F(ValueTypes, AFieldThatIsNotThere) {
  EXPECT_NE(
      error_after("structs/memory.yaml", "reserved: {unit: B", "reserve: {unit: B").find("Memory has no field reserve"),
      std::string::npos);
}

TEST_F(ValueTypes, ACountThatIsNotThere) {
  EXPECT_NE(
      error_after("structs/identity.yaml", "count: bridgeCount", "count: bridges").find("count bridges is no field"),
      std::string::npos);
}

TEST_F(ValueTypes, APointerWithoutACount) {
  EXPECT_NE(error_after("structs/vgpu.yaml", "vgpuTypeIds: {count: vgpuCount, ", "vgpuTypeIds: {")
                .find("vgpuTypeIds is a pointer"),
            std::string::npos);
}

TEST_F(ValueTypes, AnUnknownKeyAndAnUnknownParameter) {
  EXPECT_NE(error_after("structs/nvlink.yaml", "isC2cEnabled: {unit: bool", "isC2cEnabled: {units: bool")
                .find("unknown key 'units'"),
            std::string::npos);
}

TEST_F(ValueTypes, AMemberThatNobodyExplains) {
  EXPECT_NE(error_after("structs/nvlink.yaml", "isC2cEnabled: {unit: bool, doc: \"Whether the link is up.\"}",
                        "isC2cEnabled: {unit: bool}")
                .find("C2cMode.is_c2c_enabled: has no doc"),
            std::string::npos);
  EXPECT_NE(
      error_after("structs/clocks.yaml", "incThreshold:", "incTreshold:").find("utilization has no member incTreshold"),
      std::string::npos);
}

TEST_F(ValueTypes, AnEnumOfCWithoutAScopedOne) {
  EXPECT_NE(error_after("enums.yaml", "Brand: {type: nvmlBrandType_t, doc: \"The product line of a GPU.\"}\n", "")
                .find("nvmlDeviceGetBrand.type: nvmlBrandType_t has no scoped enum"),
            std::string::npos);
}

TEST_F(ValueTypes, AnEnumThatIsNotThere) {
  EXPECT_NE(
      error_after("structs/nvlink.yaml", "enum: FabricHealth", "enum: FabricWealth").find("there is no FabricWealth"),
      std::string::npos);
  EXPECT_NE(error_after("enums.yaml", "{type: nvmlBrandType_t, ", "{type: nvmlBrandKind_t, ")
                .find("the facts have no type nvmlBrandKind_t"),
            std::string::npos);
}

TEST_F(ValueTypes, AnEnumThatNothingShows) {
  EXPECT_NE(error_after("enums.yaml", "type: nvmlDetachGpuState_t, by_hand: \"Library::remove_gpu\"",
                        "type: nvmlDetachGpuState_t")
                .find("DetachGpuState: nothing takes or answers it"),
            std::string::npos);
  EXPECT_NE(error_after("enums.yaml", "Brand: {type: nvmlBrandType_t,",
                        "Brand: {type: nvmlBrandType_t, by_hand: \"Device::brand\",")
                .find("Brand: needs no by_hand"),
            std::string::npos);
}

TEST_F(ValueTypes, EnumeratorsHaveNames) {
  EXPECT_NE(error_after("enums.yaml", "type: nvmlPstates_t, initial: p,", "type: nvmlPstates_t,")
                .find("PState: NVML_PSTATE_0 needs a name"),
            std::string::npos);
}

TEST_F(ValueTypes, EnumeratorsHaveTheirOwnNames) {
  EXPECT_NE(error_after("enums.yaml", "NVML_AGGREGATE_ECC: aggregate}", "NVML_AGGREGATE_ECC: volatile}")
                .find("EccCounter has 'volatile' twice"),
            std::string::npos);
}

TEST_F(ValueTypes, EnumsKeepAliasesAndLeaveCountsOut) {
  const auto registry = load_registry(root_);
  const EnumType* brand = registry.semantics.values.enum_of("nvmlBrandType_t");
  ASSERT_TRUE(brand);
  std::set<std::string> names;
  for (const auto& each : brand->enumerators) names.insert(each.name);
  EXPECT_TRUE(names.count("nvidia_vgaming") && names.count("nvidia_cloud_gaming"));
  EXPECT_FALSE(names.count("count"));
  const EnumType* events = registry.semantics.values.enum_named("EventTypes");
  ASSERT_TRUE(events);
  for (const auto& each : events->enumerators) EXPECT_EQ(each.value & (each.value - 1), 0) << each.name;
}

}  // namespace
}  // namespace nvmlgen
