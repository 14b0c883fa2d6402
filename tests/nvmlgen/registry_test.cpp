// The generator refuses a registry with a hole.
#include "registry/registry.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "outputs.hpp"
#include "registry/error.hpp"

namespace nvmlgen {
namespace {

namespace fs = std::filesystem;

// A copy of the registry that a test may damage.
class Registry : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            ("registry_" + std::to_string(getpid()) + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::copy(fs::path(NVMLKIT_SOURCE_DIR) / "registry", root_, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(root_); }

  void replace(const std::string& file, const std::string& what, const std::string& by) {
    std::ostringstream text;
    text << std::ifstream(root_ / file).rdbuf();
    auto contents = text.str();
    const auto at = contents.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    contents.replace(at, what.size(), by);
    std::ofstream(root_ / file) << contents;
  }

  std::string error() {
    try {
      load_registry(root_);
    } catch (const RegistryError& e) {
      return e.what();
    }
    return "no error";
  }

  fs::path root_;
};

TEST_F(Registry, IsWhole) { EXPECT_EQ(error(), "no error"); }

TEST_F(Registry, RefusesFunctionWithoutSemantics) {
  replace("semantics/power.yaml", "nvmlDeviceGetPowerUsage:", "nvmlDeviceGetPowerUsages:");
  EXPECT_NE(error().find("nvmlDeviceGetPowerUsage: no semantics"), std::string::npos) << error();
  EXPECT_NE(error().find("nvmlDeviceGetPowerUsages: semantics for a function that no header declares"),
            std::string::npos)
      << error();
}

TEST_F(Registry, RefusesUnknownParameter) {
  replace("semantics/power.yaml", "limit: {role: out, unit: mW}", "limits: {role: out, unit: mW}");
  EXPECT_NE(error().find("is limit in the header and limits in the semantics"), std::string::npos) << error();
}

TEST_F(Registry, RefusesFieldThatIsNotThere) {
  replace("semantics/power.yaml", "gpu.power.current_draw_mw", "gpu.power.current_draw");
  EXPECT_NE(error().find("nvmlDeviceGetPowerUsage: gpu.power.current_draw is no field of the model"), std::string::npos)
      << error();
}

TEST_F(Registry, RefusesFieldThatNoFunctionReads) {
  replace("model/power.yaml", "  fields:\n",
          "  fields:\n    forgotten_mw: {type: u32, unit: mW, doc: Nobody reads it.}\n");
  EXPECT_NE(error().find("gpu.power.forgotten_mw is read by no function"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAnswerFromNowhere) {
  replace("semantics/power.yaml", "sim: {read: {power: gpu.power.current_draw_mw}}", "sim: {}");
  EXPECT_NE(error().find("no answer: read, code, unsupported or later"), std::string::npos) << error();
}

TEST_F(Registry, RefusesManualWithoutReason) {
  replace("semantics/events.yaml", "  why: an event set\n", "");
  EXPECT_NE(error().find("gives no reason"), std::string::npos) << error();
}

TEST_F(Registry, RefusesVersionOutsideItsChain) {
  replace("semantics/memory.yaml", "  chained_by: nvmlDeviceGetMemoryInfo_v2\n", "");
  EXPECT_NE(error().find("nvmlDeviceGetMemoryInfo"), std::string::npos) << error();
  EXPECT_NE(error().find("chain"), std::string::npos) << error();
}

TEST_F(Registry, RefusesADriftWithoutAnErratum) {
  replace("semantics/values/errata.yaml", "  numbering: \"12.9.40\"\n", "");
  EXPECT_NE(error().find("NVML_FI_PWR_SMOOTHING_ENABLED was 256 in header 12.9.40"), std::string::npos) << error();
}

TEST_F(Registry, RefusesASizeWithoutAnErratum) {
  replace("semantics/values/errata.yaml", "structs: {nvmlGpmMetricsGet_t: \"13.1.115\"}", "structs: {}");
  EXPECT_NE(error().find("nvmlGpmMetricsGet_t had 8424 bytes in header 12.9.40"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAnErratumThatTheFactsDoNotConfirm) {
  replace("semantics/values/errata.yaml", "numbering: \"12.5.82\"", "numbering: \"13.4\"");
  EXPECT_NE(error().find("numbers every field as the newest does"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAnErratumOfNoDriver) {
  replace("semantics/values/errata.yaml", "{from: \"535\", before: \"535.98\"}", "{from: \"535.98\", before: \"535\"}");
  EXPECT_NE(error().find("no driver lies between"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAFieldIdWithoutItsOwnNumber) {
  replace("semantics/values/field_numbers.yaml", "NVML_FI_DEV_ECC_PENDING: 1002\n", "");
  EXPECT_NE(error().find("no number for NVML_FI_DEV_ECC_PENDING"), std::string::npos) << error();
}

TEST_F(Registry, RefusesANumberThatTwoFieldsHave) {
  replace("semantics/values/field_numbers.yaml", "NVML_FI_DEV_ECC_PENDING: 1002", "NVML_FI_DEV_ECC_PENDING: 1001");
  EXPECT_NE(error().find("have one number"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAFunctionWithoutAMethod) {
  replace("semantics/values/by_hand.yaml", "nvmlDeviceSetMigMode: \"Device::set_mig_mode\"\n", "");
  try {
    all_outputs(load_registry(root_), {});
    FAIL() << "no error";
  } catch (const RegistryError& e) {
    EXPECT_NE(std::string(e.what()).find("\n  nvmlDeviceSetMigMode"), std::string::npos) << e.what();
  }
}

// Generated or by hand, alone or in the chain of another function.
TEST_F(Registry, RefusesAMethodOfAProvisionalFunction) {
  const std::string entry = "  provisional: \"no source shows whether";
  replace("semantics/diagnostics.yaml", entry, "  as: gpu_uptime\n" + entry);
  EXPECT_TRUE(
      std::regex_search(error(), std::regex("diagnostics\\.yaml:[0-9]+: nvmlDeviceGetGpuUptime_v1 is provisional")))
      << error();
  replace("semantics/diagnostics.yaml", "  as: gpu_uptime\n" + entry, entry);
  EXPECT_EQ(error(), "no error");

  const std::string other = "nvmlDeviceSetMigMode:";
  replace("semantics/values/by_hand.yaml", other, "nvmlDeviceGetGpuUptime_v1: \"Device::uptime\"\n" + other);
  EXPECT_TRUE(std::regex_search(error(), std::regex("by_hand\\.yaml:[0-9]+: nvmlDeviceGetGpuUptime_v1 is provisional")))
      << error();
  replace("semantics/values/by_hand.yaml", "nvmlDeviceGetGpuUptime_v1: \"Device::uptime\"\n" + other, other);

  replace("semantics/nvlink.yaml", "  versions: [nvmlNvLinkInfo_v2, nvmlNvLinkInfo_v1]\n",
          "  versions: [nvmlNvLinkInfo_v2, nvmlNvLinkInfo_v1]\n"
          "  chain: [nvmlDeviceGetNvLinkInfo, nvmlDeviceGetNvLinkInfo_v3]\n");
  replace("semantics/nvlink.yaml", "  provisional: \"no source names the function",
          "  chained_by: nvmlDeviceGetNvLinkInfo\n  provisional: \"no source names the function");
  EXPECT_NE(error().find("nvmlDeviceGetNvLinkInfo_v3: provisional, but in the chain of nvmlDeviceGetNvLinkInfo"),
            std::string::npos)
      << error();
}

TEST_F(Registry, RefusesAProvisionalFunctionWithoutAReason) {
  replace("semantics/nvlink.yaml",
          "\"no source names the function, only its struct; the name follows from the older version\"", "\"\"");
  EXPECT_NE(error().find("nvmlDeviceGetNvLinkInfo_v3 needs doc, on and as"), std::string::npos) << error();
}

TEST_F(Registry, RefusesFieldIdWithoutEntry) {
  replace("semantics/values/field_values.yaml",
          "NVML_FI_DEV_MEMORY_TEMP: {type: uint, read: gpu.thermal.temperature_memory_c}\n", "");
  EXPECT_NE(error().find("no entry for NVML_FI_DEV_MEMORY_TEMP"), std::string::npos) << error();
}

TEST_F(Registry, NamesFileAndLineOfUnknownKey) {
  replace("semantics/power.yaml", "  on: Device\n", "  upon: Device\n");
  EXPECT_TRUE(std::regex_search(error(), std::regex("power\\.yaml:[0-9]+: unknown key 'upon'"))) << error();
}

TEST_F(Registry, GeneratesTheSameTwice) {
  const auto first = all_outputs(load_registry(root_), {});
  const auto second = all_outputs(load_registry(root_), {});
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].text, second[i].text) << first[i].path;
}

TEST_F(Registry, SeesStaleAndForgottenFiles) {
  const auto outputs = all_outputs(load_registry(root_), {});
  const auto tree = root_ / "tree";
  EXPECT_EQ(write_outputs(tree, outputs).size(), outputs.size());
  EXPECT_TRUE(stale_outputs(tree, outputs).empty());
  std::ofstream(tree / "src/sim/generated/model.hpp", std::ios::app) << "// edited by hand\n";
  std::ofstream(tree / "src/sim/generated/left_over.hpp") << "\n";
  const auto stale = stale_outputs(tree, outputs);
  ASSERT_EQ(stale.size(), 2U);
  EXPECT_EQ(write_outputs(tree, outputs).size(), 1U);
}

TEST_F(Registry, RefusesCudaFunctionWithoutMeaning) {
  replace("cuda/semantics/memory.yaml", "  cuMemAlloc_v2:", "  cuMemAlloc_v9:");
  EXPECT_NE(error().find("cuMemAlloc_v2: no semantics"), std::string::npos) << error();
  EXPECT_NE(error().find("cuMemAlloc_v9: in memory.yaml, but no driver exports it"), std::string::npos) << error();
}

TEST_F(Registry, RefusesCudaFunctionWithTwoMeanings) {
  replace("cuda/semantics/memory.yaml", "refused:\n", "refused:\n  a reason: [cuMemAlloc_v2]\n");
  EXPECT_NE(error().find("cuMemAlloc_v2 twice"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAnOptionalPointerThatIsNone) {
  replace("cuda/semantics/copies.yaml", "optional: [srcHost]", "optional: [ByteCount]");
  EXPECT_NE(error().find("cuMemcpyHtoD_v2: ByteCount is no pointer of it"), std::string::npos) << error();
}

TEST_F(Registry, RefusesANullThatNoRuntimeTakes) {
  replace("cuda/runtime.yaml", "cudaFree: [devPtr]", "cudaFree: [size]");
  EXPECT_NE(error().find("cudaFree has no parameter size"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAFunctionThatNoRuntimeHas) {
  replace("cuda/runtime.yaml", "- cudaEGLStreamConsumerConnect\n", "- cudaConnectStreams\n");
  EXPECT_NE(error().find("cudaConnectStreams is exported by no runtime"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAttributesWithoutAnAnswer) {
  replace("cuda/attributes.yaml", "  WARP_SIZE: 32\n", "");
  EXPECT_NE(error().find("no answer for CU_DEVICE_ATTRIBUTE_WARP_SIZE"), std::string::npos) << error();
}

TEST_F(Registry, RefusesAttributesFromNowhere) {
  replace("cuda/attributes.yaml", "{field: gpu.memory.memory_bus_width}", "{field: gpu.memory.bus_width}");
  EXPECT_NE(error().find("gpu.memory.bus_width is no field of the model"), std::string::npos) << error();
}

}  // namespace
}  // namespace nvmlgen
