// The pages of the classes: no function is missing, and what a method needs is said.
#include <gtest/gtest.h>

#include <set>

#include "emit/bindings/emitters.hpp"
#include "import/public_headers.hpp"
#include "registry/registry.hpp"

namespace nvmlgen {
namespace {

const Registry& registry() {
  static const Registry loaded = load_registry(std::string(NVMLKIT_SOURCE_DIR) + "/registry");
  return loaded;
}

const std::vector<ClassPage>& pages() {
  static const std::vector<ClassPage> all =
      emit_class_pages(registry(), read_public_headers(std::string(NVMLKIT_SOURCE_DIR) + "/include/nvmlkit"));
  return all;
}

std::string page_of(const std::string& file) {
  for (const auto& page : pages())
    if (page.file == file) return page.text;
  return {};
}

// From a method's heading to the next one.
std::string entry_of(const std::string& page, const std::string& method) {
  const auto begin = page.find("\n### " + method + "\n");
  if (begin == std::string::npos) return {};
  return page.substr(begin, page.find("\n### ", begin + 1) - begin);
}

TEST(ClassPages, EveryFunctionOfAClassIsFoundByItsCName) {
  std::string all;
  for (const auto& page : pages()) all += page.text;
  std::set<std::string> missing;
  for (const auto& [name, meaning] : registry().semantics.functions)
    if (!meaning.on.empty() && all.find('`' + name + '`') == std::string::npos) missing.insert(name);
  EXPECT_EQ(missing, std::set<std::string>());
}

TEST(ClassPages, AMethodHasItsSignatureFunctionAndNeeds) {
  const std::string entry = entry_of(page_of("device"), "set_accounting_mode");
  EXPECT_NE(entry.find("\nResult<void> set_accounting_mode(bool mode) const\n"), std::string::npos) << entry;
  EXPECT_NE(entry.find("C: `nvmlDeviceSetAccountingMode` (since 11.0)"), std::string::npos) << entry;
  EXPECT_NE(entry.find("Needs kepler or newer. Needs root."), std::string::npos) << entry;
  EXPECT_NE(entry.find("`no_permission`"), std::string::npos) << entry;
}

TEST(ClassPages, TheVersionsOfAFamilyAreOneEntry) {
  const std::string page = page_of("device");
  const std::string entry = entry_of(page, "memory_info");
  EXPECT_NE(entry.find("`nvmlDeviceGetMemoryInfo_v2`"), std::string::npos) << entry;
  EXPECT_NE(entry.find("`nvmlDeviceGetMemoryInfo` "), std::string::npos) << entry;
  EXPECT_EQ(page.find("### memory_info_v1"), std::string::npos);
}

TEST(ClassPages, MethodsByHandHaveTheirDeclarationAndComment) {
  const std::string wait = entry_of(page_of("event_set"), "wait");
  EXPECT_NE(wait.find("wait(std::chrono::milliseconds timeout, std::stop_token stop = {})\n```"), std::string::npos)
      << wait;
  EXPECT_NE(wait.find("milliseconds::max() waits for ever"), std::string::npos) << wait;
  EXPECT_NE(wait.find("C: `nvmlEventSetWait_v2`"), std::string::npos) << wait;
  EXPECT_NE(page_of("sampler").find("\n### tick\n"), std::string::npos);
  EXPECT_NE(page_of("mig_device").find("[memory_info](device.md#memory_info)"), std::string::npos);
  EXPECT_EQ(page_of("library").find("SessionPtr session)"), std::string::npos) << "a private constructor";
  EXPECT_NE(page_of("plain_types").find("struct Event {\n  Device device;"), std::string::npos);
}

// Only what drivers export and no header declares is without a method, and what is provisional.
TEST(ClassPages, EveryFunctionOfAHeaderHasAMethod) {
  int provisional = 0;
  for (const auto& page : pages())
    for (auto at = page.text.find("No method:"); at != std::string::npos; at = page.text.find("No method:", at + 1)) {
      const std::string entry = page.text.substr(at, page.text.find("\n\n", at + 50) - at);
      const auto begin = page.text.rfind("\n### ", at);
      if (page.text.substr(begin, at - begin).find("\nProvisional: ") != std::string::npos) {
        ++provisional;
        continue;
      }
      EXPECT_EQ(entry.find("(since"), std::string::npos) << page.file << ": " << entry;
    }
  EXPECT_EQ(provisional, 2);
}

TEST(ClassPages, EverySymbolIsInTheIndexByName) {
  const std::string index = emit_symbol_index(registry());
  std::size_t declared = 0;
  for (const auto& function : registry().facts.functions) {
    EXPECT_NE(index.find("\n| `" + function.name + "` | "), std::string::npos) << function.name;
    declared += !function.library_only;
  }
  EXPECT_GE(declared, 413U);
}

TEST(ClassPages, TheIndexNamesEveryClass) {
  const std::string index = page_of("index");
  for (const char* name : {"Library", "Device", "MigDevice", "GpuInstance", "ComputeInstance", "Unit", "EventSet",
                           "SystemEventSet", "VgpuType", "VgpuInstance", "GpmSample"})
    EXPECT_NE(index.find('[' + std::string(name) + ']'), std::string::npos) << name;
}

}  // namespace
}  // namespace nvmlgen
