// Several headers one after the other, in any order, and `nvmlgen check` against their history.
#include "import_fixture.hpp"

namespace nvmlgen::testing_support {
namespace {

class ImportHistoryTest : public ImportTest {};

TEST_F(ImportHistoryTest, HistoryKeepsWhatChangedAndWent) {
  import(old_body, "1.0");
  import_new();
  const json history = read("history.json");
  EXPECT_EQ(history["headers"], json({"1.0", "2.0"}));
  EXPECT_EQ(history["removed_functions"]["nvmlDeviceForget"]["last_seen"], "1.0");
  EXPECT_EQ(history["removed_types"]["nvmlLost_t"]["kind"], "enum");
  EXPECT_EQ(history["functions_per_header"], json({{"1.0", 3}, {"2.0", 5}}));
  EXPECT_EQ(history["struct_layout_changes"]["nvmlGone_t"][1], json({{"from", "2.0"}, {"gone", true}}));
  EXPECT_EQ(history["struct_layout_changes"]["nvmlInfo_t"][1]["removed"], json({"first"}));
  EXPECT_EQ(history["constant_changes"]["NVML_MOVED"], json::parse(R"([["1.0", 10], ["2.0", 11]])"));
  EXPECT_EQ(history["constant_changes"]["NVML_DROPPED"], json::parse(R"([["1.0", 16], ["2.0", null]])"));
  EXPECT_EQ(history["signature_changes"]["nvmlDeviceGetInfo"].size(), 2u);

  // What went may come back: it is new again, but not younger.
  const Output back = import(old_body, "3.0");
  EXPECT_TRUE(has_line(back.out, "  nvmlDeviceForget")) << back.out;
  EXPECT_EQ(named("functions.json", "nvmlDeviceForget")["first_seen"], "1.0");
  EXPECT_EQ(named("structs.json", "nvmlGone_t")["first_seen"], "1.0");
  EXPECT_FALSE(read("history.json")["removed_functions"].contains("nvmlDeviceForget"));
}

TEST_F(ImportHistoryTest, OrderOfImportDoesNotMatterForNamesAndValues) {
  import(old_body, "1.0");
  import_new();
  const json functions = read("functions.json"), constants = read("constants.json"), history = read("history.json");
  fs::remove_all(facts());
  import_new();
  const Output older = import(old_body, "1.0");
  EXPECT_NE(older.out.find("1.0 is older than 2.0: only history is added"), std::string::npos) << older.out;
  EXPECT_EQ(read("constants.json"), constants);
  EXPECT_EQ(named("functions.json", "nvmlDeviceGetInfo")["first_seen"], "1.0");
  EXPECT_EQ(functions.size(), read("functions.json").size());
  for (const char* key : {"headers", "removed_functions", "removed_types", "constant_changes", "signature_changes"})
    EXPECT_EQ(read("history.json")[key], history[key]) << key;
}

TEST_F(ImportHistoryTest, SameHeaderAgainIsNoDriftAndNoChange) {
  import(old_body, "1.0");
  import_new();
  const std::string functions = read_file(fs::path(facts()) / "functions.json");
  const std::string history = read_file(fs::path(facts()) / "history.json");
  EXPECT_TRUE(has_line(import_new().out, "no drift"));
  EXPECT_EQ(read_file(fs::path(facts()) / "functions.json"), functions);
  EXPECT_EQ(read_file(fs::path(facts()) / "history.json"), history);
}

TEST_F(ImportHistoryTest, VersionComesFromTheHeader) {
  const fs::path plain = write_file(dir / "plain.h", header(old_body));
  ASSERT_EQ(nvmlgen_run({"import", plain.string(), "--facts", facts()}).code, 0);
  EXPECT_EQ(read("history.json")["headers"], json({"1"}));
  const fs::path marked = write_file(dir / "marked.h", "/*** NVML VERSION: 1.2.3 ***/\n" + header(old_body));
  ASSERT_EQ(nvmlgen_run({"import", marked.string(), "--facts", facts()}).code, 0);
  EXPECT_EQ(read("history.json")["headers"], json({"1", "1.2.3"}));
  // A bare major number does not tell whether this header is older or newer than 1.2.3.
  const fs::path unclear = write_file(dir / "unclear.h", header(new_body, "#define nvmlInit nvmlInit_v2\n"));
  const Output refused = nvmlgen_run({"import", unclear.string(), "--facts", facts()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("--version"), std::string::npos) << refused.err;
}

TEST_F(ImportHistoryTest, CheckTellsKnownFromContradiction) {
  import(old_body, "1.0");
  import_new();
  const auto check = [&](const std::string& body, const std::string& version) {
    const fs::path path = write_file(dir / "checked.h", header(body, "#define nvmlInit nvmlInit_v2\n"));
    return nvmlgen_run({"check", path.string(), "--facts", facts(), "--version", version});
  };
  EXPECT_EQ(check(new_body, "2.0").code, 0);
  const Output older = check(old_body, "1.0");
  EXPECT_EQ(older.code, 0) << older.out;
  EXPECT_TRUE(has_line(older.out, "known: value of NVML_MOVED: registry 11, header 10")) << older.out;
  const Output newest = check(old_body, "2.0");
  EXPECT_EQ(newest.code, 1);
  EXPECT_TRUE(has_line(newest.out, "contradiction: value of NVML_MOVED: registry 11, header 10")) << newest.out;
  EXPECT_NE(newest.out.find("contradiction: layout of nvmlInfo_t: registry 32 bytes, header 24 bytes"),
            std::string::npos);
  EXPECT_NE(newest.out.find("contradiction: signature of nvmlDeviceGetInfo"), std::string::npos);
  std::string changed = old_body;
  changed.replace(changed.find("NVML_MOVED 10"), 13, "NVML_MOVED 12");
  EXPECT_EQ(check(changed, "1.0").code, 1) << "an older header is not excused from what history does not know";
}

}  // namespace
}  // namespace nvmlgen::testing_support
