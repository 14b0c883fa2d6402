// The figures of real GPUs under load (captures, dmon at 1 Hz), and how far the simulated ones may be from them.
#include "telemetry_support.hpp"

namespace nvmlkit::sim::telemetry_test {
namespace {

TEST(TelemetryFacts, H100UnderGpuBurn) {
  Bench b(
      "base: h100\nsystem: {num_devices: 1}\n"
      "device_defaults: {thermal: {temperature_gpu_c: 41, temperature_memory_c: 47, tlimit_c: 46}}\n");
  EXPECT_NEAR(b.watts(), 69, 1);
  b.load(100, 11);
  b.pass(15);
  EXPECT_NEAR(b.celsius(), 59, 2);
  EXPECT_NEAR(b.memory_celsius(), 55, 2);
  EXPECT_NEAR(b.watts(), 629, 0.02 * 629);
  EXPECT_EQ(b.graphics_mhz(), 1980u);
  EXPECT_EQ(*b.now()(b.gpu().clocks.video_current), 1545u);
  EXPECT_EQ(*b.now()(b.gpu().clocks.memory_current), 2619u);
  EXPECT_EQ(*b.now()(b.gpu().utilization.gpu), 100u);
  EXPECT_EQ(*b.now()(b.gpu().utilization.memory), 11u);
  EXPECT_NEAR(*b.now()(b.gpu().thermal.tlimit_c), 26, 3);
  EXPECT_FALSE(b.capped());
  // dmon, some seconds later: 63 to 65 C in five samples, the memory 57 to 59.
  b.pass(5.5);
  const double temperature[] = {63, 63, 64, 64, 65}, memory[] = {57, 58, 58, 59, 59};
  for (int i = 0; i < 5; ++i, b.pass(1)) {
    EXPECT_NEAR(b.celsius(), temperature[i], 2) << i;
    EXPECT_NEAR(b.memory_celsius(), memory[i], 2) << i;
    EXPECT_NEAR(b.watts(), 633, 0.02 * 633) << i;
  }
}

TEST(TelemetryFacts, H100WithAContextAndNothingRunning) {
  Bench b("base: h100\nsystem: {num_devices: 1}\n");
  b.load(0);
  b.pass(10);
  EXPECT_NEAR(b.watts(), 118, 2);
  EXPECT_EQ(b.graphics_mhz(), 1980u);
  EXPECT_EQ(b.memory_mhz(), 2619u);
  EXPECT_EQ(*b.now()(b.gpu().clocks.video_current), 1545u);
  EXPECT_EQ(*b.now()(b.gpu().utilization.gpu), 0u);
}

TEST(TelemetryFacts, H200UnderGpuBurn) {
  Bench b(
      "base: h200\nsystem: {num_devices: 1}\n"
      "device_defaults: {thermal: {temperature_memory_c: 32}, power: {memory_draw_mw: 46560}}\n");
  EXPECT_NEAR(b.watts(), 77, 1);
  EXPECT_NEAR(b.celsius(), 28, 1);
  EXPECT_NEAR(b.memory_celsius(), 31.5, 1);
  EXPECT_NEAR(*b.now()(b.gpu().power.memory_draw_mw), 46560, 0.03 * 46560);
  EXPECT_EQ(b.graphics_mhz(), 345u);
  EXPECT_NEAR(b.memory_mhz(), 3201, 2);  // the profile stands on another capture
  EXPECT_NEAR(static_cast<double>(*b.now()(b.gpu().pcie.tx_throughput_kbps)), 371, 100);
  EXPECT_NEAR(static_cast<double>(*b.now()(b.gpu().pcie.rx_throughput_kbps)), 337, 100);
  b.load(100, 7);
  b.pass(24);
  EXPECT_NEAR(b.celsius(), 52, 2);
  EXPECT_NEAR(b.memory_celsius(), 41, 2);
  EXPECT_NEAR(b.watts(), 627, 0.02 * 627);
  EXPECT_NEAR(*b.now()(b.gpu().power.memory_draw_mw), 97690, 0.1 * 97690);
  EXPECT_NEAR(*b.now()(b.gpu().thermal.tlimit_c), 35, 2);
  EXPECT_EQ(b.graphics_mhz(), 1980u);
  EXPECT_EQ(*b.now()(b.gpu().clocks.video_current), 1545u);
  EXPECT_EQ(*b.now()(b.gpu().pcie.tx_throughput_kbps), 4217u);
  EXPECT_EQ(*b.now()(b.gpu().pcie.rx_throughput_kbps), 8691u);
  b.pass(6);
  EXPECT_NEAR(b.celsius(), 54, 2);
}

// gpu-burn in one instance of 60 of the 132 SMs.
TEST(TelemetryFacts, H100WithOneMigInstanceBusy) {
  Bench b(
      "base: h100\nsystem: {num_devices: 1}\n"
      "device_defaults: {mig: {mode_current: enabled}, thermal: {temperature_gpu_c: 42, tlimit_c: 45}}\n");
  EXPECT_NEAR(b.watts(), 70, 2);
  b.load(45, 5);
  b.pass(17);
  EXPECT_NEAR(b.watts(), 432, 0.03 * 432);
  EXPECT_NEAR(b.celsius(), 52.5, 2.5);
  EXPECT_NEAR(*b.now()(b.gpu().thermal.tlimit_c), 24, 3);
  EXPECT_EQ(b.graphics_mhz(), 1980u);
  b.pass(3);
  const double watts[] = {438, 440, 437, 439, 439}, temperature[] = {55, 55, 56, 56, 56};
  for (int i = 0; i < 5; ++i, b.pass(1)) {
    EXPECT_NEAR(b.watts(), watts[i], 0.03 * watts[i]) << i;
    EXPECT_NEAR(b.celsius(), temperature[i], 2) << i;
  }
}

// The same in a compute instance of 32 SMs.
TEST(TelemetryFacts, H200WithOneMigInstanceBusy) {
  Bench b("base: h200\nsystem: {num_devices: 1}\ndevice_defaults: {mig: {mode_current: enabled}}\n");
  EXPECT_NEAR(b.watts(), 78, 1.5);
  EXPECT_NEAR(b.celsius(), 28, 1);
  b.load(24);
  b.pass(26);
  EXPECT_NEAR(b.watts(), 295, 0.04 * 295);
  EXPECT_NEAR(b.celsius(), 36, 2);
  EXPECT_NEAR(*b.now()(b.gpu().thermal.tlimit_c), 46, 3);
  EXPECT_EQ(b.graphics_mhz(), 1980u);
}

// Eight cards of one machine. What the busy one ran is not known; it drew far less than the limit.
TEST(TelemetryFacts, Rtx4090) {
  Bench b("base: rtx4090\nsystem: {num_devices: 1}\n");
  EXPECT_GE(b.watts(), 8.8);
  EXPECT_LE(b.watts(), 27.6);
  EXPECT_EQ(b.graphics_mhz(), 210u);
  EXPECT_EQ(b.memory_mhz(), 405u);
  EXPECT_EQ(*b.now()(b.gpu().performance_state), 8u);
  b.load(0);
  b.pass(60);
  EXPECT_GE(b.watts(), 59);
  EXPECT_LE(b.watts(), 68);
  EXPECT_NEAR(b.celsius(), 41, 3);
  EXPECT_EQ(*b.now()(b.gpu().utilization.gpu), 0u);
  EXPECT_EQ(*b.now()(b.gpu().performance_state), 2u);
  EXPECT_EQ(b.graphics_mhz(), 2520u);
  EXPECT_EQ(b.memory_mhz(), 10251u);

  Bench light(
      "base: rtx4090\nsystem: {num_devices: 1}\n"
      "device_defaults: {telemetry: {load_power_mw: 180000, memory_load_power_mw: 30000, slow_rise_mc_per_w: 110,\n"
      "                              fast_rise_mc_per_w: 28}}\n");
  light.load(100, 53);
  light.pass(200);
  EXPECT_NEAR(light.watts(), 157.7, 4);
  EXPECT_NEAR(light.celsius(), 58, 2);
  EXPECT_EQ(light.graphics_mhz(), 2775u);
  EXPECT_EQ(light.memory_mhz(), 10251u);
  EXPECT_EQ(*light.now()(light.gpu().performance_state), 2u);
  EXPECT_EQ(*light.now()(light.gpu().utilization.memory), 53u);
  EXPECT_NEAR(*light.now()(light.gpu().fan.speed_percent), 40, 4);
}

// A fan that stands until 59 C; the sensor jumps when work begins and ends.
TEST(TelemetryFacts, Rtx3070TiHeatsInTwoSteps) {
  Bench b(
      "base: rtx3070ti\nsystem: {num_devices: 1}\n"
      "device_defaults:\n"
      "  power: {current_draw_mw: 106000, instant_draw_mw: 106000}\n"
      "  thermal: {temperature_gpu_c: 52}\n"
      "  telemetry: {active_power_mw: 110000, load_power_mw: 290000, slow_rise_mc_per_w: 100, fast_rise_mc_per_w: 55,\n"
      "              fast_time_ms: 400, slow_time_ms: 60000}\n");
  b.load(75);
  b.pass(1);
  EXPECT_NEAR(b.instant_watts(), 247, 15);
  EXPECT_NEAR(b.celsius(), 61.2 - 1.5, 2);  // from 51.8 within two samples of 0.5 s
  b.pass(60);
  const auto warm = b.celsius();
  b.unload();
  b.pass(0.5);
  EXPECT_NEAR(warm - b.celsius(), 0.7 * 9.3, 2.5);
}

// The clock falls at once, the memory stays in P0 for three seconds, then the power falls.
TEST(TelemetryFacts, L40sAfterALoad) {
  Bench b("base: l40s\nsystem: {num_devices: 1}\n");
  b.load(43);
  b.pass(120);
  ASSERT_NEAR(b.watts(), 183, 6);
  ASSERT_NEAR(b.celsius(), 64, 2);
  EXPECT_NEAR(*b.now()(b.gpu().thermal.tlimit_c), 24, 3);
  EXPECT_EQ(b.graphics_mhz(), 2520u);
  EXPECT_EQ(b.memory_mhz(), 9001u);
  b.unload();
  b.pass(1);
  EXPECT_EQ(b.graphics_mhz(), 210u);
  const double temperature[] = {57, 57, 56, 55, 54}, watts[] = {66, 65, 65, 51, 37};
  const std::uint32_t memory_mhz[] = {9001, 9001, 9001, 405, 405};
  for (int i = 0; i < 5; ++i, b.pass(1)) {
    if (i == 2) b.pass(-0.5);  // the third sample still saw P0, the fourth half of it
    EXPECT_NEAR(b.celsius(), temperature[i], 2.5) << i;
    EXPECT_NEAR(b.watts(), watts[i], i < 3 ? 3 : 12) << i;
    EXPECT_EQ(b.memory_mhz(), memory_mhz[i]) << i;
  }
}

TEST(TelemetryFacts, L40sEncoding) {
  Bench b("base: l40s\nsystem: {num_devices: 1}\n");
  model::Workload workload;
  workload.gpu = 10;
  workload.encoder = 63;
  b.load(workload);
  b.pass(100);
  EXPECT_NEAR(b.watts(), 109, 4);
  EXPECT_NEAR(b.celsius(), 53, 4);
  EXPECT_EQ(b.graphics_mhz(), 2520u);
  EXPECT_EQ(*b.now()(b.gpu().utilization.encoder), 63u);
}

TEST(TelemetryFacts, Rtx4080SuperEncoding) {
  Bench b(
      "base: l40s\nsystem: {num_devices: 1}\n"
      "device_defaults:\n"
      "  name: NVIDIA GeForce RTX 4080 SUPER\n"
      "  power: {current_draw_mw: 26000, instant_draw_mw: 26000, default_limit_mw: 320000, max_limit_mw: 320000}\n"
      "  thermal: {temperature_gpu_c: 43}\n"
      "  clocks: {graphics_max: 2805, memory_max: 11251}\n"
      "  telemetry: {active_power_mw: 60000, load_power_mw: 300000, engine_power_mw: 33000, performance_state: P2,\n"
      "              slow_rise_mc_per_w: 30, fast_rise_mc_per_w: 15}\n");
  model::Workload workload;
  workload.gpu = 0;
  workload.encoder = 70;
  b.load(workload);
  b.pass(60);
  EXPECT_NEAR(b.watts(), 83.5, 1);
  EXPECT_NEAR(b.celsius(), 45.5, 1);
  EXPECT_EQ(b.graphics_mhz(), 2805u);
  EXPECT_EQ(b.memory_mhz(), 11251u);
  EXPECT_EQ(*b.now()(b.gpu().performance_state), 2u);
}

// GEMM on an RTX 3070 Ti at locked clocks: power over clock, and what the limit leaves.
TEST(TelemetryFacts, Rtx3070TiPowerOverClock) {
  Bench b(
      "base: a100\nsystem: {num_devices: 1}\n"
      "device_defaults:\n"
      "  name: NVIDIA GeForce RTX 3070 Ti\n"
      "  compute_capability: {major: 8, minor: 6}\n"
      "  power: {current_draw_mw: 20000, instant_draw_mw: 20000, default_limit_mw: 290000, min_limit_mw: 100000,\n"
      "          max_limit_mw: 290000}\n"
      "  clocks: {graphics_max: 2130, graphics_app: 2130, graphics_app_default: 2130,\n"
      "           graphics_max_customer_boost: 2130}\n"
      "  supported_clocks: {memory_clocks: []}\n"
      "  telemetry: {active_power_mw: 90000, load_power_mw: 1080000, linear_percent: 15, exponent: 13,\n"
      "              slow_rise_mc_per_w: 100, fast_rise_mc_per_w: 40}\n");
  b.load(100);
  const struct {
    std::uint32_t mhz;
    double watts;
  } measured[] = {{855, 129.9},  {960, 138.4},  {1065, 143.7}, {1170, 155.5}, {1275, 163.7},
                  {1380, 171.2}, {1485, 185.7}, {1605, 207.5}, {1710, 243.2}};
  for (const auto& point : measured) {
    b.change([&](model::Gpu& gpu) { gpu.clocks.graphics_locked_min = gpu.clocks.graphics_locked_max = point.mhz; });
    b.pass(2);
    EXPECT_EQ(b.graphics_mhz(), point.mhz);
    EXPECT_NEAR(b.watts(), point.watts, 0.08 * point.watts) << point.mhz;
    EXPECT_FALSE(b.capped());
  }
  // 1815 MHz and more settle at about 1765 with the power limit as the reason.
  for (const std::uint32_t mhz : {1815u, 1935u, 2130u}) {
    b.change([&](model::Gpu& gpu) { gpu.clocks.graphics_locked_min = gpu.clocks.graphics_locked_max = mhz; });
    b.pass(2);
    EXPECT_NEAR(b.graphics_mhz(), 1765, 0.02 * 1765) << mhz;
    EXPECT_NEAR(b.watts(), 290, 1) << mhz;
    EXPECT_TRUE(b.capped()) << mhz;
  }
}

}  // namespace
}  // namespace nvmlkit::sim::telemetry_test
