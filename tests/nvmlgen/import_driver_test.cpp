// `nvmlgen import-driver`: small shared libraries built byte by byte, whole, cut off and damaged.
#include <elf.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "import/api.hpp"
#include "import/elf_symbols.hpp"
#include "import_support.hpp"

namespace nvmlgen::testing_support {
namespace {

using nlohmann::json;

template <class T>
void put(std::string& bytes, std::size_t offset, const T& value) {
  if (bytes.size() < offset + sizeof value) bytes.resize(offset + sizeof value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// Header, names, symbols and three sections, in this order.
std::string library(const std::vector<std::string>& defined, const std::vector<std::string>& needed = {}) {
  std::string names(1, '\0'), bytes;
  std::vector<Elf64_Sym> symbols(1);
  auto add = [&](const std::string& name, bool here) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = here ? 1 : SHN_UNDEF;
    names += name + '\0';
    symbols.push_back(symbol);
  };
  for (const std::string& name : defined) add(name, true);
  for (const std::string& name : needed) add(name, false);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  Elf64_Shdr symbol_section{}, name_section{};
  name_section.sh_type = SHT_STRTAB;
  name_section.sh_offset = sizeof header;
  name_section.sh_size = names.size();
  symbol_section.sh_type = SHT_DYNSYM;
  symbol_section.sh_link = 2;
  symbol_section.sh_offset = sizeof header + names.size();
  symbol_section.sh_size = symbols.size() * sizeof(Elf64_Sym);
  header.e_shoff = symbol_section.sh_offset + symbol_section.sh_size;

  put(bytes, 0, header);
  bytes += names;
  for (const Elf64_Sym& symbol : symbols) put(bytes, bytes.size(), symbol);
  put(bytes, bytes.size(), Elf64_Shdr{});
  put(bytes, bytes.size(), symbol_section);
  put(bytes, bytes.size(), name_section);
  return bytes;
}

TEST(ImportDriver, RecordsExportedSymbolsOfABranch) {
  TempDir dir;
  const std::string facts = (dir / "facts").string();
  const fs::path first =
      write_file(dir / "libnvidia-ml.so.535.1.2", library({"nvmlShutdown", "nvmlInit_v2", "other"}, {"nvmlNeeded"}));
  const Output result = nvmlgen_run({"import-driver", first.string(), "--branch", "535", "--facts", facts});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has_line(result.out, "branch 535 is new")) << result.out;
  const json drivers = json::parse(read_file(fs::path(facts) / "drivers.json"));
  EXPECT_EQ(drivers, json::parse(R"({"535": {"version": "535.1.2", "symbols": ["nvmlInit_v2", "nvmlShutdown"]}})"));

  const fs::path second = write_file(dir / "libnvidia-ml.so.535.3", library({"nvmlInit_v2", "nvmlDeviceNew"}));
  const Output update = nvmlgen_run({"import-driver", second.string(), "--facts", facts});
  EXPECT_NE(update.out.find(
                "version 535.1.2 -> 535.3\nnew symbols (1):\n  nvmlDeviceNew\nsymbols gone (1):\n  nvmlShutdown\n"),
            std::string::npos)
      << update.out;
}

TEST(ImportDriver, FollowsTheLinkToTheVersion) {
  TempDir dir;
  write_file(dir / "libnvidia-ml.so.550.9", library({"nvmlInit_v2"}));
  fs::create_symlink("libnvidia-ml.so.550.9", dir / "libnvidia-ml.so.1");
  EXPECT_EQ(headers::library_version(dir / "libnvidia-ml.so.1"), "550.9");
  const fs::path nameless = write_file(dir / "driver.so", library({"nvmlInit_v2"}));
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
  const std::string whole = library({"nvmlInit_v2", "nvmlShutdown"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const fs::path path = write_file(dir / "cut.so", whole.substr(0, size));
    EXPECT_THROW(headers::exported_symbols(path, "nvml"), headers::Error) << size << " bytes";
  }
}

TEST(ImportDriver, DamageIsRefusedOrHarmless) {
  TempDir dir;
  const std::string whole = library({"nvmlInit_v2", "nvmlShutdown"});
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
  std::string small = library({"nvmlInit_v2"});
  small[EI_CLASS] = ELFCLASS32;
  EXPECT_NE(error(small).find("64-bit"), std::string::npos);
  EXPECT_NE(error(library({"other"})).find("exports no nvml symbol"), std::string::npos);
  EXPECT_FALSE(fs::exists(facts));
}

}  // namespace
}  // namespace nvmlgen::testing_support
