// Processes that use GPUs: who is seen, what they hold, who is refused, what is remembered.
#include <unistd.h>

#include "../emulator.hpp"
#include "processes_support.hpp"
#include "sim/steering/command.hpp"
#include "telemetry_support.hpp"

namespace nvmlkit::sim::processes {
namespace {

TEST_F(Processes, AClientIsSeenThroughEveryMappingAndLeavesWhenItDies) {
  const auto file = make(2);
  const auto here = attach(file), there = attach(file);
  const auto before = memory(*there);
  Idle process;
  ASSERT_EQ(processes::attach(*here, 0, request(process.pid(), 512 * kMib)), Outcome::done);
  EXPECT_EQ(clients(*there), (std::multimap<std::uint32_t, std::uint64_t>{{process.pid(), 512 * kMib}}));
  EXPECT_EQ(clients(*there, 1).size(), 0U);
  EXPECT_EQ(memory(*there).used, before.used + 512 * kMib);
  EXPECT_EQ(memory(*there).free, before.free - 512 * kMib);
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
  ASSERT_EQ(processes::attach(*machine, 0, request(process.pid(), kMib)), Outcome::done);
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

// Whose namespace is not below this one, it cannot be looked at from here. On the host there is no such namespace.
TEST_F(Processes, AClientOfAnotherPidNamespaceHoldsItsMemory) {
  const auto machine = attach(make(1));
  const auto before = memory(*machine).used;
  Idle process;
  ASSERT_EQ(processes::attach(*machine, 0, request(process.pid(), kMib)), Outcome::done);
  {
    const state::Lock lock(*machine);
    const auto& client = machine->process_table(0).clients[0];
    ASSERT_TRUE(lock.replace(client.pid_namespace, client.pid_namespace + 1));
  }
  process.die();
  process.reap();
  const std::size_t left = sees_every_process() ? 0 : 1;
  std::vector<Life> lives;
  for_each_client(*machine, 0, [&](const Client&, Life now) { lives.push_back(now); });
  EXPECT_EQ(lives, std::vector<Life>(left, Life::elsewhere));
  EXPECT_EQ(memory(*machine).used, before + left * kMib);
  remove_ended(*machine, 0);
  EXPECT_EQ(clients(*machine).size(), left);
}

TEST_F(Processes, MemoryIsNeverMoreThanThereIs) {
  const auto machine = attach(make(1));
  Idle a, b;
  const auto free = memory(*machine).free;
  EXPECT_EQ(processes::attach(*machine, 0, request(a.pid(), free + 1)), Outcome::out_of_memory);
  EXPECT_EQ(clients(*machine).size(), 0U);
  ASSERT_EQ(processes::attach(*machine, 0, request(a.pid(), free - kMib)), Outcome::done);
  ASSERT_EQ(processes::attach(*machine, 0, request(b.pid(), kMib)), Outcome::done);
  EXPECT_EQ(memory(*machine).free, 0U);
  EXPECT_EQ(set_memory(*machine, 0, b.pid(), kMib + 1), Outcome::out_of_memory);
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
  EXPECT_EQ(processes::attach(*machine, 0, request(a.pid(), kMib)), Outcome::done);
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
  std::vector<Idle> processes(kMaxClients + 1);
  for (std::uint32_t i = 0; i < kMaxClients; ++i)
    ASSERT_EQ(processes::attach(*machine, 0, request(processes[i].pid(), kMib)), Outcome::done) << i;
  EXPECT_EQ(clients(*machine).size(), kMaxClients);
  EXPECT_EQ(processes::attach(*machine, 0, request(processes[kMaxClients].pid())), Outcome::full);
  processes[500].die();
  EXPECT_EQ(processes::attach(*machine, 0, request(processes[kMaxClients].pid())), Outcome::done);
}

// NVML tells the mean over the life of a process, not what its last moment was like.
TEST(Accounting, UtilizationIsTheMeanOfTheLife) {
  telemetry_test::Bench b("base: h100\nsystem: {num_devices: 1}\ndevice_defaults: {accounting: {mode: enabled}}\n");
  const auto record = [&](std::uint32_t pid) {
    remove_ended(b.machine(), 0);
    Record found{};
    for_each_record(b.machine(), b.gpu(), 0, [&](const Record& each) {
      if (each.pid == pid) found = each;
    });
    return found;
  };
  const Idle lasting, passing;
  const auto attach = [&](const Idle& process, std::uint32_t share) {
    Request request;
    request.pid = process.pid();
    request.share = share;
    return processes::attach(b.machine(), 0, request);
  };
  ASSERT_EQ(attach(lasting, 1), Outcome::done);
  b.load(80, 40);
  b.pass(10);
  EXPECT_EQ(record(lasting.pid()).gpu_percent, 80U);
  b.unload();
  b.pass(10);
  EXPECT_EQ(record(lasting.pid()).gpu_percent, 40U);
  EXPECT_EQ(record(lasting.pid()).memory_percent, 20U);
  ASSERT_EQ(attach(passing, 3), Outcome::done);
  b.load(80, 40);
  b.pass(20);
  EXPECT_EQ(record(lasting.pid()).gpu_percent, 30U);  // 10 s of 80, 10 of 0, 20 of a quarter of 80
  EXPECT_EQ(record(passing.pid()).gpu_percent, 60U);
  passing.die();
  const auto ended = record(passing.pid());
  EXPECT_FALSE(ended.running);
  EXPECT_EQ(ended.gpu_percent, 60U);
  EXPECT_EQ(ended.memory_percent, 30U);
  EXPECT_EQ(ended.time_ms, 20'000U);
  b.pass(40);
  EXPECT_EQ(record(lasting.pid()).gpu_percent, 55U);
  EXPECT_EQ(record(passing.pid()).gpu_percent, 60U);

  // One that comes again has one record of both lives.
  ASSERT_EQ(detach(b.machine(), 0, lasting.pid()), Outcome::done);
  EXPECT_EQ(record(lasting.pid()).gpu_percent, 55U);
  b.unload();
  ASSERT_EQ(attach(lasting, 1), Outcome::done);
  b.pass(80);
  ASSERT_EQ(detach(b.machine(), 0, lasting.pid()), Outcome::done);
  EXPECT_EQ(record(lasting.pid()).time_ms, 160'000U);
  EXPECT_EQ(record(lasting.pid()).gpu_percent, 27U);
}

// What processes of the machine file use is not shared; dynamic metrics count with their mean.
TEST(Accounting, SharesWhatIsLeft) {
  telemetry_test::Bench b(
      "base: h100\nsystem: {num_devices: 1}\ndevice_defaults:\n  accounting: {mode: enabled}\n"
      "  processes: [{pid: 7, name: fixed, sm_util: 20}]\n"
      "  dynamic_metrics: {seed: 3, utilization: {pattern: burst, gpu_min: 20, gpu_max: 100, burst_period_sec: 10}}\n");
  const Idle process;
  Request request;
  request.pid = process.pid();
  ASSERT_EQ(attach(b.machine(), 0, request), Outcome::done);
  b.pass(40);  // calm at 20 to 40, bursts at 80 to 100, half of the time each
  std::uint32_t percent = 0;
  for_each_record(b.machine(), b.gpu(), 0, [&](const Record& each) {
    if (each.pid == process.pid()) percent = each.gpu_percent;
  });
  EXPECT_EQ(percent, (30U + 90U) / 2 - 20U);
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
    ASSERT_EQ(processes::attach(*machine, 0, request(process.pid(), i * kMib)), Outcome::done);
    ASSERT_EQ(set_memory(*machine, 0, process.pid(), 1), Outcome::done);
    const auto now = records(*machine);
    ASSERT_TRUE(now.back().running);
    EXPECT_EQ(now.back().time_ms, 0U);
    EXPECT_EQ(now.back().max_memory_bytes, i * kMib);
  }
  const auto ended = records(*machine);
  ASSERT_EQ(ended.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ended[i].pid, pids[i + 2]);
    EXPECT_FALSE(ended[i].running);
    EXPECT_EQ(ended[i].max_memory_bytes, (i + 3) * kMib);
  }
  edit(*machine, 0, [&](model::Gpu& gpu) { forget_ended(*machine, gpu, 0); });
  EXPECT_EQ(records(*machine).size(), 0U);
  account(*machine);
  EXPECT_EQ(records(*machine).size(), 0U);
}

TEST_F(Processes, AProcessThatComesAgainHasOneRecord) {
  const auto machine = attach(make(1));
  account(*machine);
  Idle process;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(processes::attach(*machine, 0, request(process.pid(), (4 - i) * kMib)), Outcome::done);
    EXPECT_EQ(records(*machine).size(), 1U);
    EXPECT_TRUE(records(*machine)[0].running);
    usleep(3000);
    ASSERT_EQ(detach(*machine, 0, process.pid()), Outcome::done);
    ASSERT_EQ(records(*machine).size(), 1U);
    EXPECT_FALSE(records(*machine)[0].running);
    EXPECT_EQ(records(*machine)[0].max_memory_bytes, 3 * kMib);
    EXPECT_GE(records(*machine)[0].time_ms, 3 * i);
  }
}

TEST_F(Processes, UtilizationIsSharedByWeight) {
  NVMLKIT_NEEDS_START_TIMES();
  const auto machine = attach(make(1));
  ASSERT_TRUE(steering::set_pace(*machine, 0)) << "no time passes in which the first one is alone";
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

}  // namespace
}  // namespace nvmlkit::sim::processes
