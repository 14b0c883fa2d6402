// Live values under workloads, limits, locks, pins and faults.
#include "sim/telemetry/heat.hpp"
#include "sim/telemetry/plan.hpp"
#include "telemetry_support.hpp"

namespace nvmlkit::sim::telemetry_test {
namespace {

TEST(Telemetry, WithoutAWorkloadEveryValueIsTheConfiguredOne) {
  for (const char* name :
       {"a100", "a100-80gb", "b200", "b300", "gb200", "gb300", "h100", "h200", "l40s", "rtx5090", "t4", "vr200"}) {
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

}  // namespace
}  // namespace nvmlkit::sim::telemetry_test
