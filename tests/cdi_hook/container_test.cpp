// What a runtime tells a hook, and what a container asks for.
#include "cdi_hook/container.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cdi_hook/share.hpp"
#include "sim/problem/text.hpp"

namespace nvmlkit::cdi_hook {
namespace {

namespace fs = std::filesystem;

class HookState : public testing::Test {
 protected:
  void SetUp() override {
    bundle_ = fs::path(testing::TempDir()) / ("bundle_" + std::to_string(getpid()));
    fs::create_directories(bundle_);
  }
  void TearDown() override { fs::remove_all(bundle_); }

  sim::Expected<Container> read(const std::string& text) const {
    std::istringstream state(text);
    return read_container(state);
  }
  Container read_state(const std::string& annotations, const std::string& config) const {
    if (!config.empty()) std::ofstream(bundle_ / "config.json") << config;
    const auto out = read(R"({"ociVersion": "1.0.2", "id": "c", "pid": 4711, "bundle": ")" + bundle_.string() +
                          R"(", "annotations": )" + annotations + "}");
    EXPECT_TRUE(out);
    return out ? *out : Container();
  }

  fs::path bundle_;
};

TEST_F(HookState, NamesProcessProgramAnnotationsAndVariables) {
  const auto container = read_state(R"({"a": "of the state"})", R"({
    "annotations": {"a": "of the bundle", "b": "2"},
    "process": {"args": ["python3", "train.py"], "env": ["PATH=/bin", "X=a=b", "EMPTY=", "bad"]}})");
  EXPECT_EQ(container.pid, 4711U);
  EXPECT_EQ(container.program, "python3");
  EXPECT_EQ(container.annotations, (std::map<std::string, std::string>{{"a", "of the state"}, {"b", "2"}}));
  EXPECT_EQ(container.variables, (std::map<std::string, std::string>{{"PATH", "/bin"}, {"X", "a=b"}, {"EMPTY", ""}}));
}

TEST_F(HookState, ABundleMayBeGoneOrBroken) {
  for (const auto* config : {"", "no json", "[]", R"({"process": 1, "annotations": []})",
                             R"({"process": {"args": [], "env": {}}})", R"({"process": {"args": [1], "env": [2]}})"}) {
    const auto container = read_state(R"({"a": "1", "b": 2})", config);
    EXPECT_EQ(container.annotations, (std::map<std::string, std::string>{{"a", "1"}})) << config;
    EXPECT_EQ(container.program, "") << config;
    EXPECT_TRUE(container.variables.empty()) << config;
  }
}

TEST_F(HookState, IsAnObject) {
  for (const auto* text : {"", "{", "[]", "null", "12", "\"state\""}) {
    const auto container = read(text);
    ASSERT_FALSE(container) << text;
    EXPECT_NE(sim::text_of(container.error()).find("is no JSON object"), std::string::npos);
  }
  for (const auto* text : {"{}", R"({"pid": -1, "bundle": 3, "annotations": "no"})", R"({"pid": "12"})"}) {
    const auto container = read(text);
    ASSERT_TRUE(container) << text;
    EXPECT_EQ(container->pid, 0U) << text;
  }
}

TEST(HookShare, AnnotationsComeBeforeVariablesAndThoseBeforeOptions) {
  Container container;
  auto share = share_of(container, "1GiB", "10%");
  ASSERT_TRUE(share);
  EXPECT_EQ(share->memory_bytes, 1ULL << 30);
  EXPECT_EQ(share->load_percent, 10U);
  container.variables = {{"NVMLKIT_MEMORY", "512Mi"}, {"NVMLKIT_LOAD", "20"}};
  share = share_of(container, "1GiB", "10%");
  ASSERT_TRUE(share);
  EXPECT_EQ(share->memory_bytes, 512ULL << 20);
  EXPECT_EQ(share->load_percent, 20U);
  container.annotations = {{"nvmlkit.io/memory", "2Gi"}, {"nvmlkit.io/load", "30%"}};
  share = share_of(container, "1GiB", "10%");
  ASSERT_TRUE(share);
  EXPECT_EQ(share->memory_bytes, 2ULL << 30);
  EXPECT_EQ(share->load_percent, 30U);
  container.annotations = {{"nvmlkit.io/memory", ""}, {"nvmlkit.io/load", "0%"}};
  share = share_of(container, "1GiB", "10%");
  ASSERT_TRUE(share);
  EXPECT_FALSE(share->any()) << "a container may ask for nothing";
}

TEST(HookShare, AWrongValueNamesItsSource) {
  const auto text = [](const Container& container, const char* memory = "", const char* load = "") {
    const auto share = share_of(container, memory, load);
    return share ? std::string() : sim::text_of(share.error());
  };
  EXPECT_EQ(text({.annotations = {{"nvmlkit.io/load", "80 %"}}}),
            "annotation nvmlkit.io/load: expected a whole percentage from 0% to 100%, got '80 %'");
  EXPECT_EQ(text({.variables = {{"NVMLKIT_MEMORY", "1TB"}}}),
            "variable NVMLKIT_MEMORY: expected bytes, or a number with Ki, Mi or Gi, got '1TB'");
  EXPECT_NE(text({}, "", "101%").find("option of the hook"), std::string::npos);
  EXPECT_NE(text({}, "99999999999GiB").find("option of the hook"), std::string::npos);
}

}  // namespace
}  // namespace nvmlkit::cdi_hook
