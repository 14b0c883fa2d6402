// Processes that come, go and die at random, against a plain list of what must be so.
#include <algorithm>
#include <random>
#include <set>

#include "../emulator.hpp"
#include "processes_support.hpp"

namespace nvmlkit::sim::processes {
namespace {

struct User {
  Idle process;
  bool dead = false;
  std::map<std::size_t, std::uint64_t> memory;  // by GPU
  std::set<std::size_t> counted;                // GPUs whose accounting knows it

  std::uint64_t held_on(std::size_t gpu) const { return !dead && memory.count(gpu) ? memory.at(gpu) : 0; }
};

// Two mappings of a machine with two GPUs, and the plain list of their users.
class RandomProcesses : public Processes {
 protected:
  // A user, a GPU through one of the mappings, and the bytes that are to change there.
  struct Change {
    const Machine& machine;
    std::size_t gpu;
    User& user;
    std::uint32_t pid;
    std::uint64_t bytes;
  };

  void SetUp() override {
    Processes::SetUp();
    const auto file = make(2);
    for (auto& machine : machines_) machine = StateFile::attach(file);
    for (const std::size_t gpu : {0, 1}) {
      base_[gpu] = memory(*machines_[0], gpu).used;
      account(*machines_[0], gpu);
    }
  }

  Change pick() {
    const auto& machine = *machines_[random_() % 2];
    const std::size_t gpu = random_() % 2;
    if (users_.size() < 12) users_.emplace_back();
    auto& user = users_[random_() % users_.size()];
    return {machine, gpu, user, user.process.pid(), (random_() % (48 << 10)) * kMib};
  }

  void apply(const Change& change) {
    switch (random_() % 4) {
      case 0:
        return attach_user(change);
      case 1:
        return change_memory(change);
      case 2:
        return detach_user(change);
      default:
        if (random_() % 3 == 0) kill_or_forget(change.user);
    }
  }

  std::uint64_t used(std::size_t gpu) const {
    std::uint64_t sum = base_[gpu];
    for (const auto& user : users_) sum += user.held_on(gpu);
    return sum;
  }
  static std::uint64_t usable(const Change& change) {
    const auto now = memory(change.machine, change.gpu);
    return now.total - now.reserved;
  }

  void attach_user(const Change& change) {
    auto& [machine, gpu, user, pid, bytes] = change;
    const auto expected = user.dead                            ? Outcome::no_such_process
                          : used(gpu) + bytes > usable(change) ? Outcome::out_of_memory
                                                               : Outcome::done;
    const auto outcome = processes::attach(machine, gpu, request(pid, bytes));
    ASSERT_EQ(outcome, expected);
    refused_ += outcome == Outcome::out_of_memory;
    if (outcome != Outcome::done) return;
    accounted_[gpu] += user.counted.insert(gpu).second;
    user.memory[gpu] += bytes;
  }

  void change_memory(const Change& change) {
    auto& [machine, gpu, user, pid, bytes] = change;
    const auto expected = user.dead                                                ? Outcome::no_such_process
                          : !user.memory.count(gpu)                                ? Outcome::not_attached
                          : used(gpu) - user.held_on(gpu) + bytes > usable(change) ? Outcome::out_of_memory
                                                                                   : Outcome::done;
    const auto outcome = set_memory(machine, gpu, pid, bytes);
    ASSERT_EQ(outcome, expected);
    if (outcome == Outcome::done) user.memory[gpu] = bytes;
  }

  static void detach_user(const Change& change) {
    auto& user = change.user;
    if (user.dead) return;
    ASSERT_EQ(detach(change.machine, change.gpu, change.pid),
              user.memory.erase(change.gpu) ? Outcome::done : Outcome::not_attached);
  }

  void kill_or_forget(User& user) {
    if (!user.dead) {
      user.process.die();
      user.dead = true;
      ++died_;
    } else {
      users_.erase(users_.begin() + (&user - users_.data()));
    }
  }

  void check(const Machine& seen, std::size_t gpu) const {
    std::multimap<std::uint32_t, std::uint64_t> expected;
    for (const auto& user : users_)
      if (!user.dead && user.memory.count(gpu)) expected.emplace(user.process.pid(), user.memory.at(gpu));
    ASSERT_EQ(clients(seen, gpu), expected);
    const auto now = memory(seen, gpu);
    ASSERT_EQ(now.used, used(gpu));
    ASSERT_EQ(now.used + now.free + now.reserved, now.total);
    ASSERT_EQ(records(seen, gpu).size(), accounted_[gpu]);
  }

  std::unique_ptr<Machine> machines_[2];
  std::uint64_t base_[2] = {};  // used without users
  std::vector<User> users_;
  std::size_t accounted_[2] = {}, died_ = 0, refused_ = 0;
  std::mt19937 random_{5};
};

// Random processes come, change what they hold, go and die, on two GPUs, through two mappings.
TEST_F(RandomProcesses, WhateverHappensTheMachineAgreesWithAPlainList) {
  for (int step = 0; step < 1500; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    ASSERT_NO_FATAL_FAILURE(apply(pick()));
    for (const auto& machine : machines_)
      for (const std::size_t gpu : {0, 1}) ASSERT_NO_FATAL_FAILURE(check(*machine, gpu));
  }
  EXPECT_GT(died_, 40U);
  EXPECT_GT(refused_, 10U);
}

// Clients and writers that die in the middle of attaching and detaching leave a table that the next one can use.
TEST_F(Processes, WritersKilledAtAnyInstantLeaveARightTable) {
  NVMLKIT_NEEDS_ROBUST_LOCKS();
  const auto machine = attach(make(1));
  account(*machine);
  const auto before = memory(*machine).used;
  Idle stays;
  ASSERT_EQ(processes::attach(*machine, 0, request(stays.pid(), kMib)), Outcome::done);
  std::mt19937 random(3);
  int halfway = 0;
  std::size_t round = 0;
  // On a busy machine some are killed before they begin.
  for (; round < 400 || (records(*machine).size() <= 100 && round < 4000); ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (const auto self = static_cast<std::uint32_t>(getpid());;) {
        processes::attach(*machine, 0, request(self, 2 * kMib));
        detach(*machine, 0, self);
      }
    }
    usleep(static_cast<useconds_t>(200 + random() % 1500));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    halfway += machine->header().any % 2 != 0;
    ASSERT_EQ(memory(*machine).used, before + kMib) << "round " << round;
    ASSERT_EQ(clients(*machine).size(), 1U) << "round " << round;
    remove_ended(*machine, 0);
    const auto all = records(*machine);
    ASSERT_EQ(std::count_if(all.begin(), all.end(), [](const Record& record) { return record.running; }), 1);
  }
  RecordProperty("halfway", halfway);
  EXPECT_GT(records(*machine).size(), 100U);
  EXPECT_LE(records(*machine).size(), round + 1);  // one for each process, though each came often
}

}  // namespace
}  // namespace nvmlkit::sim::processes
