// Processes that use GPUs, and die in every way, against a plain list of what must be so.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "sim/processes/accounting.hpp"
#include "sim/processes/clients.hpp"
#include "sim/processes/memory.hpp"
#include "sim/state/read.hpp"
#include "sim/state/write.hpp"
#include "state_support.hpp"

namespace nvmlkit::sim::processes {
namespace {

constexpr std::uint64_t mib = 1 << 20;

// A process that does nothing until it is killed. It ends with the test, however the test ends.
class Idle {
 public:
  Idle() : pid_(fork()) {
    if (pid_ == 0) {
      for (;;) pause();
    }
  }
  Idle(Idle&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Idle& operator=(Idle&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~Idle() {
    die();
    reap();
  }

  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
  void die() const {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);  // a zombie from here on
  }
  void reap() {
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

class Processes : public StateFile {
 protected:
  static Memory memory(const Machine& machine, std::size_t gpu = 0) {
    Memory out{};
    state::consistently(machine, machine.sequence(machine.gpus()[gpu]),
                        [&] { out = memory_of(machine, machine.gpus()[gpu], gpu); });
    return out;
  }
  static std::multimap<std::uint32_t, std::uint64_t> clients(const Machine& machine, std::size_t gpu = 0) {
    std::multimap<std::uint32_t, std::uint64_t> out;
    state::consistently(machine, machine.sequence(machine.gpus()[gpu]), [&] {
      out.clear();
      for_each_client(machine, gpu, [&](const Client& client, Life) { out.emplace(client.pid, client.memory_bytes); });
    });
    return out;
  }
  static std::vector<Record> records(const Machine& machine, std::size_t gpu = 0) {
    remove_ended(machine, gpu);
    std::vector<Record> out;
    for_each_record(machine, machine.gpus()[gpu], gpu, [&](const Record& record) { out.push_back(record); });
    return out;
  }
  static Request request(std::uint32_t pid, std::uint64_t bytes = 0) {
    Request out;
    out.pid = pid;
    out.memory_bytes = bytes;
    return out;
  }
  template <class Change>
  static void edit(const Machine& machine, std::size_t gpu, Change change) {
    const state::Lock lock(machine);
    ASSERT_TRUE(lock);
    state::Edit edit(lock, gpu);
    change(*edit);
    edit.commit();
  }
  static void set_mode(const Machine& machine, std::uint32_t mode) {
    edit(machine, 0, [&](model::Gpu& gpu) { gpu.compute_mode = mode; });
  }
  static void account(const Machine& machine, std::size_t gpu = 0) {
    edit(machine, gpu, [](model::Gpu& changed) {
      changed.accounting.mode = model::EnableState::enabled;
      forget_all(changed);
    });
  }
};

TEST_F(Processes, AClientIsSeenThroughEveryMappingAndLeavesWhenItDies) {
  const auto file = make(2);
  const auto here = attach(file), there = attach(file);
  const auto before = memory(*there);
  Idle process;
  ASSERT_EQ(processes::attach(*here, 0, request(process.pid(), 512 * mib)), Outcome::done);
  EXPECT_EQ(clients(*there), (std::multimap<std::uint32_t, std::uint64_t>{{process.pid(), 512 * mib}}));
  EXPECT_EQ(clients(*there, 1).size(), 0U);
  EXPECT_EQ(memory(*there).used, before.used + 512 * mib);
  EXPECT_EQ(memory(*there).free, before.free - 512 * mib);
  process.die();  // a zombie holds no GPU
  EXPECT_EQ(clients(*there).size(), 0U);
  EXPECT_EQ(memory(*there).used, before.used);
  process.reap();
  EXPECT_EQ(clients(*there).size(), 0U);
}

TEST_F(Processes, TheNameIsThatOfTheProcess) {
  const auto machine = attach(make(1));
  Idle process;
  auto named = request(static_cast<std::uint32_t>(getpid()));
  ASSERT_EQ(processes::attach(*machine, 0, named), Outcome::done);
  EXPECT_NE(machine->process_table(0).clients[0].name.view().find("sim_model_test"), std::string_view::npos);
  named.pid = process.pid();
  named.name = "train.py";
  ASSERT_EQ(processes::attach(*machine, 0, named), Outcome::done);
  EXPECT_EQ(machine->process_table(0).clients[1].name.view(), "train.py");
}

// The number of a process that died was given to another one, which began at another time.
TEST_F(Processes, ANumberThatWasGivenAgainIsAnotherProcess) {
  const auto machine = attach(make(1));
  Idle process;
  ASSERT_EQ(processes::attach(*machine, 0, request(process.pid(), mib)), Outcome::done);
  {
    const state::Lock lock(*machine);
    const auto& client = machine->process_table(0).clients[0];
    ASSERT_TRUE(lock.replace(client.start, client.start - 1));
  }
  EXPECT_EQ(clients(*machine).size(), 0U);
  EXPECT_EQ(set_memory(*machine, 0, process.pid(), 5), Outcome::not_attached);
  ASSERT_EQ(processes::attach(*machine, 0, request(process.pid(), 7)), Outcome::done);
  EXPECT_EQ(clients(*machine), (std::multimap<std::uint32_t, std::uint64_t>{{process.pid(), 7}}));
  remove_ended(*machine, 0);
  EXPECT_EQ(clients(*machine).size(), 1U);
}

// What another PID namespace calls 5 is nobody that can be looked at from here.
TEST_F(Processes, AClientOfAnotherPidNamespaceHoldsItsMemory) {
  const auto machine = attach(make(1));
  const auto before = memory(*machine).used;
  Idle process;
  ASSERT_EQ(processes::attach(*machine, 0, request(process.pid(), mib)), Outcome::done);
  {
    const state::Lock lock(*machine);
    const auto& client = machine->process_table(0).clients[0];
    ASSERT_TRUE(lock.replace(client.pid_namespace, client.pid_namespace + 1));
  }
  process.die();
  process.reap();
  Life life = Life::ended;
  for_each_client(*machine, 0, [&](const Client&, Life now) { life = now; });
  EXPECT_EQ(life, Life::elsewhere);
  EXPECT_EQ(memory(*machine).used, before + mib);
  remove_ended(*machine, 0);
  EXPECT_EQ(clients(*machine).size(), 1U);
}

TEST_F(Processes, MemoryIsNeverMoreThanThereIs) {
  const auto machine = attach(make(1));
  Idle a, b;
  const auto free = memory(*machine).free;
  EXPECT_EQ(processes::attach(*machine, 0, request(a.pid(), free + 1)), Outcome::out_of_memory);
  EXPECT_EQ(clients(*machine).size(), 0U);
  ASSERT_EQ(processes::attach(*machine, 0, request(a.pid(), free - mib)), Outcome::done);
  ASSERT_EQ(processes::attach(*machine, 0, request(b.pid(), mib)), Outcome::done);
  EXPECT_EQ(memory(*machine).free, 0U);
  EXPECT_EQ(set_memory(*machine, 0, b.pid(), mib + 1), Outcome::out_of_memory);
  EXPECT_EQ(processes::attach(*machine, 0, request(b.pid(), 1)), Outcome::out_of_memory);
  a.die();  // makes room at once
  EXPECT_EQ(set_memory(*machine, 0, b.pid(), free), Outcome::done);
  EXPECT_EQ(memory(*machine).free, 0U);
}

TEST_F(Processes, ComputeModesKeepComputeClientsOut) {
  const auto machine = attach(make(1));
  Idle a, b, c;
  auto picture = request(c.pid());
  picture.kinds = graphics;
  set_mode(*machine, model::ComputeMode::prohibited);
  EXPECT_EQ(processes::attach(*machine, 0, request(a.pid())), Outcome::prohibited);
  EXPECT_EQ(processes::attach(*machine, 0, picture), Outcome::done);
  picture.kinds = compute;
  EXPECT_EQ(processes::attach(*machine, 0, picture), Outcome::prohibited);
  set_mode(*machine, model::ComputeMode::exclusive_process);
  EXPECT_EQ(processes::attach(*machine, 0, request(a.pid())), Outcome::done);
  EXPECT_EQ(processes::attach(*machine, 0, request(a.pid(), mib)), Outcome::done);
  EXPECT_EQ(processes::attach(*machine, 0, request(b.pid())), Outcome::exclusive);
  a.die();
  EXPECT_EQ(processes::attach(*machine, 0, request(b.pid())), Outcome::done);
  EXPECT_EQ(detach(*machine, 0, b.pid()), Outcome::done);
  auto one = request(b.pid()), other = request(c.pid());
  one.kinds = other.kinds = mps | compute;
  EXPECT_EQ(processes::attach(*machine, 0, one), Outcome::done);
  EXPECT_EQ(processes::attach(*machine, 0, other), Outcome::done);
}

TEST_F(Processes, AFullTableSaysSo) {
  const auto machine = attach(make(1));
  std::vector<Idle> processes(max_clients + 1);
  for (std::uint32_t i = 0; i < max_clients; ++i)
    ASSERT_EQ(processes::attach(*machine, 0, request(processes[i].pid(), mib)), Outcome::done) << i;
  EXPECT_EQ(clients(*machine).size(), max_clients);
  EXPECT_EQ(processes::attach(*machine, 0, request(processes[max_clients].pid())), Outcome::full);
  processes[500].die();
  EXPECT_EQ(processes::attach(*machine, 0, request(processes[max_clients].pid())), Outcome::done);
}

TEST_F(Processes, AccountingKeepsTheLastOnesOfItsBuffer) {
  const auto machine = attach(make(1));
  Idle before;
  ASSERT_EQ(processes::attach(*machine, 0, request(before.pid())), Outcome::done);  // counts not: it was here before
  edit(*machine, 0, [](model::Gpu& gpu) { gpu.accounting.buffer_size = 3; });
  account(*machine);
  std::vector<std::uint32_t> pids;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    Idle process;
    pids.push_back(process.pid());
    ASSERT_EQ(processes::attach(*machine, 0, request(process.pid(), i * mib)), Outcome::done);
    ASSERT_EQ(set_memory(*machine, 0, process.pid(), 1), Outcome::done);
    const auto now = records(*machine);
    ASSERT_TRUE(now.back().running);
    EXPECT_EQ(now.back().time_ms, 0U);
    EXPECT_EQ(now.back().max_memory_bytes, i * mib);
  }
  const auto ended = records(*machine);
  ASSERT_EQ(ended.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ended[i].pid, pids[i + 2]);
    EXPECT_FALSE(ended[i].running);
    EXPECT_EQ(ended[i].max_memory_bytes, (i + 3) * mib);
  }
  edit(*machine, 0, [&](model::Gpu& gpu) { forget_ended(*machine, gpu, 0); });
  EXPECT_EQ(records(*machine).size(), 0U);
  account(*machine);
  EXPECT_EQ(records(*machine).size(), 0U);
}

TEST_F(Processes, UtilizationIsSharedByWeight) {
  const auto machine = attach(make(1));
  edit(*machine, 0, [](model::Gpu& gpu) { gpu.utilization.gpu = 80U; });
  account(*machine);
  Idle a, b;
  auto heavy = request(a.pid());
  heavy.share = 3;
  ASSERT_EQ(processes::attach(*machine, 0, heavy), Outcome::done);
  ASSERT_EQ(processes::attach(*machine, 0, request(b.pid())), Outcome::done);
  std::map<std::uint32_t, std::uint32_t> percent;
  for (const auto& record : records(*machine)) percent[record.pid] = record.gpu_percent;
  EXPECT_EQ(percent, (std::map<std::uint32_t, std::uint32_t>{{a.pid(), 60}, {b.pid(), 20}}));
}

// Random processes come, change what they hold, go and die, on two GPUs, through two mappings.
TEST_F(Processes, WhateverHappensTheMachineAgreesWithAPlainList) {
  struct User {
    Idle process;
    bool dead = false;
    std::map<std::size_t, std::uint64_t> memory;  // by GPU
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
    const std::uint64_t bytes = (random() % (48 << 10)) * mib;
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
        accounted[gpu] += !user.memory.count(gpu);
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
  ASSERT_EQ(processes::attach(*machine, 0, request(stays.pid(), mib)), Outcome::done);
  std::mt19937 random(3);
  int halfway = 0;
  for (int round = 0; round < 400; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (const auto self = static_cast<std::uint32_t>(getpid());;) {
        processes::attach(*machine, 0, request(self, 2 * mib));
        detach(*machine, 0, self);
      }
    }
    usleep(static_cast<useconds_t>(200 + random() % 1500));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    halfway += machine->header().any % 2 != 0;
    ASSERT_EQ(memory(*machine).used, before + mib) << "round " << round;
    ASSERT_EQ(clients(*machine).size(), 1U) << "round " << round;
    remove_ended(*machine, 0);
    const auto all = records(*machine);
    ASSERT_EQ(std::count_if(all.begin(), all.end(), [](const Record& record) { return record.running; }), 1);
  }
  RecordProperty("halfway", halfway);
  EXPECT_GT(records(*machine).size(), 400U);
}

}  // namespace
}  // namespace nvmlkit::sim::processes
