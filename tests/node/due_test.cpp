// The time until the next phase of a workload.
#include "node/due.hpp"

#include <gtest/gtest.h>

#include "sim/native/clock.hpp"

namespace nvmlkit::node {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::unique_ptr<sim::Machine> machine_with_phases(double pace) {
  auto machine = sim::Machine::create(2);
  const auto now = sim::real_time_ns();
  machine->host().clock = {1, now, 100 * kSecond, pace, 0};
  for (auto& gpu : machine->gpus()) {
    gpu.motion.moving = 1;
    gpu.motion.phase_count = 2;
    gpu.motion.phases[0].start_ns = 50 * kSecond;
    gpu.motion.phases[1].start_ns = (machine->index_of(gpu) == 0 ? 400 : 200) * kSecond;
  }
  return machine;
}

TEST(Due, IsTheFirstPhaseAhead) {
  const auto machine = machine_with_phases(1);
  const auto due = next_phase(*machine);
  ASSERT_TRUE(due);
  EXPECT_LE(due->count(), 100'001);
  EXPECT_GE(due->count(), 60'000);
  machine->gpus()[1].motion.moving = 0;
  EXPECT_GT(next_phase(*machine)->count(), 200'000);
}

TEST(Due, CountsInRealTime) {
  const auto due = next_phase(*machine_with_phases(100));
  ASSERT_TRUE(due);
  EXPECT_LE(due->count(), 1'001);
}

TEST(Due, IsNeverWhereNothingIsAhead) {
  EXPECT_FALSE(next_phase(*machine_with_phases(0))) << "time stands still";
  const auto machine = machine_with_phases(1);
  for (auto& gpu : machine->gpus()) gpu.motion.phase_count = 1;
  EXPECT_FALSE(next_phase(*machine));
  EXPECT_FALSE(next_phase(*sim::Machine::create(3)));
}

TEST(Due, AnyBytesAreSafe) {
  const auto machine = machine_with_phases(1);
  machine->gpus()[0].motion.phase_count = 0xFFFFFFFF;
  machine->gpus()[0].motion.phases[3].start_ns = INT64_MAX;
  machine->host().clock.pace = -1;
  EXPECT_FALSE(next_phase(*machine));
  machine->host().clock.pace = 1e-300;
  EXPECT_TRUE(next_phase(*machine));
}

}  // namespace
}  // namespace nvmlkit::node
