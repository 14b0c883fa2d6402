// Live values of a machine file with dynamic_metrics.
#include "telemetry_support.hpp"

namespace nvmlkit::sim::telemetry_test {
namespace {

std::string dynamic_machine(const std::string& what) {
  return "base: l40s\nsystem: {num_devices: 1}\ndevice_defaults: {dynamic_metrics: {seed: 5, " + what + "}}\n";
}

TEST(DynamicMetrics, TemperatureIsAWaveWithNoise) {
  Bench b(dynamic_machine("temperature: {base_c: 50, ramp_c: 20, ramp_period_sec: 120}"));
  EXPECT_EQ(b.celsius(), 60);
  b.pass(30);
  EXPECT_EQ(b.celsius(), 70);
  b.pass(60);
  EXPECT_EQ(b.celsius(), 50);
  Bench noisy(dynamic_machine("temperature: {base_c: 50, variance_c: 4}"));
  double lowest = 100, highest = 0;
  for (int i = 0; i < 300; ++i, noisy.pass(1)) {
    lowest = std::min(lowest, noisy.celsius());
    highest = std::max(highest, noisy.celsius());
  }
  EXPECT_GE(lowest, 46);
  EXPECT_LE(lowest, 47);
  EXPECT_LE(highest, 54);
  EXPECT_GE(highest, 53);
}

TEST(DynamicMetrics, PowerMovesWithinLimitsAndEnergyIsItsIntegral) {
  Bench b(dynamic_machine("power: {base_mw: 200000, variance_mw: 50000}"));
  const double start = b.joules();
  double sum = 0, lowest = 1e9, highest = 0;
  for (int i = 0; i < 5000; ++i) {
    b.pass(0.05);
    sum += b.instant_watts() * 0.05;
    b.pass(0.05);
    sum += b.instant_watts() * 0.05;
    lowest = std::min(lowest, b.instant_watts());
    highest = std::max(highest, b.instant_watts());
  }
  EXPECT_NEAR(b.joules() - start, sum, 0.001 * sum);
  EXPECT_GE(lowest, 150);
  EXPECT_LT(lowest, 165);
  EXPECT_LE(highest, 250);
  EXPECT_GT(highest, 235);
  Bench clamped(dynamic_machine("power: {base_mw: 340000, variance_mw: 50000}"));
  for (int i = 0; i < 100; ++i, clamped.pass(1)) EXPECT_LE(clamped.instant_watts(), 350);
}

TEST(DynamicMetrics, UtilizationKeepsToItsPattern) {
  const auto range = [](const std::string& pattern, double from, double to) {
    Bench b(dynamic_machine("utilization: {pattern: " + pattern +
                            ", gpu_min: 20, gpu_max: 60, memory_min: 10, memory_max: 18, burst_period_sec: 30}"));
    b.pass(from);
    std::pair<std::uint32_t, std::uint32_t> out{100, 0};
    for (double at = from; at < to; at += 1, b.pass(1)) {
      const auto gpu = *b.now()(b.gpu().utilization.gpu);
      out = {std::min(out.first, gpu), std::max(out.second, gpu)};
      EXPECT_GE(*b.now()(b.gpu().utilization.memory), 10u);
      EXPECT_LE(*b.now()(b.gpu().utilization.memory), 18u);
    }
    return out;
  };
  const auto within = [](std::pair<std::uint32_t, std::uint32_t> got, std::uint32_t low, std::uint32_t high) {
    return got.first >= low && got.second <= high && got.second - got.first > (high - low) / 2;
  };
  EXPECT_TRUE(within(range("idle", 0, 200), 20, 30));
  EXPECT_TRUE(within(range("busy", 0, 200), 50, 60));
  EXPECT_TRUE(within(range("steady", 0, 200), 20, 60));
  EXPECT_TRUE(within(range("burst", 0, 30), 20, 30));
  EXPECT_TRUE(within(range("burst", 30, 60), 50, 60));
}

TEST(DynamicMetrics, TheSeedDecides) {
  const auto course = [](const std::string& seed) {
    Bench b("base: l40s\nsystem: {num_devices: 1}\ndevice_defaults: {dynamic_metrics: {seed: " + seed +
            ", utilization: {pattern: steady}}}\n");
    std::vector<std::uint32_t> out;
    for (int i = 0; i < 50; ++i, b.pass(1)) out.push_back(*b.now()(b.gpu().utilization.gpu));
    return out;
  };
  EXPECT_EQ(course("7"), course("7"));
  EXPECT_NE(course("7"), course("8"));
}

}  // namespace
}  // namespace nvmlkit::sim::telemetry_test
