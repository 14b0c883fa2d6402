// What live values do when a workload, a limit, a lock, a pin or a fault changes.
#include <cmath>
#include <random>

#include "sim/telemetry/heat.hpp"
#include "sim/telemetry/plan.hpp"
#include "telemetry_support.hpp"

namespace nvmlkit::sim::telemetry_test {
namespace {

const std::string h100 = "base: h100\nsystem: {num_devices: 1}\n";

TEST(Telemetry, WithoutAWorkloadEveryValueIsTheConfiguredOne) {
  for (const char* name : {"a100", "b200", "gb200", "gb300", "h100", "h200", "l40s", "t4"}) {
    Bench b(std::string("base: ") + name + "\nsystem: {num_devices: 2}\n");
    const auto copy = std::make_unique<model::Gpu>(b.gpu(1));
    b.pass(12345);
    telemetry::resolve(b.machine(), *copy);
    const auto& configured = b.gpu(1);
    model::each_live(*copy, [&](std::string_view path, const auto& field) {
      const auto offset = reinterpret_cast<const std::byte*>(&field) - reinterpret_cast<const std::byte*>(copy.get());
      using F = std::remove_cvref_t<decltype(field)>;
      const auto& was = *reinterpret_cast<const F*>(reinterpret_cast<const std::byte*>(&configured) + offset);
      EXPECT_EQ(field.present, was.present) << name << " " << path;
      if (!model::counts(F::kId)) {
        EXPECT_EQ(field.value, was.value) << name << " " << path;
      }
    });
  }
}

TEST(Telemetry, AnIdleGpuUsesEnergyAndItsLinkCarriesBytes) {
  Bench b(h100);
  b.pass(100);
  EXPECT_NEAR(b.joules(), 100 * 68.57, 0.01);
  EXPECT_NEAR(static_cast<double>(*b.now()(b.gpu().pcie.tx_bytes)), 100 * 502e3, 1e3);
}

TEST(Telemetry, AMachineWithoutAStartStandsStill) {
  const auto machine = Machine::create(1);
  machine->gpus()[0].power.total_energy_consumption_mj = 7;
  machine->gpus()[0].thermal.temperature_gpu_c = 30;
  const telemetry::Reading now(*machine, machine->gpus()[0]);
  EXPECT_EQ(*now(machine->gpus()[0].power.total_energy_consumption_mj), 7u);
  EXPECT_EQ(*now(machine->gpus()[0].thermal.temperature_gpu_c), 30);
}

TEST(Telemetry, ThePowerLimitHoldsPowerAndLowersTheClock) {
  Bench b(h100);
  b.load(100);
  b.pass(3);
  ASSERT_EQ(b.graphics_mhz(), 1980u);
  b.change([](model::Gpu& gpu) { gpu.power.enforced_limit_mw = 300'000; });
  b.pass(3);
  EXPECT_NEAR(b.watts(), 300, 0.5);
  EXPECT_LT(b.graphics_mhz(), 1980u);
  EXPECT_EQ(b.graphics_mhz() % 15, 0u);
  EXPECT_TRUE(b.capped());
  EXPECT_NEAR(static_cast<double>(*b.now()(b.gpu().clocks_throttle_reasons.counters.sw_power_cap_us)), 3e6, 1);
  b.change([](model::Gpu& gpu) { gpu.power.enforced_limit_mw = 700'000; });
  b.pass(3);
  EXPECT_FALSE(b.capped());
  EXPECT_NEAR(static_cast<double>(*b.now()(b.gpu().clocks_throttle_reasons.counters.sw_power_cap_us)), 3e6, 1);
}

TEST(Telemetry, PowerIsAveragedOverASecond) {
  Bench b(h100);
  b.load(100);
  b.pass(0.5);
  EXPECT_NEAR(b.instant_watts(), 625.35, 0.01);
  EXPECT_NEAR(b.watts(), (625 + 68.57) / 2, 0.01);
  b.pass(0.5);
  EXPECT_NEAR(b.watts(), 625, 0.01);
  b.unload();
  b.pass(0.25);
  EXPECT_NEAR(b.watts(), 0.75 * 625 + 0.25 * 68.57, 0.01);
  EXPECT_NEAR(b.instant_watts(), 68.92, 0.01);
}

TEST(Telemetry, AnA100TellsThePowerOfTheInstant) {
  Bench b("base: a100\nsystem: {num_devices: 1}\n");
  b.load(100);
  b.pass(0.1);
  EXPECT_NEAR(b.watts(), 360, 1);
}

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
  EXPECT_NEAR(b.watts(), 68.57 + 58 / 0.209, 0.5);  // what fast and slow rise together cool at 58 C
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

TEST(Telemetry, LocksAndApplicationsClocks) {
  Bench b(h100);
  b.change([](model::Gpu& gpu) {
    gpu.clocks.graphics_locked_min = 1000;
    gpu.clocks.graphics_locked_max = 1500;
  });
  EXPECT_EQ(b.graphics_mhz(), 1000u);
  b.load(100);
  EXPECT_EQ(b.graphics_mhz(), 1500u);
  b.change([](model::Gpu& gpu) {
    gpu.clocks.graphics_locked_min.reset();
    gpu.clocks.graphics_locked_max.reset();
    gpu.clocks.graphics_app = 1200;
  });
  EXPECT_EQ(b.graphics_mhz(), 1200u);
  EXPECT_TRUE(*b.now()(b.gpu().clocks_throttle_reasons.applications_clocks_setting));
}

TEST(Telemetry, AFaultHalvesTheClock) {
  Bench b(h100);
  b.load(100);
  b.change([](model::Gpu& gpu) { gpu.faults.hw_power_brake = 1; });
  b.pass(2);
  EXPECT_EQ(b.graphics_mhz(), 990u);
  EXPECT_TRUE(*b.now()(b.gpu().clocks_throttle_reasons.hw_power_brake_slowdown));
  EXPECT_TRUE(*b.now()(b.gpu().clocks_throttle_reasons.hw_slowdown));
  EXPECT_EQ(*b.now()(b.gpu().clocks_throttle_reasons.counters.hw_power_brake_slowdown_us), 2'000'000u);
  b.change([](model::Gpu& gpu) { gpu.faults.hw_power_brake = 0; });
  EXPECT_EQ(b.graphics_mhz(), 1980u);
}

TEST(Telemetry, PinsHaveConsequencesAndGo) {
  Bench b(h100);
  b.load(100);
  b.pin([](model::Gpu& gpu) { gpu.thermal.temperature_gpu_c = 90; });
  b.pass(5);
  EXPECT_EQ(b.celsius(), 90);
  EXPECT_TRUE(b.much_too_warm());
  EXPECT_EQ(b.graphics_mhz(), 345u);
  EXPECT_EQ(*b.now()(b.gpu().thermal.tlimit_c), -3);
  b.release("thermal");
  EXPECT_EQ(b.celsius(), 90);  // it cools down from there
  b.pass(300);
  EXPECT_LT(b.celsius(), 87);
  EXPECT_EQ(b.graphics_mhz(), 1980u);
  EXPECT_EQ(*b.gpu().thermal.temperature_gpu_c, 29);
}

TEST(Telemetry, PinnedPowerIsUsedAndHeats) {
  Bench b(h100);
  const double before = b.joules();
  b.pin([](model::Gpu& gpu) { gpu.power.current_draw_mw = 400'000; });
  b.pass(10);
  EXPECT_NEAR(b.joules() - before, 4000, 0.1);
  EXPECT_GT(b.celsius(), 35);
  EXPECT_EQ(b.watts(), 400);
  b.release("");
  b.pass(600);
  EXPECT_EQ(b.celsius(), 29);
  EXPECT_NEAR(b.watts(), 68.57, 0.01);
}

TEST(Telemetry, PinnedUtilizationIsWork) {
  Bench b(h100);
  b.pin([](model::Gpu& gpu) { gpu.utilization.gpu = 100; });
  b.pass(10);
  EXPECT_NEAR(b.watts(), 625, 1);
  b.release("utilization.gpu");
  EXPECT_EQ(*b.now()(b.gpu().utilization.gpu), 0u);
}

TEST(Telemetry, AWorkloadEndsByItself) {
  Bench b(h100);
  b.load(100, 0, 10);
  b.pass(9.9);
  EXPECT_EQ(*b.now()(b.gpu().utilization.gpu), 100u);
  b.pass(0.2);
  EXPECT_EQ(*b.now()(b.gpu().utilization.gpu), 0u);
  EXPECT_NEAR(b.joules(), 10 * 625 + 0.1 * 68.57, 0.1);
  b.change([](model::Gpu& gpu) { gpu.power.enforced_limit_mw = 600'000; });
  EXPECT_FALSE(b.gpu().workload.gpu.present);
  EXPECT_NEAR(b.joules(), 10 * 625 + 0.1 * 68.57, 0.1);
}

TEST(Telemetry, TimeCanRunFasterAndStop) {
  Bench b(h100);
  auto& clock = b.machine().host().clock;
  clock = clock.paced(real_time_ns(), 1000);
  const auto before = now_ns(b.machine());
  timespec pause{0, 20'000'000};
  nanosleep(&pause, nullptr);
  const auto passed = now_ns(b.machine()) - before;
  EXPECT_GT(passed, 19'000'000'000);
  clock = clock.paced(real_time_ns(), 0);
  const auto stopped = now_ns(b.machine());
  nanosleep(&pause, nullptr);
  EXPECT_EQ(now_ns(b.machine()), stopped);
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
