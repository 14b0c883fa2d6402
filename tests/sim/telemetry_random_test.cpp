// Random workloads, limits, locks, pins and times; damaged state.
#include <random>

#include "sim/telemetry/heat.hpp"
#include "sim/telemetry/plan.hpp"
#include "telemetry_support.hpp"

namespace nvmlkit::sim::telemetry_test {
namespace {

// What the GPU draws at this instant. The configured instantaneous power of an idle GPU may differ from the average
// one, which is the one that counts.
double drawn(const Bench& b) {
  const auto& power = b.gpu().power;
  return b.instant_watts() - (*power.instant_draw_mw - static_cast<double>(*power.current_draw_mw)) / 1000;
}

// Random workloads, limits, locks, pins and times: energy is the integral of power, counters never go back.
TEST(Telemetry, EnergyIsTheIntegralOfPower) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % (n + 1)); };
    const bool hot = seed % 3 == 0;
    Bench b(std::string("base: ") + (seed % 2 ? "h100" : "l40s") + "\nsystem: {num_devices: 1}\n" +
            (hot ? "device_defaults: {telemetry: {slow_rise_mc_per_w: 400, noise: {power_mw: 5000}}}\n" : ""));
    const double start = b.joules();
    double integral = 0, last_joules = start;
    std::uint64_t last_limited = 0;
    for (int change = 0; change < 80; ++change) {
      switch (up_to(6)) {
        case 0:
          b.unload();
          break;
        case 1:
          b.change([&](model::Gpu& gpu) { gpu.power.enforced_limit_mw = 150'000 + up_to(550'000); });
          break;
        case 2:
          b.change([&](model::Gpu& gpu) {
            gpu.clocks.graphics_locked_min = 300;
            gpu.clocks.graphics_locked_max = 300 + up_to(1600);
          });
          break;
        case 3:
          b.change([&](model::Gpu& gpu) { gpu.faults.hw_thermal_slowdown = up_to(1); });
          break;
        default:
          b.load(up_to(100), up_to(100), up_to(1) ? 0 : up_to(20));
      }
      const double span = 0.5 + up_to(25);
      constexpr double kStep = 0.01;
      for (double at = 0; at < span; at += kStep) {
        const double before = drawn(b);
        b.pass(kStep);
        integral += (before + drawn(b)) / 2 * kStep;
      }
      const double joules = b.joules();
      EXPECT_GE(joules, last_joules);
      last_joules = joules;
      ASSERT_NEAR(joules - start, integral, 0.001 * integral + 10) << seed << " " << change;
      const auto& c = b.gpu().clocks_throttle_reasons.counters;
      const auto limited =
          *b.now()(c.sw_power_cap_us) + *b.now()(c.sw_thermal_slowdown_us) + *b.now()(c.hw_thermal_slowdown_us);
      EXPECT_GE(limited, last_limited);
      last_limited = limited;
    }
    EXPECT_NEAR(b.joules() - start, integral, 0.001 * integral) << seed;
  }
}

// Bytes that no code wrote: whatever comes out, nothing breaks.
TEST(Telemetry, DamagedStateHarmsNothing) {
  std::mt19937_64 random(3);
  Bench b(h100);
  for (int i = 0; i < 300; ++i) {
    auto& gpu = b.machine().gpus()[0];
    auto* bytes = reinterpret_cast<std::uint64_t*>(&gpu.motion);
    for (std::size_t at = 0; at < sizeof gpu.motion / 8; ++at) bytes[at] = random();
    if (i % 2) gpu.motion.phase_count = static_cast<std::uint32_t>(random() % 30);
    const auto copy = std::make_unique<model::Gpu>(gpu);
    telemetry::resolve(b.machine(), *copy);
    b.load(50);
  }
}

}  // namespace
}  // namespace nvmlkit::sim::telemetry_test
