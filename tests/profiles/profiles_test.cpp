// The built-in machines: each agrees with itself.
#include "profiles.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nvmlkit::profiles_test {
namespace {

TEST_P(ProfileTest, DevicesAreCountedAndInBusOrder) {
  ASSERT_EQ(machine_.devices().size(), GetParam().gpus);
  for (size_t i = 0; i < GetParam().gpus; ++i) EXPECT_EQ(machine_.devices()[i]["index"].as<size_t>(), i);
  const std::vector<std::string> ids = machine_.bus_ids();
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size()) << "a bus id stands twice";
}

TEST_P(ProfileTest, MemoryAddsUp) {
  const int64_t total = machine_.required("memory.total_bytes");
  const int64_t taken = known("memory.reserved_bytes").value_or(0) + machine_.required("memory.used_bytes");
  EXPECT_GT(total, taken);
  EXPECT_EQ(machine_.number("memory.free_bytes").value_or(total - taken), total - taken);
  // The CPU reaches the memory of a superchip without a window.
  const bool superchip = GetParam().gpus == 1 && machine_.text("addressing_mode") == "ats";
  const std::optional<int64_t> bar1 =
      superchip ? machine_.number("bar1_memory.total_bytes") : known("bar1_memory.total_bytes");
  EXPECT_EQ(superchip, !bar1 && !GetParam().partial);
  if (!bar1) return;
  const int64_t bar1_total = *bar1;
  const int64_t bar1_used = machine_.required("bar1_memory.used_bytes");
  EXPECT_GT(bar1_total, bar1_used);
  EXPECT_EQ(machine_.number("bar1_memory.free_bytes").value_or(bar1_total - bar1_used), bar1_total - bar1_used);
}

TEST_P(ProfileTest, PowerLimitsAreOrdered) {
  for (const std::string group : {"power.", "module_power."}) {
    const std::optional<int64_t> lowest = machine_.number(group + "min_limit_mw");
    if (!lowest && (group == "module_power." || GetParam().partial)) continue;
    const int64_t standard = machine_.required(group + "default_limit_mw");
    const int64_t limit = machine_.number(group + "limit_mw").value_or(standard);
    const int64_t highest = machine_.required(group + "max_limit_mw");
    EXPECT_LE(lowest, standard) << group;
    EXPECT_LE(standard, highest) << group;
    EXPECT_LE(lowest, limit) << group;
    EXPECT_LE(limit, highest) << group;
    EXPECT_LT(machine_.required(group + "instant_draw_mw"), limit) << group;
  }
}

// The functions of both succeed on every GPU: driver.Values.WhatBindingsAskOfEveryGpu.
TEST_P(ProfileTest, CapabilitiesAndClockOffsetsAreKnown) {
  EXPECT_TRUE(machine_.text("egm"));
  for (const std::string clock : {"clocks.graphics_offset", "clocks.memory_offset"}) {
    EXPECT_EQ(machine_.required(clock), 0);
    EXPECT_LE(machine_.required(clock + "_min"), 0);
    EXPECT_GE(machine_.required(clock + "_max"), 0);
  }
}

TEST_P(ProfileTest, ThresholdsAreOrdered) {
  if (machine_.number("thermal.tlimit_c")) {
    EXPECT_LT(machine_.required("thermal.shutdown_tlimit_c"), machine_.required("thermal.slowdown_tlimit_c"));
    EXPECT_LT(machine_.required("thermal.slowdown_tlimit_c"), machine_.required("thermal.max_operating_tlimit_c"));
    // Margins and, on an H100 with driver 580, degrees too.
    if (machine_.number("thermal.slowdown_threshold_c")) {
      EXPECT_LT(machine_.required("thermal.slowdown_threshold_c"), machine_.required("thermal.shutdown_threshold_c"));
    }
  } else if (known("thermal.max_operating_c")) {
    EXPECT_LT(machine_.required("thermal.temperature_gpu_c"), machine_.required("thermal.max_operating_c"));
    EXPECT_LT(machine_.required("thermal.max_operating_c"), machine_.required("thermal.slowdown_threshold_c"));
    EXPECT_LT(machine_.required("thermal.slowdown_threshold_c"), machine_.required("thermal.shutdown_threshold_c"));
  }
}

TEST_P(ProfileTest, PcieLinkIsWithinItsMaximum) {
  if (!known("pcie.current_link_gen")) return;
  EXPECT_LE(machine_.required("pcie.current_link_gen"), machine_.required("pcie.max_link_gen"));
  EXPECT_LE(machine_.required("pcie.max_link_gen"), machine_.required("pcie.device_max_link_gen"));
  EXPECT_LE(machine_.required("pcie.current_link_width"), machine_.required("pcie.max_link_width"));
}

