// Samples of the controllers that weigh power against performance.
#include <memory>

#include "steered.hpp"

namespace nvmlkit::driver_test {
namespace {

using Samples = nvmlPerfMetricsSamples_v1_t;

class PerfMetrics : public Steered {
 protected:
  static unsigned int value(const char* name, unsigned int gpu = 0) {
    unsigned int out = 0;
    EXPECT_EQ(call(name, device(gpu), &out), NVML_SUCCESS) << name;
    return out;
  }
  static unsigned int clock(nvmlClockType_t type) {
    unsigned int mhz = 0;
    EXPECT_EQ(call("nvmlDeviceGetClockInfo", device(), type, &mhz), NVML_SUCCESS);
    return mhz;
  }
  static std::unique_ptr<Samples> samples() {
    auto out = std::make_unique<Samples>();
    out->numSamples = 999;
    EXPECT_EQ(call("nvmlDevicePerfMetricsGetSamples_v1", device(), out.get()), NVML_SUCCESS);
    EXPECT_EQ(out->numSamples, 13U);
    for (const auto& sample : out->samples) {
      EXPECT_EQ(sample.numControllerData, 2U);
      EXPECT_EQ(sample.controllerData[0].controllerType, 0U);
      EXPECT_EQ(sample.controllerData[1].controllerType, 1U);
    }
    return out;
  }
  static const nvmlObservedMetrics_t& observed(const Samples& all, std::size_t i = 12) {
    return all.samples[i].controllerData[0].data.dlppc2x.observedMetrics;
  }
  static const nvmlPwrModelMetricsPfpp1x_t& points(const Samples& all, std::size_t i = 12) {
    return all.samples[i].controllerData[1].data.pfpp1x.estimatedMetrics;
  }
  static double percent(const nvmlRailMetrics_t& rail) { return static_cast<double>(rail.utilPct) / 4096; }
};

TEST_F(PerfMetrics, AnIdleGpuIsSeenAndNothingIsEstimated) {
  begin("vr200");
  const auto all = samples();
  const auto& seen = observed(*all);
  EXPECT_EQ(seen.bValid, 1U);
  EXPECT_EQ(seen.coreRail.rails[0].freqkHz, clock(NVML_CLOCK_GRAPHICS) * 1000);
  EXPECT_EQ(seen.fbRail.freqkHz, clock(NVML_CLOCK_MEM) * 1000);
  EXPECT_EQ(seen.coreRail.rails[0].utilPct, 0U);
  EXPECT_EQ(seen.perfMetrics.perfms, 0U);
  for (const auto& estimates : seen.initialDramclkEst) EXPECT_EQ(estimates.numEstimatedMetrics, 0U);
  EXPECT_EQ(points(*all).bValid, 0U);
  EXPECT_EQ(points(*all).numVfPoints, 0U);
  EXPECT_EQ(points(*all).tgpHeadroommW, 2'300'000 - seen.tgpPwrTuple.pwrmW);
}

TEST_F(PerfMetrics, SamplesFollowThePhases) {
  begin("vr200");
  pass(10);
  load(80, 30);
  pass(0.55);  // the load began between the eighth and the seventh sample from the end
  const auto all = samples();
  unsigned int busy = 0;
  for (std::size_t i = 0; i < 13; ++i) {
    const bool works = observed(*all, i).coreRail.rails[0].utilPct != 0;
    EXPECT_EQ(works, points(*all, i).bValid != 0) << i;
    busy += works ? 1 : 0;
    EXPECT_TRUE(works || busy == 0) << i;
  }
  EXPECT_GE(busy, 5U);
  EXPECT_LE(busy, 6U);
  const auto& seen = observed(*all);
  EXPECT_DOUBLE_EQ(percent(seen.coreRail.rails[0]), 80);
  EXPECT_DOUBLE_EQ(percent(seen.fbRail), 30);
  EXPECT_EQ(seen.perfMetrics.perfms, 80U);
  EXPECT_NEAR(seen.coreRail.rails[0].freqkHz, clock(NVML_CLOCK_GRAPHICS) * 1000, 1);
  EXPECT_GT(seen.tgpPwrTuple.pwrmW, observed(*all, 0).tgpPwrTuple.pwrmW);
  load(0);
  pass(5);
  EXPECT_EQ(points(*samples()).bValid, 0U);
}

TEST_F(PerfMetrics, EstimatesOfOtherMemoryClocks) {
  begin("vr200");
  load(60, 50);
  pass(20);
  const auto all = samples();
  const auto& seen = observed(*all);
  const unsigned int memory_khz[] = {4'752'000, 3'996'000, 3'186'000};
  for (std::size_t m = 0; m < 3; ++m) {
    const auto& estimates = seen.initialDramclkEst[m];
    ASSERT_EQ(estimates.numEstimatedMetrics, 8U);
    for (std::size_t i = 0; i < 8; ++i) {
      const auto& here = estimates.estimatedMetrics[i];
      EXPECT_EQ(here.bValid, 1U);
      EXPECT_EQ(here.fbRail.freqkHz, memory_khz[m]);
      if (i == 0) continue;
      const auto& faster = estimates.estimatedMetrics[i - 1];
      EXPECT_LT(here.coreRail.rails[0].freqkHz, faster.coreRail.rails[0].freqkHz);
      EXPECT_LT(here.tgpPwrTuple.pwrmW, faster.tgpPwrTuple.pwrmW);
      EXPECT_GE(here.perfMetrics.perfms, faster.perfMetrics.perfms);
    }
    EXPECT_EQ(estimates.estimatedMetrics[0].coreRail.rails[0].freqkHz, 2'424'000U);
    EXPECT_EQ(estimates.estimatedMetrics[7].coreRail.rails[0].freqkHz, 120'000U);
  }
  // The clocks that the GPU has: what is expected is what was seen.
  const auto& same = seen.initialDramclkEst[0].estimatedMetrics[0];
  ASSERT_EQ(seen.coreRail.rails[0].freqkHz, 2'424'000U);
  EXPECT_EQ(same.perfMetrics.perfms, seen.perfMetrics.perfms);
  EXPECT_NEAR(same.tgpPwrTuple.pwrmW, seen.tgpPwrTuple.pwrmW, 1000);
  EXPECT_LT(seen.initialDramclkEst[2].estimatedMetrics[0].tgpPwrTuple.pwrmW, same.tgpPwrTuple.pwrmW);
}

TEST_F(PerfMetrics, ThePointsOfTheCurveAndTheBestOfThem) {
  begin("vr200");
  load(100, 20);
  pass(20);
  const auto all = samples();
  const auto& curve = points(*all);
  ASSERT_EQ(curve.numVfPoints, 32U);
  double best = 0;
  unsigned int best_khz = 0;
  for (const auto& point : curve.estimatedMetrics) {
    const double per_watt = static_cast<double>(point.freqkHz[0]) / point.estTgpPwrmW;
    if (per_watt > best) best_khz = point.freqkHz[0];
    best = std::max(best, per_watt);
    EXPECT_EQ(point.freqkHz[1], 0U);
  }
  EXPECT_EQ(curve.maxPerfPerWattPoint.freqkHz, best_khz);
  EXPECT_LT(best_khz, 2'424'000U);
  EXPECT_GT(best_khz, 120'000U);
  EXPECT_EQ(curve.fmaxAtVmaxPoint.freqkHz, 2'424'000U);
  EXPECT_EQ(curve.fmaxAtVmaxPoint.pwrmW, curve.estimatedMetrics[0].estTgpPwrmW);
  unsigned int limit = 0;
  ASSERT_EQ(call("nvmlDeviceGetPowerManagementLimit", device(), &limit), NVML_SUCCESS);
  EXPECT_EQ(curve.tgpHeadroommW, limit - observed(*all).tgpPwrTuple.pwrmW);
  // A lower limit leaves less.
  ASSERT_EQ(call("nvmlDeviceSetPowerManagementLimit", device(), 1'000'000U), NVML_SUCCESS);
  pass(20);
  const auto capped = samples();
  EXPECT_LE(observed(*capped).tgpPwrTuple.pwrmW, 1'001'000U);
  EXPECT_LT(points(*capped).tgpHeadroommW, 20'000U);
  EXPECT_LT(observed(*capped).coreRail.rails[0].freqkHz, 2'424'000U);
}

TEST_F(PerfMetrics, OlderGpusHaveNoSuchControllers) {
  begin("b200");
  auto out = std::make_unique<Samples>();
  EXPECT_EQ(call("nvmlDevicePerfMetricsGetSamples_v1", device(), out.get()), NVML_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace nvmlkit::driver_test
