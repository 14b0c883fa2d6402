// `nvmlgen import-driver`: small shared libraries built byte by byte, whole, cut off and damaged.
#include <nlohmann/json.hpp>

#include "import/api.hpp"
#include "import/elf_symbols.hpp"
#include "import_support.hpp"
#include "small_library.hpp"

namespace nvmlgen::testing_support {
namespace {

using nlohmann::json;

TEST(ImportDriver, RecordsExportedSymbolsOfABranch) {
  TempDir dir;
  const std::string facts = (dir / "facts").string();
  const fs::path first = write_file(dir / "libnvidia-ml.so.535.1.2",
                                    small_library({"nvmlShutdown", "nvmlInit_v2", "other"}, {"nvmlNeeded"}));
  const Output result = nvmlgen_run({"import-driver", first.string(), "--branch", "535", "--facts", facts});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has_line(result.out, "branch 535 is new")) << result.out;
  const json drivers = json::parse(read_file(fs::path(facts) / "drivers.json"));
  EXPECT_EQ(drivers, json::parse(R"({"535": {"version": "535.1.2", "symbols": ["nvmlInit_v2", "nvmlShutdown"]}})"));

  const fs::path second = write_file(dir / "libnvidia-ml.so.535.3", small_library({"nvmlInit_v2", "nvmlDeviceNew"}));
  const Output update = nvmlgen_run({"import-driver", second.string(), "--facts", facts});
  EXPECT_NE(update.out.find(
                "version 535.1.2 -> 535.3\nnew symbols (1):\n  nvmlDeviceNew\nsymbols gone (1):\n  nvmlShutdown\n"),
            std::string::npos)
      << update.out;
}

TEST(ImportDriver, FollowsTheLinkToTheVersion) {
  TempDir dir;
  write_file(dir / "libnvidia-ml.so.550.9", small_library({"nvmlInit_v2"}));
  fs::create_symlink("libnvidia-ml.so.550.9", dir / "libnvidia-ml.so.1");
  EXPECT_EQ(headers::library_version(dir / "libnvidia-ml.so.1"), "550.9");
  const fs::path nameless = write_file(dir / "driver.so", small_library({"nvmlInit_v2"}));
  const std::string facts = (dir / "facts").string();
  EXPECT_EQ(nvmlgen_run({"import-driver", nameless.string(), "--facts", facts}).code, 1);
  EXPECT_EQ(
      nvmlgen_run({"import-driver", nameless.string(), "--version", "550.9", "--branch", "535", "--facts", facts}).code,
      1)
      << "a version of another branch";
  EXPECT_EQ(nvmlgen_run({"import-driver", nameless.string(), "--version", "550.9", "--facts", facts}).code, 0);
}

TEST(ImportDriver, EveryTruncationIsRefused) {
  TempDir dir;
  const std::string whole = small_library({"nvmlInit_v2", "nvmlShutdown"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const fs::path path = write_file(dir / "cut.so", whole.substr(0, size));
    EXPECT_THROW(headers::exported_symbols(path, "nvml"), headers::Error) << size << " bytes";
  }
}

TEST(ImportDriver, DamageIsRefusedOrHarmless) {
  TempDir dir;
  const std::string whole = small_library({"nvmlInit_v2", "nvmlShutdown"});
  // Each byte in turn becomes the largest one: offsets, sizes, counts and links all point far outside once.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = '\xff';
    const fs::path path = write_file(dir / "damaged.so", damaged);
    try {
      headers::exported_symbols(path, "nvml");
    } catch (const headers::Error& e) {
      EXPECT_NE(std::string(e.what()).find("damaged.so: "), std::string::npos);
    }
  }
}

TEST(ImportDriver, GarbageIsNamed) {
  TempDir dir;
  const std::string facts = (dir / "facts").string();
  const auto error = [&](const std::string& bytes) {
    const fs::path path = write_file(dir / "libnvidia-ml.so.535.1", bytes);
    const Output result = nvmlgen_run({"import-driver", path.string(), "--facts", facts});
    EXPECT_EQ(result.code, 1);
    return result.err;
  };
  EXPECT_NE(error("hello").find("is not an ELF file"), std::string::npos);
  std::string small = small_library({"nvmlInit_v2"});
  small[EI_CLASS] = ELFCLASS32;
  EXPECT_NE(error(small).find("64-bit"), std::string::npos);
  EXPECT_NE(error(small_library({"other"})).find("exports no nvml symbol"), std::string::npos);
  EXPECT_FALSE(fs::exists(facts));
}

}  // namespace
}  // namespace nvmlgen::testing_support
