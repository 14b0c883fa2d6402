// Processes that come, go and die at random, against a plain list of what must be so.
#include <algorithm>
#include <random>
#include <set>

#include "processes_support.hpp"

namespace nvmlkit::sim::processes {
namespace {

// Random processes come, change what they hold, go and die, on two GPUs, through two mappings.
TEST_F(Processes, WhateverHappensTheMachineAgreesWithAPlainList) {
  struct User {
    Idle process;
    bool dead = false;
    std::map<std::size_t, std::uint64_t> memory;  // by GPU
    std::set<std::size_t> counted;                // GPUs whose accounting knows it
  };
  const auto file = make(2);
  const std::unique_ptr<Machine> machines[] = {attach(file), attach(file)};
  const std::uint64_t base[] = {memory(*machines[0], 0).used, memory(*machines[0], 1).used};
  account(*machines[0], 0);
  account(*machines[0], 1);
  std::vector<User> users;
  std::size_t accounted[] = {0, 0}, died = 0, refused = 0;
  std::mt19937 random(5);
  for (int step = 0; step < 1500; ++step) {
    const auto& machine = *machines[random() % 2];
    const std::size_t gpu = random() % 2;
    if (users.size() < 12) users.emplace_back();
    auto& user = users[random() % users.size()];
    const auto pid = user.process.pid();
    const std::uint64_t bytes = (random() % (48 << 10)) * kMib;
    std::uint64_t others = 0;
    for (const auto& other : users)
      if (!other.dead && other.memory.count(gpu)) others += other.memory.at(gpu);
    const auto total = memory(machine, gpu).total - memory(machine, gpu).reserved;
    const auto own = user.memory.count(gpu) ? user.memory[gpu] : 0;
    switch (random() % 4) {
      case 0: {
        const auto outcome = processes::attach(machine, gpu, request(pid, bytes));
        const auto expected = user.dead                            ? Outcome::no_such_process
                              : base[gpu] + others + bytes > total ? Outcome::out_of_memory
                                                                   : Outcome::done;
        ASSERT_EQ(outcome, expected) << "step " << step;
        refused += outcome == Outcome::out_of_memory;
        if (outcome != Outcome::done) break;
        accounted[gpu] += user.counted.insert(gpu).second;
        user.memory[gpu] = own + bytes;
        break;
      }
      case 1: {
        const auto outcome = set_memory(machine, gpu, pid, bytes);
        const auto expected = user.dead                                  ? Outcome::no_such_process
                              : !user.memory.count(gpu)                  ? Outcome::not_attached
                              : base[gpu] + others - own + bytes > total ? Outcome::out_of_memory
                                                                         : Outcome::done;
        ASSERT_EQ(outcome, expected) << "step " << step;
        if (outcome == Outcome::done) user.memory[gpu] = bytes;
        break;
      }
      case 2:
        if (user.dead) break;
        ASSERT_EQ(detach(machine, gpu, pid), user.memory.erase(gpu) ? Outcome::done : Outcome::not_attached)
            << "step " << step;
        break;
      default:
        if (random() % 3 != 0) break;
        if (!user.dead) {
          user.process.die();
          user.dead = true;
          ++died;
        } else {
          users.erase(users.begin() + (&user - users.data()));
        }
    }
    for (const auto& seen : machines)
      for (const std::size_t on : {0, 1}) {
        std::multimap<std::uint32_t, std::uint64_t> expected;
        std::uint64_t sum = base[on];
        for (const auto& other : users)
          if (!other.dead && other.memory.count(on)) {
            expected.emplace(other.process.pid(), other.memory.at(on));
            sum += other.memory.at(on);
          }
        ASSERT_EQ(clients(*seen, on), expected) << "step " << step;
        const auto now = memory(*seen, on);
        ASSERT_EQ(now.used, sum) << "step " << step;
        ASSERT_EQ(now.used + now.free + now.reserved, now.total) << "step " << step;
        ASSERT_EQ(records(*seen, on).size(), accounted[on]) << "step " << step;
      }
  }
  EXPECT_GT(died, 40U);
  EXPECT_GT(refused, 10U);
}

// Clients and writers that die in the middle of attaching and detaching leave a table that the next one can use.
TEST_F(Processes, WritersKilledAtAnyInstantLeaveARightTable) {
  const auto machine = attach(make(1));
  account(*machine);
  const auto before = memory(*machine).used;
  Idle stays;
  ASSERT_EQ(processes::attach(*machine, 0, request(stays.pid(), kMib)), Outcome::done);
  std::mt19937 random(3);
  int halfway = 0;
  for (int round = 0; round < 400; ++round) {
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
  EXPECT_LE(records(*machine).size(), 401U);  // one for each process, though each came often
}

}  // namespace
}  // namespace nvmlkit::sim::processes
