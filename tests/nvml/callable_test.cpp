// Every function of the C API is reached by a method: counted against the registry, and looked for in the sources.
#include "callable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nvmlkit/table.hpp>
#include <set>
#include <sstream>
#include <string>

namespace nvmlkit::nvml {
namespace {

namespace fs = std::filesystem;

// Their declarations are not sure: no method may reach them.
constexpr const char* kProvisional[] = {"nvmlDeviceGetGpuUptime_v1", "nvmlDeviceGetNvLinkInfo_v3"};

TEST(Callable, EveryDeclaredFunctionOnce) {
  std::set<std::string> declared, reached;
  for (const Symbol& symbol : symbols())
    if (*symbol.since) declared.insert(symbol.name);
  EXPECT_EQ(declared.size(), 436u);
  for (const char* name : kProvisional) EXPECT_EQ(declared.erase(name), 1u) << name;
  for (const auto& callable : test::callables()) {
    EXPECT_TRUE(reached.insert(callable.function).second) << callable.function;
    EXPECT_STRNE(callable.cpp, "") << callable.function;
  }
  EXPECT_EQ(reached, declared);
  EXPECT_EQ(reached.size(), 434u);
}

std::string sources() {
  std::ostringstream text;
  for (const char* folder : {"src/bindings", "include/nvmlkit"})
    for (const auto& file : fs::recursive_directory_iterator(fs::path(NVMLKIT_SOURCE_DIR) / folder)) {
      const auto name = file.path().filename().string();
      // The table itself and the visitor of its members name every function, and call none.
      if (!file.is_regular_file() || name == "table.hpp" || name == "table_symbols.cpp" || name == "visit_members.hpp")
        continue;
      text << std::ifstream(file.path()).rdbuf();
    }
  return text.str();
}

bool calls(const std::string& text, const std::string& stem) {
  for (const std::string& prefix : {std::string("Table::"), std::string("table.")})
    for (auto at = text.find(prefix + stem); at != std::string::npos; at = text.find(prefix + stem, at + 1)) {
      const char next = text[at + prefix.size() + stem.size()];
      if (!std::isalnum(static_cast<unsigned char>(next)) && next != '_') return true;
    }
  return false;
}

TEST(Callable, TheBindingsCallEveryFunction) {
  const std::string text = sources();
  ASSERT_GT(text.size(), 100'000u);
  for (const char* name : kProvisional) EXPECT_FALSE(calls(text, name + 4)) << name;
  EXPECT_FALSE(calls(text, "DeviceGetNam"));
  for (const auto& callable : test::callables())
    EXPECT_TRUE(calls(text, std::string(callable.function).substr(4)))
        << callable.function << " is said to be reached by " << callable.cpp << ", but nothing calls it";
}

TEST(Callable, OlderVersionsAreReachedThroughOneThatIs) {
  for (const auto& callable : test::callables()) {
    if (!*callable.via) continue;
    const auto all = test::callables();
    const auto newest = std::find_if(all.begin(), all.end(),
                                     [&](const auto& other) { return std::string(other.function) == callable.via; });
    ASSERT_NE(newest, all.end()) << callable.function;
    EXPECT_STREQ(newest->via, "") << callable.function;
    EXPECT_STREQ(newest->cpp, callable.cpp);
  }
}

}  // namespace
}  // namespace nvmlkit::nvml
