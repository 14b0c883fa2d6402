// `nvmlgen import` on small headers: what is printed, what is written, what is refused.
#include "import_fixture.hpp"

namespace nvmlgen::testing_support {
namespace {

TEST_F(ImportTest, EmptyRegistryNamesEverything) {
  const Output result = import(old_body, "1.0");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has_line(result.out, "drift (empty registry) -> 1.0")) << result.out;
  EXPECT_TRUE(has_line(result.out, "functions: 0 -> 3 (3 new, 0 gone, 0 signatures changed)")) << result.out;
  EXPECT_TRUE(has_line(result.out, "  nvmlDeviceForget"));
  EXPECT_EQ(read("constants.json")["NVML_TEXT"]["v"], "a\"b");
  const json value = named("functions.json", "nvmlDeviceGetValue");
  EXPECT_EQ(value["group"], "Things of interest");
  EXPECT_EQ(value["returns"], json({"NVML_SUCCESS", "NVML_ERROR_UNKNOWN"}));
  EXPECT_EQ(value["product"], "kepler+");
  EXPECT_EQ(named("structs.json", "nvmlInfo_t")["fields"][1]["dims_sym"], json({"NVML_KEPT + 7"}));
}

TEST_F(ImportTest, EveryKindOfDriftIsPrinted) {
  import(old_body, "1.0");
  const Output result = import_new();
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* line :
       {"drift 1.0 -> 2.0",
        "functions: 3 -> 5 (3 new, 1 gone, 1 signatures changed)",
        "new functions (3):",
        "  nvmlDeviceGetValue_v2",
        "  nvmlInit",
        "functions gone (1):",
        "  nvmlDeviceForget",
        "changed signatures (1):",
        "    was: enum nvmlReturn_enum (struct nvmlDevice_st *, nvmlInfo_t *)",
        "    now: enum nvmlReturn_enum (struct nvmlDevice_st *, nvmlInfo_t *, enum nvmlMode_enum)",
        "  nvmlDeviceGetValue (none) -> 2.0",
        "  nvmlInit (none) -> nvmlInit_v2",
        "  nvmlInfo_t: 24 -> 32 bytes; added extra; removed first; name moved from 4 to 0; name resized from 8 to 16",
        "renumbered (2):",
        "  NVML_MOVED 10 -> 11",
        "  NVML_MODE_COUNT 1 -> 2",
        "new structs (2):",
        "  nvmlData_v1_t",
        "structs gone (1):",
        "  nvmlGone_t",
        "new enums (1):",
        "  nvmlLevel_t",
        "enums gone (1):",
        "  nvmlLost_t",
        "  NVML_FRESH",
        "  NVML_MODE_B",
        "constants and enum values gone (2):",
        "  NVML_DROPPED",
        "  NVML_LOST_A"})
    EXPECT_TRUE(has_line(result.out, line)) << "missing: " << line << "\n" << result.out;
}

TEST_F(ImportTest, FactsHoldWhatTheHeaderSays) {
  import(old_body, "1.0");
  import_new();
  const json value = named("functions.json", "nvmlDeviceGetValue");
  EXPECT_EQ(value["deprecated"], "2.0");
  EXPECT_EQ(value["first_seen"], "1.0");
  EXPECT_EQ(value["returns"], json({"NVML_SUCCESS", "NVML_ERROR_UNKNOWN"})) << "kept from the last header with a text";
  EXPECT_EQ(value["doc_from"], "1.0");
  const json second = named("functions.json", "nvmlDeviceGetValue_v2");
  EXPECT_EQ(second["first_seen"], "2.0");
  EXPECT_EQ(second["params"][1], json::parse(R"({"name": "data", "type": "const nvmlData_t *",
      "canon": "const nvmlData_v1_t *", "ptr": 1, "base": "nvmlData_t", "kind": "struct"})"));
  EXPECT_EQ(named("functions.json", "nvmlInit")["guard"], "NVML_NO_UNVERSIONED_FUNC_DEFS");
  EXPECT_EQ(read("types.json")["aliases"]["functions"]["nvmlInit"], "nvmlInit_v2");
  const json data = named("structs.json", "nvmlData_v1_t");
  EXPECT_EQ(data["aliases"], json({"nvmlData_t"}));
  EXPECT_EQ(data["version_macro"]["nvmlData_v1"], 0x01000000 + 24);
  EXPECT_EQ(data["fields"][1]["type"], "union{}");
  EXPECT_EQ(data["fields"][1]["off"], 8);
  EXPECT_EQ(data["fields"][2]["elem_size"], 2);
  EXPECT_EQ(named("enums.json", "nvmlLevel_t")["values"]["NVML_LEVEL_LOW"], 0x80000000u);
  EXPECT_EQ(named("enums.json", "nvmlMode_t")["late"], json({{"NVML_MODE_B", "2.0"}}));
  const json constants = read("constants.json");
  EXPECT_EQ(constants["NVML_FRESH"]["t"], "long long");
  EXPECT_EQ(constants["NVML_ALSO"]["alias_of"], "NVML_FRESH");
  EXPECT_TRUE(constants["NVML_ALSO"]["deprecated"]);
  EXPECT_EQ(constants["NVML_MOVED"]["since"], "1.0");
  EXPECT_EQ(read("families.json")["nvmlInit"]["default"], "nvmlInit_v2");
}