TEST_P(ProfileTest, SupportedClocksAreSortedAndHoldTheOthers) {
  const std::vector<ClockList> lists = supported_clocks(machine_);
  // The text of `nvidia-smi -q`, all that is known of some GPUs, has no list.
  if (lists.empty() && (GetParam().partial || GetParam().facts.empty())) GTEST_SKIP() << "no capture lists the clocks";
  ASSERT_FALSE(lists.empty());
  EXPECT_TRUE(std::ranges::is_sorted(lists, std::ranges::greater_equal{}, &ClockList::memory));
  for (const ClockList& list : lists) {
    ASSERT_FALSE(list.graphics.empty()) << list.memory;
    EXPECT_EQ(std::ranges::adjacent_find(list.graphics, std::ranges::less_equal{}), list.graphics.end())
        << "the graphics clocks of " << list.memory << " MHz must fall";
  }
  EXPECT_EQ(machine_.required("clocks.memory_max"), lists.front().memory);
  EXPECT_EQ(machine_.required("clocks.graphics_max"), lists.front().graphics.front());
  for (const std::string suffix : {"_app", "_app_default"}) {
    const bool settable = machine_.number("clocks.memory" + suffix).has_value();
    EXPECT_EQ(settable, machine_.number("clocks.graphics" + suffix).has_value()) << suffix;
    if (!settable && (has_no_applications_clocks() || machine_.text("brand") == "geforce")) continue;
    const auto list = std::ranges::find(lists, machine_.required("clocks.memory" + suffix), &ClockList::memory);
    ASSERT_NE(list, lists.end()) << suffix;
    EXPECT_NE(std::ranges::find(list->graphics, machine_.required("clocks.graphics" + suffix)), list->graphics.end())
        << suffix;
  }
  EXPECT_LE(machine_.required("clocks.graphics_current"), machine_.required("clocks.graphics_max"));
  EXPECT_LE(machine_.required("clocks.memory_current"), machine_.required("clocks.memory_max"));
  EXPECT_LE(machine_.required("clocks.video_current"), machine_.required("clocks.video_max"));
}

TEST_P(ProfileTest, StartsIdleAndHealthy) {
  // No driver before branch 570 knows Blackwell; its captures are of 580. The one of Rubin is of 615.
  const auto architecture = machine_.text("/device_defaults.architecture");
  const bool blackwell = architecture == "blackwell", rubin = architecture == "rubin";
  EXPECT_EQ(std::stoi(machine_.text("/system.driver_version").value_or("0")), rubin ? 615 : blackwell ? 580 : 550);
  EXPECT_EQ(machine_.required("/system.cuda_version_major"), blackwell || rubin ? 13 : 12);
  EXPECT_EQ(machine_.required("/system.cuda_version_minor"), blackwell ? 0 : 4);
  EXPECT_EQ(machine_.text("clocks_throttle_reasons.gpu_idle"), "true");
  for (const std::string engine : {"gpu", "memory", "encoder", "decoder", "jpeg", "ofa"}) {
    // Engines that came with Turing and Ampere.
    if (machine_.text("architecture") == "volta" && (engine == "jpeg" || engine == "ofa")) {
      EXPECT_FALSE(machine_.number("utilization." + engine)) << engine;
      continue;
    }
    EXPECT_EQ(machine_.required("utilization." + engine), 0) << engine;
  }
  EXPECT_EQ(machine_.required("memory.used_bytes"), 0);
  // A Jetson reports neither power nor energy.
  if (!GetParam().partial || machine_.number("power.total_energy_consumption_mj")) {
    EXPECT_EQ(machine_.required("power.total_energy_consumption_mj"), 0);
  }
  // Fans stand still; a GPU that controls none has no speed.
  EXPECT_EQ(machine_.number("fan.speed_percent").value_or(-1), machine_.required("fan.count") > 0 ? 0 : -1);
  // A GPU repairs its memory by retiring pages or by remapping rows, and has done neither yet.
  const bool remaps = machine_.find("remapped_rows").IsDefined();
  if (remaps || !GetParam().partial) {
    EXPECT_EQ(machine_.text("retired_pages.supported").value_or("false"), remaps ? "false" : "true");
  }
  if (remaps) {
    EXPECT_EQ(machine_.required("remapped_rows.correctable"), 0);
    EXPECT_EQ(machine_.required("remapped_rows.uncorrectable"), 0);
    EXPECT_EQ(machine_.text("remapped_rows.pending"), "false");
    EXPECT_EQ(machine_.text("remapped_rows.failure_occurred"), "false");
  }
  EXPECT_EQ(machine_.text("ecc.sram.threshold_exceeded").value_or("false"), "false");
}

INSTANTIATE_TEST_SUITE_P(All, ProfileTest, testing::ValuesIn(kProfiles), name_of);

}  // namespace
}  // namespace nvmlkit::profiles_test
