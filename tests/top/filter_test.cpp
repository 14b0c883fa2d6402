// The words of a filter.
#include "top/filter.hpp"

#include <gtest/gtest.h>

namespace nvmlkit::top {
namespace {

GpuReadings a_gpu() {
  GpuReadings gpu;
  gpu.status = nvml::Errc::success;
  gpu.facts = Facts{"H100 80GB HBM3", "00000000:53:00.0", "GPU-1234", {}, {}, {}, false};
  gpu.row.utilization = 50;
  gpu.row.memory_used = 20;
  gpu.row.memory_total = 80;
  gpu.row.power = 300;
  gpu.row.temperature = 70;
  gpu.row.sm_clock = 1980;
  gpu.row.reasons = nvml::ClocksEventReason::gpu_idle;
  return gpu;
}

bool passes(std::string_view words) { return Filter(words).matches(3, a_gpu()); }

TEST(Filter, WithoutWordsEveryGpuPasses) {
  EXPECT_TRUE(passes(""));
  EXPECT_TRUE(passes("   "));
  EXPECT_TRUE(Filter("  ").empty());
}

TEST(Filter, FindsTextInNameBusIdAndUuid) {
  EXPECT_TRUE(passes("h100"));
  EXPECT_TRUE(passes("hbm3 53:00"));
  EXPECT_TRUE(passes("gpu-1234"));
  EXPECT_FALSE(passes("a100"));
  EXPECT_FALSE(passes("h100 a100"));
}

TEST(Filter, TakesIndicesAndRanges) {
  EXPECT_TRUE(passes("3"));
  EXPECT_TRUE(passes("2-4"));
  EXPECT_FALSE(passes("4"));
  EXPECT_FALSE(passes("4-9"));
  EXPECT_FALSE(Filter("3").needs_facts());
}

TEST(Filter, ComparesValues) {
  EXPECT_TRUE(passes("util>49"));
  EXPECT_FALSE(passes("util>50"));
  EXPECT_TRUE(passes("util>=50"));
  EXPECT_TRUE(passes("mem<=25 power<301 temp>=70 clock>1000"));
  EXPECT_FALSE(passes("mem<25"));
  EXPECT_FALSE(passes("temp<70"));
  EXPECT_TRUE(Filter("util>1").needs_values());
  auto silent = a_gpu();
  silent.row.utilization.reset();
  EXPECT_FALSE(Filter("util<1000").matches(0, silent));
}

TEST(Filter, KnowsStates) {
  EXPECT_TRUE(passes("busy"));
  EXPECT_FALSE(passes("lost"));
  EXPECT_FALSE(passes("throttled"));
  auto gpu = a_gpu();
  gpu.row.reasons = nvml::ClocksEventReason::sw_power_cap | nvml::ClocksEventReason::gpu_idle;
  EXPECT_TRUE(Filter("throttled").matches(0, gpu));
  gpu.status = nvml::Errc::gpu_is_lost;
  EXPECT_TRUE(Filter("LOST").matches(0, gpu));
}

TEST(Filter, AnyTextIsAFilter) {
  for (const char* words : {"util>", "util>x", ">5", "4-", "99999999999999999999999", "\xff"})
    EXPECT_FALSE(passes(words)) << words;
}

}  // namespace
}  // namespace nvmlkit::top
