// Simulated processes in words: what they hold, which rules hold for them, what is remembered.
#include "sim/processes/accounting.hpp"
#include "sim/processes/memory.hpp"
#include "sim/state/lock.hpp"
#include "sim/transaction/edit.hpp"
#include "tenants_support.hpp"

namespace nvmlkit::sim::steering {
namespace {

TEST_F(Tenants, AProcessHoldsMemoryAndSmsUntilItEnds) {
  const auto free = [&] { return processes::memory_of(*machine_, gpu(), 0).free; };
  const auto before = free();
  good("process start gpu=0,1 train.py --memory 2GiB --sm 40% --type C+G");
  EXPECT_EQ(before - free(), 2ULL << 30);
  EXPECT_EQ(gpu().workload.gpu.value_or(0), 40U);
  EXPECT_EQ(gpu(1).workload.gpu.value_or(0), 40U);
  good("process start gpu=0 serve --sm 25%");
  EXPECT_EQ(gpu().workload.gpu.value_or(0), 65U);
  EXPECT_EQ(
      say("process start gpu=0 huge --memory 100GiB"),
      "GPU 0: not enough memory for a process with 102400 MiB; " + std::to_string(free() >> 20) + " MiB are free");
  good("process end gpu=0 4194304");
  EXPECT_EQ(free(), before);
  EXPECT_EQ(gpu().workload.gpu.value_or(0), 25U);
  EXPECT_EQ(pids(1), 1U) << "the other GPU is still in use";
  good("process end gpu=all all");
  EXPECT_FALSE(gpu().workload.gpu.present);
  EXPECT_EQ(pids() + pids(1), 0U);
  good("process start gpu=0 next");
  const auto* client = &machine_->process_table(0).clients[0];
  EXPECT_EQ(client->pid, processes::kFirstSimulatedPid + 2) << "numbers are not given again";
}

TEST_F(Tenants, WordsOfProcessesAreChecked) {
  good("process start gpu=0 train.py --pid 77");
  const std::pair<const char*, const char*> cases[] = {
      {"process", "expected start or end after process"},
      {"process stop gpu=0 1", "unknown verb of process 'stop'"},
      {"process start gpu=0", "expected one name of a program"},
      {"process start gpu=0 all", "expected the name of a program, such as train.py, got 'all'"},
      {"process start gpu=0 17", "expected the name of a program"},
      {"process start gpu=0 a --memory 2GB", "after --memory, got '2GB'"},
      {"process start gpu=0 a --sm 140%", "expected a whole percentage from 0% to 100% after --sm, got '140%'"},
      {"process start gpu=0 a --type X", "expected C, G, C+G, M or M+C after --type, got 'X'"},
      {"process start gpu=0 a --ci 0", "expected --gi beside --ci"},
      {"process start gpu=0 a --pid 0", "expected a PID, got '0'"},
      {"process start gpu=0 a --pid 77", "GPU 0: another process of the GPU has this PID"},
      {"process end gpu=0 trian.py", "no simulated process 'trian.py' uses these GPUs; did you mean 'train.py'?"},
      {"process end gpu=1 train.py", "no simulated process 'train.py' uses these GPUs"},
      {"process end gpu=1 all", "no simulated process uses these GPUs"}};
  for (const auto& [line, message] : cases)
    EXPECT_NE(say(line).find(message), std::string::npos) << line << ": " << say(line);
  EXPECT_EQ(pids(), 1U);
}

TEST_F(Tenants, TheRulesOfTheGpuHoldForThem) {
  good("set gpu=0 compute_mode=exclusive_process");
  good("process start gpu=0 one");
  EXPECT_NE(say("process start gpu=0 two").find("process 4194304 (one) uses it"), std::string::npos);
  EXPECT_NE(say("process start gpu=all two"), "");
  EXPECT_EQ(pids(1), 0U) << "on all or on none";
  good("set gpu=1 compute_mode=prohibited");
  EXPECT_NE(say("process start gpu=1 two").find("Prohibited"), std::string::npos);
  good("process start gpu=1 shows --type G");
  good("fault gpu=1 lost");
  EXPECT_EQ(say("process start gpu=1 shows --type G"), "GPU 1: the GPU is lost");
  EXPECT_EQ(say("mig enable gpu=1"), "GPU 1: the GPU is lost");
}

TEST_F(Tenants, AGpuHasRoomForAThousand) {
  for (std::uint32_t i = 0; i < processes::kMaxClients; ++i) good("process start gpu=0 worker --memory 1MiB");
  EXPECT_EQ(pids(), processes::kMaxClients);
  EXPECT_EQ(say("process start gpu=0 worker"), "GPU 0: 1024 processes use the GPU, and more have no place");
  EXPECT_NE(say("process start gpu=all worker"), "");
  EXPECT_EQ(pids(1), 0U);
  good("process end gpu=0 worker");
  EXPECT_EQ(pids(), 0U);
}

TEST_F(Tenants, AccountingRemembersThem) {
  good("time virtual");
  {
    const state::Lock lock(*machine_);
    transaction::Edit edit(lock, 0);
    edit->accounting.mode = model::EnableState::enabled;
    processes::forget_all(*edit);
    edit.commit();
  }
  good("process start gpu=0 train.py --memory 2GiB --sm 50%");
  good("time advance 100s");
  good("process end gpu=0 train.py");
  std::vector<processes::Record> records;
  processes::for_each_record(*machine_, gpu(), 0, [&](const processes::Record& record) { records.push_back(record); });
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].time_ms, 100'000U);
  EXPECT_EQ(records[0].max_memory_bytes, 2ULL << 30);
  EXPECT_NEAR(records[0].gpu_percent, 50, 2);
  EXPECT_FALSE(records[0].running);
}

TEST_F(Tenants, WhatACommandTakesBackItselfIsNamed) {
  const auto made = undo_of(*machine_, words_of("process start gpu=0 a"));
  good("process start gpu=0 a");
  const auto gone = undo_of(*machine_, words_of("process end gpu=0 a"));
  ASSERT_EQ(made.size(), 1U);
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].voids, made[0].key);
}

}  // namespace
}  // namespace nvmlkit::sim::steering
