// Containers as processes on a GPU: their memory, their load together, their end.
#include "cdi_hook/presence.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "../sim/processes_support.hpp"
#include "sim/problem/text.hpp"

namespace nvmlkit::cdi_hook {
namespace {

namespace processes = sim::processes;

class HookPresence : public processes::Processes {
 protected:
  static Container container(std::uint32_t pid) {
    Container out;
    out.pid = pid;
    out.program = "train";
    return out;
  }
  static std::uint32_t load(const sim::Machine& machine, std::size_t gpu = 0) {
    return machine.gpus()[gpu].workload.gpu.value_or(0);
  }
};

TEST_F(HookPresence, ALoadIsThatOfAllContainers) {
  const auto machine = attach(make(2));
  const auto before = memory(*machine).used;
  processes::Idle a, b, c;
  ASSERT_TRUE(begin(*machine, {0}, container(a.pid()), {4 * processes::kMib, 30}));
  EXPECT_EQ(load(*machine), 30U);
  ASSERT_TRUE(begin(*machine, {0}, container(b.pid()), {0, 40}));
  ASSERT_TRUE(begin(*machine, {0}, container(c.pid()), {processes::kMib, 0}));
  EXPECT_EQ(load(*machine), 70U);
  EXPECT_EQ(load(*machine, 1), 0U);
  EXPECT_EQ(memory(*machine).used, before + 5 * processes::kMib);
  EXPECT_EQ(machine->process_table(0).clients[0].name.view(), "train");
  a.die();
  ASSERT_TRUE(end(*machine, {0}, {}, {0, 30}));
  EXPECT_EQ(load(*machine), 40U);
  b.die();
  c.die();
  ASSERT_TRUE(end(*machine, {0}, {}, {0, 40}));
  EXPECT_EQ(load(*machine), 0U);
  EXPECT_EQ(memory(*machine).used, before);
}

TEST_F(HookPresence, ALoadIsAtMostAll) {
  const auto machine = attach(make(1));
  processes::Idle a, b;
  ASSERT_TRUE(begin(*machine, {0}, container(a.pid()), {0, 80}));
  ASSERT_TRUE(begin(*machine, {0}, container(b.pid()), {0, 80}));
  EXPECT_EQ(load(*machine), 100U);
  b.die();
  ASSERT_TRUE(end(*machine, {0}, {}, {0, 80}));
  EXPECT_EQ(load(*machine), 80U);
}

TEST_F(HookPresence, ALoadEndsThoughAnotherProgramRemovedTheProcess) {
  const auto machine = attach(make(1));
  processes::Idle a;
  ASSERT_TRUE(begin(*machine, {0}, container(a.pid()), {0, 80}));
  a.die();
  processes::remove_ended(*machine, 0);  // as every program that lists processes and may write does
  ASSERT_TRUE(end(*machine, {0}, {}, {0, 80}));
  EXPECT_EQ(load(*machine), 0U);
}

// On a node with a PID namespace of its own, nothing shows that the process of a container has ended. Its runtime
// knows.
TEST_F(HookPresence, AContainerThatHasEndedIsRemovedThoughItsProcessCannotBeSeen) {
  const auto machine = attach(make(1));
  const auto before = memory(*machine).used;
  processes::Idle a, b;
  auto first = container(a.pid()), second = container(b.pid());
  first.bundle = testing::TempDir() + "/bundle_" + std::to_string(getpid());
  std::filesystem::create_directories(first.bundle);
  ASSERT_TRUE(begin(*machine, {0}, first, {4 * processes::kMib, 30}));
  ASSERT_TRUE(begin(*machine, {0}, second, {processes::kMib, 40}));
  first.pid = 0;                                                      // as a runtime writes it
  ASSERT_TRUE(end(*machine, {0}, first, {4 * processes::kMib, 30}));  // the process a is seen to run
  EXPECT_EQ(memory(*machine).used, before + processes::kMib);
  EXPECT_EQ(load(*machine), 40U);
  std::filesystem::remove_all(first.bundle);
}

TEST_F(HookPresence, TheLoadOfAUserStaysWhereNoContainerHasOne) {
  const auto machine = attach(make(1));
  edit(*machine, 0, [](sim::model::Gpu& gpu) { gpu.workload.gpu = 55U; });
  processes::Idle a;
  ASSERT_TRUE(begin(*machine, {0}, container(a.pid()), {processes::kMib, 0}));
  EXPECT_EQ(load(*machine), 55U);
  a.die();
  ASSERT_TRUE(end(*machine, {0}, {}, {processes::kMib, 0}));
  EXPECT_EQ(load(*machine), 55U);
}

TEST_F(HookPresence, WhatTheGpuRefusesIsSaid) {
  const auto machine = attach(make(1));
  processes::Idle a;
  const auto refused = begin(*machine, {0}, container(a.pid()), {std::uint64_t{1} << 50, 10});
  ASSERT_FALSE(refused);
  EXPECT_NE(sim::text_of(refused.error()).find("GPU 0: the GPU has not so much free memory"), std::string::npos);
  EXPECT_EQ(load(*machine), 0U);
}

}  // namespace
}  // namespace nvmlkit::cdi_hook