TEST_F(ImportTest, CodesComeFromTheMemberThatThePlainNameMeans) {
  const std::string body = R"(
#ifdef NVML_NO_UNVERSIONED_FUNC_DEFS
nvmlReturn_t nvmlSetWait(nvmlDevice_t device);
#endif
/**
 * Waits.
 * @return
 *         - \ref NVML_SUCCESS on success
 */
nvmlReturn_t nvmlSetWait_v2(nvmlDevice_t device);
)";
  const std::string third = "nvmlReturn_t nvmlSetWait_v3(nvmlDevice_t device, unsigned int *wait);\n";
  const std::string alias = "#define nvmlSetWait nvmlSetWait_v2\n";
  import(body, "1.0", {}, alias);
  ASSERT_EQ(import(body + third, "2.0", {}, alias).code, 0);
  EXPECT_EQ(named("functions.json", "nvmlSetWait")["returns"], json({"NVML_SUCCESS"}));
  EXPECT_EQ(named("functions.json", "nvmlSetWait")["doc_from"], "nvmlSetWait_v2");
  EXPECT_EQ(named("functions.json", "nvmlSetWait_v3")["returns"], json::array()) << "it has no text";
}

TEST_F(ImportTest, DryRunWritesNothing) {
  EXPECT_EQ(import(old_body, "1.0", {"--dry-run"}).code, 0);
  EXPECT_FALSE(fs::exists(facts()));
}

TEST_F(ImportTest, NamesFunctionsWithoutSemantics) {
  write_file(dir / "registry/semantics/a.yaml",
             "# nvmlDeviceForget:\nnvmlDeviceGetValue:\n  chained_by: nvmlDeviceGetInfo\n");
  const Output result = import(old_body, "1.0");
  EXPECT_NE(result.out.find("semantics missing (2):\n  nvmlDeviceGetInfo\n  nvmlDeviceForget\n"), std::string::npos)
      << result.out;
}

TEST_F(ImportTest, BadHeadersFailWithTheirPlace) {
  const Output syntax = import("nvmlReturn_t nvmlBroken(nvmlDevice_t device\n", "1.0");
  EXPECT_EQ(syntax.code, 1);
  EXPECT_NE(syntax.err.find("nvml-1.0.h:"), std::string::npos) << syntax.err;
  EXPECT_NE(syntax.err.find(": "), std::string::npos);
  EXPECT_EQ(std::count(syntax.err.begin(), syntax.err.end(), '\n'), 1) << syntax.err;
  EXPECT_FALSE(fs::exists(facts())) << "a bad header must leave no facts";

  const fs::path empty = write_file(dir / "empty.h", "int unrelated(void);\n");
  EXPECT_NE(nvmlgen_run({"import", empty.string(), "--facts", facts()}).err.find("declares no nvml function"),
            std::string::npos);
  EXPECT_EQ(nvmlgen_run({"import", (dir / "missing.h").string(), "--facts", facts()}).code, 1);
  EXPECT_EQ(import(old_body, "new").code, 1) << "not a version";
  EXPECT_EQ(nvmlgen_run({"import"}).code, 2);
  EXPECT_EQ(nvmlgen_run({"import", "a", "--no-such-option"}).code, 2);
}

TEST_F(ImportTest, DamagedFactsAreNamed) {
  write_file(fs::path(facts()) / "functions.json", "[{\"name\": 3}]");
  const Output result = import(old_body, "1.0");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("functions.json"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace nvmlgen::testing_support
