// The built-in machines agree with what is known of their GPUs.
//
// The known facts live outside the repository; NVMLKIT_SHARED_FACTS_DIR names the folder that holds gpus.yaml.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compare.hpp"

namespace nvmlkit::profiles_test {
namespace {

class ProfileFactsTest : public ProfileTest {
 protected:
  void SetUp() override {
    if (GetParam().facts.empty()) GTEST_SKIP() << "the facts have no such GPU";
    const char* folder = std::getenv("NVMLKIT_SHARED_FACTS_DIR");
    if (folder == nullptr || *folder == '\0') {
      GTEST_SKIP() << "NVMLKIT_SHARED_FACTS_DIR does not name the folder that holds gpus.yaml";
    }
    const std::filesystem::path file = std::filesystem::path(folder) / "gpus.yaml";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
    const YAML::Node facts = YAML::LoadFile(file.string())["gpus"][std::string(GetParam().facts)];
    ASSERT_TRUE(facts.IsDefined()) << GetParam().facts << " is not among the facts";
    facts_.reset(facts);
  }

  // Reports `complaint`, unless the profile deviates here on purpose; a deviation without a complaint is stale.
  void judge(std::string_view fact, const std::optional<std::string>& complaint) {
    const auto* deviation = std::ranges::find_if(
        kDeviations, [&](const Deviation& one) { return one.profile == GetParam().name && one.facts == fact; });
    if (deviation == std::end(kDeviations)) {
      EXPECT_FALSE(complaint) << fact << ": " << *complaint;
    } else {
      EXPECT_TRUE(complaint) << fact << " agrees with the facts, strike the deviation: " << deviation->why;
    }
  }

  YAML::Node facts_;
};

TEST_P(ProfileFactsTest, ValuesAgree) {
  size_t compared = 0;
  for (const Row& row : kRows) {
    const YAML::Node fact = node_at(facts_, row.facts);
    if (!fact.IsDefined()) continue;
    ++compared;
    judge(row.facts, complaint(machine_, row, fact));
  }
  EXPECT_GT(compared, std::size(kRows) * (GetParam().partial ? 1 : 3) / 4) << "the facts have other names now";
}

TEST_P(ProfileFactsTest, NoFactIsOverlooked) {
  std::vector<std::string> paths;
  collect_paths(facts_, "", paths);
  for (const std::string& path : paths) {
    if (path.ends_with(".source")) continue;
    if (const YAML::Node fact = node_at(facts_, path); fact.IsScalar() && is_unknown(fact.Scalar())) continue;
    const auto covers = [&path](const auto& entry) { return is_within(path, entry.facts); };
    EXPECT_TRUE(std::ranges::any_of(kRows, covers) || std::ranges::any_of(kElsewhere, covers) ||
                std::ranges::any_of(kNotCompared, covers))
        << path << " is compared nowhere; name it in a table";
  }
}

TEST_P(ProfileFactsTest, SupportedClocks) {
  const std::vector<ClockList> lists = supported_clocks(machine_);
  const YAML::Node known = node_at(facts_, "clocks.supported");
  EXPECT_EQ(lists.size(), known.size());
  for (const ClockList& list : lists) {
    const YAML::Node fact = known[std::to_string(list.memory) + " MHz"];
    ASSERT_TRUE(fact.IsDefined()) << list.memory << " MHz is not known";
    EXPECT_EQ(list.graphics.front(), fact["max"].as<int64_t>()) << list.memory;
    EXPECT_EQ(list.graphics.back(), fact["min"].as<int64_t>()) << list.memory;
    EXPECT_EQ(list.graphics.size(), fact["count"].as<size_t>()) << list.memory;
    std::set<int64_t> steps;
    for (size_t i = 1; i < list.graphics.size(); ++i) steps.insert(list.graphics[i - 1] - list.graphics[i]);
    const auto known_steps = fact["steps"].as<std::vector<int64_t>>();
    EXPECT_EQ(steps, std::set(known_steps.begin(), known_steps.end())) << list.memory;
  }
}

TEST_P(ProfileFactsTest, ComputeCapability) {
  EXPECT_EQ(*machine_.text("compute_capability.major") + "." + *machine_.text("compute_capability.minor"),
            node_at(facts_, "compute.capability").Scalar());
}

TEST_P(ProfileFactsTest, BusIds) {
  if (!node_at(facts_, "pcie.bus_ids").IsDefined()) GTEST_SKIP() << "no capture tells the bus ids of one machine";
  const auto known = node_at(facts_, "pcie.bus_ids").as<std::vector<std::string>>();
  const bool same = machine_.bus_ids() == known;
  judge("pcie.bus_ids", same ? std::nullopt : std::optional<std::string>("the bus ids differ"));
}

TEST_P(ProfileFactsTest, IdleMargin) {
  const YAML::Node known = node_at(facts_, "thermal_c.idle_temp_plus_tlimit");
  const std::optional<int64_t> margin = machine_.number("thermal.tlimit_c");
  ASSERT_EQ(margin.has_value(), known.IsDefined()) << "either both know a margin or none";
  if (!margin) return;
  const auto sums = known.as<std::vector<int64_t>>();
  EXPECT_NE(std::ranges::find(sums, machine_.required("thermal.temperature_gpu_c") + *margin), sums.end());
}

TEST_P(ProfileFactsTest, MigGpuInstances) {
  int64_t most = 0;
  for (const YAML::Node& profile : node_at(facts_, "mig.profiles")) {
    most = std::max(most, profile["instances"].as<int64_t>());
  }
  EXPECT_EQ(machine_.number("mig.max_gpu_instances").value_or(0), most);
}

INSTANTIATE_TEST_SUITE_P(All, ProfileFactsTest, testing::ValuesIn(kProfiles), name_of);

}  // namespace
}  // namespace nvmlkit::profiles_test
