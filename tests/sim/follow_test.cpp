// Followers of a machine: what they are woken by, and the copy that they take.
#include "sim/state/follow.hpp"

#include <cstring>
#include <thread>
#include <utility>

#include "sim/faults/inject.hpp"
#include "sim/state/attention.hpp"
#include "sim/transaction/change.hpp"
#include "state_support.hpp"

namespace nvmlkit::sim {
namespace {

class Follow : public StateFile {};

void set_limit(const Machine& machine, std::size_t gpu, std::uint32_t limit_mw) {
  const state::Lock lock(machine);
  transaction::Edit edit(lock, gpu);
  edit->power.limit_mw = limit_mw;
  edit.commit();
}

TEST_F(Follow, EveryCommitIsAChange) {
  const auto machine = attach(make(2));
  auto seen = state::count_changes(*machine);
  const auto changed = [&] {
    return state::count_changes(*machine) != std::exchange(seen, state::count_changes(*machine));
  };
  set_limit(*machine, 0, 400000);
  EXPECT_TRUE(changed()) << "a value without an event";
  set_limit(*machine, 0, 400000);
  EXPECT_FALSE(changed()) << "the same value";
  ASSERT_TRUE(transaction::change_attention(*machine, [](auto&, faults::Attention& attention) {
    attention.machine = faults::MachineFault::driver_not_loaded;
    return Expected<void>();
  }));
  EXPECT_TRUE(changed()) << "a fault of the machine";
}

TEST_F(Follow, AnotherMappingIsWoken) {
  const auto file = make(1);
  const auto machine = attach(file), other = attach(file);
  const auto seen = state::count_changes(*other);
  std::thread follower([&] {
    while (state::count_changes(*other) == seen) state::wait_for_change(*other, seen, nullptr);
  });
  set_limit(*machine, 0, 300000);
  follower.join();
  EXPECT_EQ(other->gpus()[0].power.limit_mw, 300000u);
}

TEST_F(Follow, TheCopyIsTheMachine) {
  const auto machine = attach(make(3));
  set_limit(*machine, 2, 350000);
  ASSERT_TRUE(transaction::change_gpus(*machine, {1}, [](model::Gpu& gpu, std::size_t) {
    faults::set_availability(gpu, faults::Availability::off_bus);
    return Expected<void>();
  }));
  const auto copy = Machine::create(3), smaller = Machine::create(2);
  ASSERT_TRUE(state::copy_now(*machine, *copy));
  EXPECT_FALSE(state::copy_now(*machine, *smaller));
  EXPECT_EQ(copy->gpus()[2].power.limit_mw, 350000u);
  EXPECT_EQ(std::memcmp(&copy->host(), &machine->host(), sizeof(model::Machine)), 0);
  EXPECT_FALSE(state::is_visible(*copy, 1));
  EXPECT_EQ(state::index_of_place(*copy, 2), 1u);
  ASSERT_TRUE(transaction::change_gpus(*machine, {1}, [](model::Gpu& gpu, std::size_t) {
    faults::set_availability(gpu, faults::Availability::available);
    return Expected<void>();
  }));
  ASSERT_TRUE(state::copy_now(*machine, *copy));
  EXPECT_TRUE(state::is_visible(*copy, 1));
}

}  // namespace
}  // namespace nvmlkit::sim
