// The loader and the chains against NVIDIA's own libraries, which load on machines without a GPU as well.
// NVMLKIT_TEST_LIB_535, _550 and _555 name them; scripts/setup --print-env prints the variables.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nvmlkit/nvml.hpp>
#include <set>
#include <sstream>

namespace nvmlkit::nvml {
namespace {

// The functions that a library file defines, from its own symbol table and not through our loader.
std::set<std::string> exported_functions(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> names;
  const auto at = [&]<class T>(T* out, std::size_t offset) {
    if (offset + sizeof(T) > bytes.size()) return false;
    std::memcpy(out, bytes.data() + offset, sizeof(T));
    return true;
  };
  Elf64_Ehdr header{};
  if (!at(&header, 0)) return names;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{}, strings{};
    if (!at(&section, header.e_shoff + i * header.e_shentsize) || section.sh_type != SHT_DYNSYM) continue;
    if (!at(&strings, header.e_shoff + section.sh_link * std::size_t{header.e_shentsize})) continue;
    for (std::size_t offset = 0; offset + sizeof(Elf64_Sym) <= section.sh_size; offset += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      if (!at(&symbol, section.sh_offset + offset)) break;
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      names.insert(bytes.c_str() + strings.sh_offset + symbol.st_name);
    }
  }
  return names;
}

bool branch_exports(const Symbol& symbol, const std::string& branch) {
  std::istringstream branches(symbol.exported_by);
  for (std::string each; branches >> each;)
    if (each == branch) return true;
  return false;
}

// The member of a table that symbol n describes, as if it took nothing: only for calls that must not happen.
auto member_of(const Symbol& symbol) {
  using Member = abi::nvmlReturn_t (*Table::*)();
  static_assert(sizeof(Member) == sizeof(std::ptrdiff_t));
  return std::bit_cast<Member>(static_cast<std::ptrdiff_t>(symbol.offset));
}

class RealLibrary : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string variable = std::string("NVMLKIT_TEST_LIB_") + GetParam();
    const char* path = std::getenv(variable.c_str());
    if (!path || !std::filesystem::exists(path))
      GTEST_SKIP() << variable << " names no library: scripts/setup --print-env";
    path_ = std::filesystem::canonical(path);
  }

  std::string path_;
};

TEST_P(RealLibrary, TheTableHoldsEverySymbolThatItExports) {
  const auto exported = exported_functions(path_);
  ASSERT_GT(exported.size(), 200u);
  LoadedLibrary loaded = load({.path = path_}).value();
  std::size_t resolved = 0;
  for (const std::string& name : exported) {
    if (!name.starts_with("nvml")) continue;
    const Symbol* symbol = find_symbol(name);
    ASSERT_NE(symbol, nullptr) << name;
    void* function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(&loaded.table) + symbol->offset, sizeof function);
    ASSERT_NE(function, nullptr) << name;
    Dl_info info{};
    ASSERT_NE(::dladdr(function, &info), 0) << name;
    EXPECT_EQ(std::filesystem::canonical(info.dli_fname), path_) << name << " comes from elsewhere";
    ++resolved;
  }
  std::size_t filled = 0;
  for (const Symbol& symbol : symbols()) {
    void* function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(&loaded.table) + symbol.offset, sizeof function);
    filled += function != nullptr;
    EXPECT_EQ(function != nullptr, exported.contains(symbol.name)) << symbol.name;
    EXPECT_EQ(function != nullptr, branch_exports(symbol, GetParam())) << symbol.name << ": the facts say otherwise";
  }
  EXPECT_EQ(filled, resolved);
}

TEST_P(RealLibrary, AMissingSymbolSaysWhichHeaderBroughtIt) {
  const LoadedLibrary loaded = load({.path = path_}).value();
  Table table = loaded.table;  // the real one, with an init that succeeds without a GPU
  table.Init_v2 = [] { return abi::NVML_SUCCESS; };
  table.Shutdown = [] { return abi::NVML_SUCCESS; };
  const Library library = Library::from_table(table).value();
  int missing = 0;
  for (const Symbol& symbol : symbols()) {
    if (branch_exports(symbol, GetParam())) continue;
    ++missing;
    const Result<void> result = library.call(member_of(symbol));
    ASSERT_FALSE(result) << symbol.name;
    EXPECT_EQ(result.error().code(), Errc::function_not_found) << symbol.name;
    EXPECT_STREQ(result.error().function(), symbol.name);
    ASSERT_STRNE(symbol.since, "") << symbol.name << ": missing, and no header is known to declare it";
    const std::string note = std::string("(declared since NVML ") + symbol.since + ")";
    EXPECT_NE(result.error().message().find(note), std::string::npos) << result.error().message();
  }
  EXPECT_GT(missing, 40);
}

TEST_P(RealLibrary, AnswersDriverNotLoaded) {
  if (std::filesystem::exists("/proc/driver/nvidia/version")) GTEST_SKIP() << "this machine has a driver";
  const auto library = Library::open({.load = {.path = path_}});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), Errc::driver_not_loaded);
  EXPECT_STREQ(library.error().function(), "nvmlInit_v2");
  EXPECT_EQ(Library::open({.load = {.path = path_}, .flags = InitFlag::no_gpus}).error().code(),
            Errc::driver_not_loaded);
}

// Without an init, every chain ends at what the library itself says, and not at a symbol that it lacks.
TEST_P(RealLibrary, ChainsEndAtTheSymbolsThatAreThere) {
  const LoadedLibrary loaded = load({.path = path_}).value();
  Table table = loaded.table;
  table.Init_v2 = [] { return abi::NVML_SUCCESS; };
  table.Shutdown = [] { return abi::NVML_SUCCESS; };
  const Library library = Library::from_table(table).value();
  EXPECT_EQ(library.device_count().error().code(), Errc::uninitialized);
  EXPECT_EQ(library.device(0).error().code(), Errc::uninitialized);
  const Device device(library.session(), nullptr);
  EXPECT_EQ(device.memory_info().error().code(), Errc::uninitialized);
  EXPECT_EQ(device.remapped_rows().error().code(), Errc::uninitialized);
  EXPECT_EQ(device.accounting_stats(1).error().code(), Errc::uninitialized);
  EXPECT_EQ(device.compute_running_processes().error().code(), Errc::uninitialized);
  EXPECT_EQ(device.fan_speed().error().code(), Errc::uninitialized);
}

INSTANTIATE_TEST_SUITE_P(Branches, RealLibrary, testing::Values("535", "550", "555"),
                         [](const auto& branch) { return "Branch" + std::string(branch.param); });

}  // namespace
}  // namespace nvmlkit::nvml
