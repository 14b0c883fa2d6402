// A machine under a recording: what is pinned, what is left to the physics, what is given back.
#include <cmath>

#include "sim/steering/command.hpp"
#include "sim/telemetry/inputs.hpp"
#include "support.hpp"

namespace nvmlkit::recording {
namespace {

using Q = Quantity;

// Plays it; `look` sees each frame.
struct Played {
  std::unique_ptr<sim::Machine> machine;
  Recording recording;
  std::unique_ptr<Timeline> timeline;
  std::unique_ptr<Drive> drive;
  std::unique_ptr<Check> check;

  Played(const std::string& name, const std::string& text, const std::function<void(Played&, std::int64_t)>& look = {})
      : machine(make_machine(name, 2)), recording(read_text(text)) {
    timeline = std::make_unique<Timeline>(recording, *places_on(recording, *machine));
    drive = std::make_unique<Drive>(*machine, *timeline);
    check = std::make_unique<Check>(*machine);
    EXPECT_TRUE(recording::play(*drive, *machine, *timeline, [&](const Frame& frame) {
      check->look(frame, 0);
      if (look) look(*this, frame.at_ms);
    }));
  }

  double shown(Q quantity) const { return shown_now(*machine, 0, quantity); }
  bool pinned(Q quantity) const { return is_pinned_field(machine->gpus()[0], row_of(quantity).path); }
  const Fate& fate(Q quantity) const { return drive->fates().at(quantity); }
};

std::string line(const std::string& name, double value, int at_s) {
  return "DCGM_FI_DEV_" + name + "{gpu=\"0\"} " + std::to_string(value) + " " + std::to_string(at_s) + "\n";
}

TEST(Drives, UtilizationIsAWorkloadAndTheRestFollows) {
  Played played("h100", line("GPU_UTIL", 100, 0) + line("GPU_UTIL", 100, 60));
  EXPECT_EQ(played.shown(Q::gpu_load), 100);
  EXPECT_GT(played.shown(Q::power_draw), 400'000);
  EXPECT_GT(played.shown(Q::gpu_temperature), 40);
  EXPECT_FALSE(played.pinned(Q::gpu_load));
  EXPECT_FALSE(played.pinned(Q::power_draw));
  EXPECT_EQ(played.drive->fates().size(), 1U);
}

TEST(Drives, WhatThePhysicsWouldNotGiveIsPinnedAndSaid) {
  Played played("h100", line("GPU_UTIL", 100, 0) + line("POWER_USAGE", 90, 0) + line("GPU_TEMP", 88, 0) +
                            line("GPU_UTIL", 100, 30) + line("POWER_USAGE", 90, 30) + line("GPU_TEMP", 88, 30));
  EXPECT_EQ(played.shown(Q::power_draw), 90'000);
  EXPECT_EQ(played.shown(Q::gpu_temperature), 88);
  EXPECT_TRUE(played.pinned(Q::power_draw));
  EXPECT_EQ(played.fate(Q::power_draw).pinned, 2U);
  EXPECT_EQ(played.fate(Q::gpu_load).pinned, 0U);
  EXPECT_TRUE(played.check->holds());
  played.drive->end(true);
  EXPECT_FALSE(played.pinned(Q::power_draw));
  EXPECT_FALSE(played.pinned(Q::gpu_temperature));
  EXPECT_EQ(played.fate(Q::power_draw).pinned_ms, 30'000);
  EXPECT_EQ(played.shown(Q::gpu_load), 0) << "the workload is over";
}

TEST(Drives, APauseGivesTheFieldBack) {
  std::string text;
  for (const int at : {0, 10, 20, 30, 300, 310}) text += line("POWER_USAGE", 300, at);
  bool free = false;
  Played played("h100", text, [&](Played& now, std::int64_t at_ms) {
    if (at_ms == 90'000) free = !now.pinned(Q::power_draw);
    if (at_ms == 30'000) {
      EXPECT_TRUE(now.pinned(Q::power_draw));
    }
  });
  EXPECT_TRUE(free);
  played.drive->end(true);
  EXPECT_EQ(played.fate(Q::power_draw).driven_ms, 100'000);
}

TEST(Drives, CountersGoOnFromTheRecordedValue) {
  Played played("h100", line("TOTAL_ENERGY_CONSUMPTION", 5e11, 0) + line("GPU_TEMP", 30, 60));
  EXPECT_GT(played.shown(Q::energy), 5e11 + 1e6) << "a minute of a GPU at rest takes more than a kilojoule";
  EXPECT_LT(played.shown(Q::energy), 5e11 + 3e7);
  EXPECT_EQ(played.fate(Q::energy).pinned, 0U);
}

TEST(Drives, CountersMayBeginLowerThanTheMachinesOwn) {
  Played played("h100", line("GPU_UTIL", 100, 0) + line("TOTAL_ENERGY_CONSUMPTION", 1000, 60));
  EXPECT_EQ(played.shown(Q::energy), 1000);
  EXPECT_TRUE(played.check->holds());
}

TEST(Drives, AnXidBreaksTheGpuAndValuesHealIt) {
  std::vector<bool> answers;
  Played played("h100",
                line("GPU_TEMP", 40, 0) + line("XID_ERRORS", 0, 0) + line("XID_ERRORS", 79, 10) +
                    line("GPU_TEMP", 40, 20) + line("XID_ERRORS", 79, 20),
                [&](Played& now, std::int64_t) {
                  answers.push_back(now.machine->gpus()[0].faults.availability == sim::faults::Availability::available);
                });
  EXPECT_EQ(answers, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(played.drive->xids(), 1U);
}

TEST(Drives, KernelLogsRaiseXidsAtTheirTime) {
  Played played("h100", "[ 10.0] NVRM: Xid (PCI:00aa:01:00): 31, x\n[ 12.0] NVRM: Xid (PCI:00aa:01:00): 48, x\n");
  EXPECT_EQ(played.drive->xids(), 2U);
  EXPECT_EQ(played.shown(Q::ecc_volatile_uncorrected), 1);
  EXPECT_EQ(played.timeline->duration_ms(), 2000);
}

TEST(Drives, WhatTheGpuDoesNotHaveIsLeftOutAndCounts) {
  Played played("h100", line("FAN_SPEED", 40, 0) + line("GPU_TEMP", 40, 0) + line("FB_USED", 1e9, 0));
  EXPECT_EQ(played.fate(Q::fan_speed).refused, 1U);
  EXPECT_EQ(played.fate(Q::memory_used).refused, 1U);
  EXPECT_TRUE(played.fate(Q::memory_used).refusal);
  EXPECT_FALSE(played.check->holds());
  EXPECT_EQ(played.check->held().at(Q::gpu_temperature).off, 0U);
  EXPECT_EQ(played.check->held().at(Q::memory_used).off, 1U);
}

TEST(Drives, SettingsComeBack) {
  Played played("h100", line("POWER_MGMT_LIMIT", 400, 0) + line("FB_USED", 1000, 0) + line("ECC_SBE_VOL_TOTAL", 7, 0));
  EXPECT_EQ(played.shown(Q::power_limit), 400'000);
  EXPECT_EQ(played.shown(Q::memory_used), 1000.0 * 1048576);
  EXPECT_EQ(played.shown(Q::ecc_volatile_corrected), 7);
  EXPECT_EQ(shown_at(*played.machine, played.machine->gpus()[0], "ecc.errors.volatile.single_bit.device_memory", 0), 7);
  played.drive->end(true);
  EXPECT_EQ(played.shown(Q::power_limit), 700'000);
  EXPECT_EQ(played.shown(Q::memory_used), 0);
  EXPECT_EQ(played.shown(Q::ecc_volatile_corrected), 0);
}

// The H100 of 535.129.03 reserves 552 MiB and not 480: used and free memory of a fleet of 247 add up to 81,007 of
// 81,559.
TEST(Drives, MemoryThatIsNeitherUsedNorFreeIsReserved) {
  constexpr double kMiB = 1048576;
  Played played("h100", line("FB_USED", 77413, 0) + line("FB_FREE", 3594, 0) + line("FB_USED", 1000, 10) +
                            line("FB_FREE", 80007, 10));
  EXPECT_TRUE(played.check->holds());
  EXPECT_EQ(played.shown(Q::memory_reserved), 552 * kMiB);
  EXPECT_EQ(played.shown(Q::memory_free), 80007 * kMiB);
  played.drive->end(true);
  EXPECT_EQ(played.shown(Q::memory_reserved), 480 * kMiB);
  EXPECT_EQ(played.shown(Q::memory_used), 0);
}

TEST(Drives, MemoryOfAnotherSizeReservesNothing) {
  Played played("h100", line("FB_USED", 1000, 0) + line("FB_FREE", 39000, 0));  // a GPU of 40 GB
  EXPECT_FALSE(played.check->holds());
  EXPECT_EQ(played.shown(Q::memory_reserved), 480.0 * 1048576);
}

TEST(Drives, ACheckThatDoesNotHoldNamesTheFirstValue) {
  Played played("h100", line("GPU_TEMP", 40, 0), [](Played& now, std::int64_t) {
    const std::vector<std::string> words = {"set", "gpu=0", "thermal.gpu=60"};
    ASSERT_TRUE(sim::steering::steer(*now.machine, words));
  });
  EXPECT_TRUE(played.check->holds());
  Frame frame = played.timeline->frames()[0];
  played.check->look(frame, 0);
  EXPECT_FALSE(played.check->holds());
  EXPECT_NE(played.check->held().at(Q::gpu_temperature).first_off.find("recorded 40, shown 60"), std::string::npos);
}

}  // namespace
}  // namespace nvmlkit::recording
