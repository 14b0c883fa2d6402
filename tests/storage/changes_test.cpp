// Waiting for a change of a block: processes that wait, that are killed while they wait, and writers that nobody waits
// for.
#include "storage/changes.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "storage/lock.hpp"

namespace nvmlkit::storage {
namespace {

constexpr Format kOneRecord{"changes test", 1, "1"};

Shape small_shape() {
  Shape out{};
  out.record_count = 1;
  const auto records = in_lines(sizeof(Header));
  out.columns = {Column{records, 64}, Column{records, 64}};
  out.journal_at = records + 64;
  out.journal_size = 64;
  out.sparse_at = out.size = in_pages(out.journal_at + 64);
  return out;
}

timespec in_seconds(int seconds) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  now.tv_sec += seconds;
  return now;
}

bool is_awaited(const Changes& changes) { return (changes.load() & 1) != 0; }

void sleep_until_awaited(const Changes& changes) {
  while (!is_awaited(changes)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(StorageChanges, CountsLocksThatChangedSomething) {
  const Block block(map_private(kOneRecord, small_shape()), small_shape(), Access::private_memory);
  auto* record = block.bytes() + small_shape().columns[0].at;
  const auto& changes = block.header().changes;
  const auto before = count_changes(changes);
  { const Lock lock(block); }
  EXPECT_EQ(count_changes(changes), before);
  {
    const Lock lock(block);
    const std::byte same = *record;
    ASSERT_TRUE(lock.replace(record, &same, 1));
  }
  EXPECT_EQ(count_changes(changes), before) << "the same byte";
  {
    const Lock lock(block);
    for (const auto value : {std::byte{1}, std::byte{2}}) ASSERT_TRUE(lock.replace(record, &value, 1));
    EXPECT_EQ(count_changes(changes), before) << "announced when the lock is released";
  }
  EXPECT_EQ(count_changes(changes), before + 1);
  {
    const Lock lock(block);
    lock.note_change();
  }
  EXPECT_EQ(count_changes(changes), before + 2);
}

TEST(StorageChanges, AWaitEndsAtOnceWhereTheChangeWasBefore) {
  Changes changes{};
  const auto seen = count_changes(changes);
  announce(changes);
  const auto deadline = in_seconds(60);
  wait_for_change(changes, seen, &deadline);
  EXPECT_NE(count_changes(changes), seen);
}

TEST(StorageChanges, ADeadlineEndsAWait) {
  Changes changes{};
  const auto deadline = in_seconds(0);
  wait_for_change(changes, count_changes(changes), &deadline);
  EXPECT_EQ(count_changes(changes), 0u);
}

// No wait may last: each of the waiters sees the last number.
TEST(StorageChanges, NoChangeIsMissed) {
  Changes changes{};
  constexpr std::uint32_t kLast = 20000;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i)
    waiters.emplace_back([&] {
      for (auto seen = count_changes(changes); seen < kLast; seen = count_changes(changes))
        wait_for_change(changes, seen, nullptr);
    });
  for (std::uint32_t i = 0; i < kLast; ++i) {
    announce(changes);
    if (i % 64 == 0) std::this_thread::yield();
  }
  for (auto& waiter : waiters) waiter.join();
  EXPECT_EQ(count_changes(changes), kLast);
}

TEST(StorageChanges, AWaiterThatIsKilledCostsOneWakeAndOthersStillWake) {
  auto* const changes =
      static_cast<Changes*>(mmap(nullptr, sizeof(Changes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(changes, MAP_FAILED);
  const auto wait_in_child = [&] {
    const pid_t child = fork();
    if (child == 0) {
      const auto seen = count_changes(*changes);
      while (count_changes(*changes) == seen) wait_for_change(*changes, seen, nullptr);
      _exit(0);
    }
    return child;
  };
  const auto dead = wait_in_child();
  sleep_until_awaited(*changes);
  kill(dead, SIGKILL);
  waitpid(dead, nullptr, 0);
  EXPECT_TRUE(is_awaited(*changes));
  announce(*changes);
  EXPECT_FALSE(is_awaited(*changes)) << "the next change calls no kernel";
  const auto alive = wait_in_child();
  sleep_until_awaited(*changes);
  announce(*changes);
  int status = 0;
  ASSERT_EQ(waitpid(alive, &status, 0), alive);
  EXPECT_EQ(status, 0);
  munmap(changes, sizeof(Changes));
}

}  // namespace
}  // namespace nvmlkit::storage
