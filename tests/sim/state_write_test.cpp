// Readers and writers at the same time, and writers that die.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "../emulator.hpp"
#include "sim/model/value.hpp"
#include "sim/state/lock.hpp"
#include "sim/state/read.hpp"
#include "sim/transaction/edit.hpp"
#include "state_support.hpp"

namespace nvmlkit::sim {
namespace {

using Clock = std::chrono::steady_clock;

// The test's own rule for a GPU: these fields, far from each other, always say the same.
void stamp(model::Gpu& gpu, std::uint32_t n) {
  gpu.power.limit_mw = n;
  gpu.clocks.graphics_app = n;
  gpu.ecc.errors.volatile_.double_bit.total = n;
  gpu.grace_cpu_pair = n;
}
bool agrees(const model::Gpu& gpu) {
  const auto n = *gpu.power.limit_mw;
  return *gpu.clocks.graphics_app == n && *gpu.ecc.errors.volatile_.double_bit.total == n && *gpu.grace_cpu_pair == n;
}

void write_stamp(const Machine& machine, std::size_t gpu, std::uint32_t n) {
  const state::Lock lock(machine);
  ASSERT_TRUE(lock);
  transaction::Edit edit(lock, gpu);
  stamp(*edit, n);
  edit.commit();
}

// One read through the seqlock.
bool reads_one_state(const Machine& machine, const model::Gpu& gpu) {
  bool good = false;
  return state::consistently(machine, machine.sequence(gpu), [&] { good = agrees(gpu); }) && good;
}

std::unique_ptr<Machine> stamped(std::unique_ptr<Machine> machine) {
  for (auto& gpu : machine->gpus()) stamp(gpu, 0);
  return machine;
}

class StateWrite : public StateFile {};

TEST_F(StateWrite, ThreadsNeverReadHalfAChange) {
  constexpr std::uint32_t kWrites = NVMLKIT_TEST_SANITIZED ? 1000 : 3000;
  const auto machine = stamped(Machine::create(2));
  std::atomic<bool> done{false};
  std::atomic<int> torn{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      while (!done) torn += !reads_one_state(*machine, machine->gpus()[t]);
    });
  for (std::uint32_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t n = 1; n <= kWrites; ++n) write_stamp(*machine, n % 2, 2 * n + t);
    });
  threads[2].join();
  threads[3].join();
  done = true;
  threads[0].join();
  threads[1].join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(machine->header().writes, 2 * kWrites);
}

TEST_F(StateWrite, ACopyWithoutCommitChangesNothing) {
  const auto machine = stamped(Machine::create(1));
  const state::Lock lock(*machine);
  {
    transaction::Edit edit(lock, 0);
    stamp(*edit, 5);
  }
  EXPECT_EQ(*machine->gpus()[0].power.limit_mw, 0U);
  transaction::Edit same(lock, 0);
  same.commit();
  EXPECT_EQ(machine->header().writes, 0U);
}

TEST_F(StateWrite, AChildOfAForkCanWriteThoughAThreadHeldTheLock) {
  const auto machine = stamped(Machine::create(1));
  auto held = std::make_unique<state::Lock>(*machine);
  const pid_t child = fork();
  if (child == 0) {
    write_stamp(*machine, 0, 3);
    _exit(agrees(machine->gpus()[0]) && *machine->gpus()[0].power.limit_mw == 3 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  held.reset();
  EXPECT_EQ(*machine->gpus()[0].power.limit_mw, 0U);  // the child's machine is its own
}

// One that only gets no CPU is no stopped one: whoever waits for it waits on.
TEST_F(StateWrite, AWriterThatIsSlowIsWaitedFor) {
  const auto machine = attach(make(1));
  std::atomic<bool> holds = false;
  std::thread slow([&] {
    const state::Lock held(*machine);
    holds = true;
    for (const auto end = Clock::now() + std::chrono::milliseconds(3300); Clock::now() < end;) {
    }
  });
  while (!holds) std::this_thread::yield();
  EXPECT_EQ(state::Lock(*machine).refusal(), state::Refusal::none);
  slow.join();
}

TEST_F(StateWrite, AWriterThatIsStoppedHoldsNobodyForEver) {
  const auto machine = attach(make(1));
  const state::Lock held(*machine);
  ASSERT_TRUE(held);
  machine->header().records[0].fetch_add(1);  // in the middle of a write
  std::thread other([&] {
    EXPECT_EQ(state::Lock(*machine).refusal(), state::Refusal::busy);
    EXPECT_FALSE(state::consistently(*machine, machine->sequence(machine->gpus()[0]), [] {}));
  });
  other.join();
  machine->header().records[0].fetch_add(1);
}

TEST_F(StateWrite, AReadOnlyMachineIsReadAndNotWritten) {
  const auto file = make(1);
  const auto writer = attach(file);
  std::string error;
  // Root opens everything, so that the mapping is asked for as such.
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  void* block = mmap(nullptr, state::total_size(1), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  ASSERT_NE(block, MAP_FAILED);
  const auto machine = Machine::adopt(block, 1, Access::read_only);
  EXPECT_EQ(state::Lock(*machine).refusal(), state::Refusal::read_only);
  write_stamp(*writer, 0, 9);
  EXPECT_TRUE(reads_one_state(*machine, machine->gpus()[0]));
}

// Children write without end until they are killed, each at an instant of its own; whoever comes next must find a
// machine that somebody meant.
//   NVMLKIT_KILL_SECONDS=300   for all 10,000 on a slow machine; 40 otherwise, 10 under the sanitizers
TEST_F(StateWrite, WritersKilledAtAnyInstantLeaveAWholeMachine) {
  NVMLKIT_NEEDS_ROBUST_LOCKS();
  constexpr std::size_t kGpus = 3;
  const auto file = make(kGpus);
  const auto machine = stamped(attach(file));
  const char* seconds = std::getenv("NVMLKIT_KILL_SECONDS");
  const auto end = Clock::now() + std::chrono::seconds(seconds != nullptr       ? std::atoi(seconds)
                                                       : NVMLKIT_TEST_SANITIZED ? 10
                                                                                : 40);
  std::mt19937 random(11);
  int rounds = 0, halfway = 0;
  for (; rounds < 10000 && Clock::now() < end; ++rounds) {
    const pid_t child = fork();
    if (child == 0) {
      for (std::uint32_t n = static_cast<std::uint32_t>(rounds) << 12;; ++n) write_stamp(*machine, n % kGpus, n);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100 + random() % 900));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    halfway += machine->header().any % 2 != 0;
    for (const auto& gpu : machine->gpus()) ASSERT_TRUE(reads_one_state(*machine, gpu)) << "round " << rounds;
    const state::Lock lock(*machine);
    ASSERT_TRUE(lock) << "round " << rounds;
    for (std::size_t i = 0; i < kGpus; ++i) {
      ASSERT_TRUE(agrees(machine->gpus()[i])) << "round " << rounds;
      ASSERT_EQ(machine->header().records[i] % 2, 0U);
    }
    ASSERT_EQ(machine->header().journal.valid, 0U);
  }
  RecordProperty("rounds", rounds);
  RecordProperty("halfway", halfway);
  EXPECT_GT(halfway, 0);  // else the test has shown nothing
  EXPECT_GT(rounds, 100);
  EXPECT_GT(machine->header().writes, 100U);
  attach(file);
}

}  // namespace
}  // namespace nvmlkit::sim
