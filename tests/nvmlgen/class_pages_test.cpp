// The pages of the classes: no function is missing, and what a method needs is said.
#include <gtest/gtest.h>

#include <set>

#include "emit/bindings_emitters.hpp"
#include "registry/registry.hpp"

namespace nvmlgen {
namespace {

const Registry& registry() {
  static const Registry loaded = load_registry(std::string(NVMLKIT_SOURCE_DIR) + "/registry");
  return loaded;
}

std::string page_of(const std::string& file) {
  for (const auto& page : emit_class_pages(registry().facts, registry().semantics))
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
  for (const auto& page : emit_class_pages(registry().facts, registry().semantics)) all += page.text;
  std::set<std::string> missing;
  for (const auto& [name, meaning] : registry().semantics.functions)
    if (!meaning.on.empty() && all.find('`' + name + '`') == std::string::npos) missing.insert(name);
  EXPECT_EQ(missing, std::set<std::string>());
}

TEST(ClassPages, AMethodHasItsSignatureFunctionAndNeeds) {
  const std::string entry = entry_of(page_of("device"), "set_accounting_mode");
  EXPECT_NE(entry.find("`Result<void> set_accounting_mode("), std::string::npos) << entry;
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

TEST(ClassPages, TheIndexNamesEveryClass) {
  const std::string index = page_of("index");
  for (const char* name : {"Library", "Device", "Unit", "GpuInstance", "ComputeInstance", "VgpuType", "VgpuInstance"})
    EXPECT_NE(index.find('[' + std::string(name) + ']'), std::string::npos) << name;
}

}  // namespace
}  // namespace nvmlgen
