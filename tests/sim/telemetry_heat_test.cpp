// Heat: its closed forms against integration, throttling, fans.
#include "sim/telemetry/heat.hpp"
#include "telemetry_support.hpp"

namespace nvmlkit::sim::telemetry_test {
namespace {

// A GPU that cannot cool its full load stays at its limit, and its power falls towards what it can cool.
TEST(Telemetry, HeatHoldsTheTemperature) {
  Bench b(h100 + "device_defaults: {telemetry: {slow_rise_mc_per_w: 200}}\n");
  b.load(100);
  double hottest = 0;
  for (int i = 0; i < 600; ++i, b.pass(0.5)) hottest = std::max(hottest, b.celsius());
  EXPECT_EQ(hottest, 29 + 58);
  EXPECT_EQ(b.celsius(), 87);
  EXPECT_TRUE(b.too_warm());
  EXPECT_FALSE(b.much_too_warm());
  EXPECT_EQ(*b.now()(b.gpu().thermal.tlimit_c), 0);
  EXPECT_NEAR(b.watts(), 68.57 + 58 / 0.216, 0.5);  // what fast and slow rise together cool at 58 C
  EXPECT_LT(b.graphics_mhz(), 1980u);
  EXPECT_GT(*b.now()(b.gpu().clocks_throttle_reasons.counters.sw_thermal_slowdown_us), 200'000'000u);
  b.unload();
  b.pass(1000);
  EXPECT_EQ(b.celsius(), 29);
  EXPECT_EQ(b.graphics_mhz(), 345u);
  EXPECT_FALSE(b.too_warm());
}

// Without any cooling even the lowest clock is too much: past the software limit, then past the hardware's.
TEST(Telemetry, HeatBeyondTheHardwareLimit) {
  Bench b(h100 + "device_defaults: {telemetry: {slow_rise_mc_per_w: 5000}}\n");
  b.load(100);
  b.pass(1000);
  EXPECT_GT(b.celsius(), 89);
  EXPECT_TRUE(b.too_warm());
  EXPECT_TRUE(b.much_too_warm());
  EXPECT_TRUE(*b.now()(b.gpu().clocks_throttle_reasons.hw_slowdown));
  EXPECT_EQ(b.graphics_mhz(), 345u);
  EXPECT_GT(*b.now()(b.gpu().clocks_throttle_reasons.counters.hw_thermal_slowdown_us), 100'000'000u);
}

TEST(Telemetry, FansFollowTheHeat) {
  Bench b(
      "base: l40s\nsystem: {num_devices: 1}\ndevice_defaults: {fan: {count: 1, speed_percent: 30, speed_rpm: 1200}}\n");
  EXPECT_EQ(*b.now()(b.gpu().fan.speed_percent), 30u);
  b.load(100);
  b.pass(60);
  const auto percent = *b.now()(b.gpu().fan.speed_percent);
  EXPECT_GT(percent, 45u);
  EXPECT_NEAR(*b.now()(b.gpu().fan.speed_rpm), 40.0 * percent, 40);
}

TEST(Telemetry, AFanThatFailsCoolsNothing) {
  Bench b("base: rtx4090\nsystem: {num_devices: 1}\n");
  b.load(30);
  b.pass(300);
  const auto before = b.celsius();
  b.change([](model::Gpu& gpu) { gpu.faults.fans_failed = 1; });
  EXPECT_NEAR(b.celsius(), before, 1);
  b.pass(60);
  EXPECT_GT(b.celsius(), before + 10);
  b.change([](model::Gpu& gpu) { gpu.faults.fans_failed = 0; });
  b.pass(300);
  EXPECT_NEAR(b.celsius(), before, 4);
}

// What the closed forms say against a plain integration in small steps.
TEST(Heat, CoursesAndHoldAgreeWithIntegration) {
  const telemetry::Cooling cooling{{0.02, 0.7}, {0.05, 20}};
  telemetry::Warmth warmth{9, 11};
  const auto held = telemetry::hold(cooling, warmth);
  const auto fast = cooling.fast_course(warmth, 250), slow = cooling.slow_course(warmth, 250);
  telemetry::Warmth plain = warmth, plain_held = warmth;
  double joules = 0;
  constexpr double kStep = 1e-4;
  for (int i = 0; i < 300'000; ++i) {
    const double watts = cooling.holding_watts(plain_held);
    joules += watts * kStep;
    plain_held.fast += (cooling.fast.rise * watts - plain_held.fast) / cooling.fast.time * kStep;
    plain_held.slow += (cooling.slow.rise * watts - plain_held.slow) / cooling.slow.time * kStep;
    plain.fast += (cooling.fast.rise * 250 - plain.fast) / cooling.fast.time * kStep;
    plain.slow += (cooling.slow.rise * 250 - plain.slow) / cooling.slow.time * kStep;
  }
  EXPECT_NEAR(held.fast.at(30) + held.slow.at(30), 20, 1e-9);
  EXPECT_NEAR(held.fast.at(30), plain_held.fast, 1e-3);
  EXPECT_NEAR(held.watts.at(30), cooling.holding_watts(plain_held), 1e-2);
  EXPECT_NEAR(held.watts.integral(30), joules, 1e-3 * joules);
  EXPECT_NEAR(fast.at(30), plain.fast, 1e-3);
  EXPECT_NEAR(slow.at(30), plain.slow, 1e-3);
}

TEST(Heat, MeetsTheFirstOfTwoCrossings) {
  // Up with the chip, down with a cooler that was warmer: 10 is met twice.
  const telemetry::Decay fast{8, -8, 1}, slow{0, 9, 30};
  const auto first = telemetry::meets(fast, slow, 12);
  ASSERT_TRUE(first);
  EXPECT_LT(*first, 1.5);
  EXPECT_NEAR(fast.at(*first) + slow.at(*first), 12, 1e-9);
  EXPECT_FALSE(telemetry::meets(fast, slow, 20));
}

}  // namespace
}  // namespace nvmlkit::sim::telemetry_test
