// Clients of a shared machine as NVML shows them: every version of every list tells the same.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <map>
#include <vector>

#include "../taken.hpp"
#include "loaded.hpp"
#include "nvmlkit/abi/legacy.hpp"
#include "sim/config/load.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::driver_test {
namespace {

using sim::processes::Outcome;
using sim::processes::Request;

constexpr unsigned long long kMib = 1ULL << 20;

class RunningProcesses : public Loaded {
 protected:
  void SetUp() override {
    file_ = testing::TempDir() + "/processes_" + std::to_string(getpid());
    std::string error;
    const auto fresh = sim::taken(sim::load_machine({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_GPU_COUNT", "1"}}), error);
    ASSERT_TRUE(fresh && sim::taken(sim::state::save(*fresh, file_, "h100"), error)) << error;
    machine_ = sim::taken(sim::state::attach(file_), error);
    ASSERT_TRUE(machine_) << error;
    setenv("NVMLKIT_STATE", file_.c_str(), 1);
    start("h100");
  }
  void TearDown() override {
    for (const auto pid : children_) kill(pid, SIGKILL);
    for (const auto pid : children_) waitpid(pid, nullptr, 0);
    Loaded::TearDown();
    unsetenv("NVMLKIT_STATE");
    unlink(file_.c_str());
  }

  unsigned int attach(unsigned int kinds, unsigned long long bytes, unsigned int instance = 0xFFFFFFFF) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for it when the test dies
      for (;;) pause();
    }
    children_.push_back(child);
    Request request;
    request.pid = static_cast<unsigned int>(child);
    request.kinds = kinds;
    request.memory_bytes = bytes;
    request.gpu_instance = instance;
    name_ = "program " + std::to_string(children_.size());
    request.name = name_;
    EXPECT_EQ(sim::processes::attach(*machine_, 0, request), Outcome::done);
    return request.pid;
  }

  using Seen = std::map<unsigned int, unsigned long long>;  // pid, bytes

  // One list through one entry point, after asking how long it is.
  template <class Info>
  static Seen list(const std::string& function) {
    unsigned int count = 0;
    const auto probe = call(function.c_str(), device(), &count, static_cast<Info*>(nullptr));
    EXPECT_EQ(probe, count > 0 ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS) << function;
    std::vector<Info> infos(count);
    EXPECT_EQ(call(function.c_str(), device(), &count, infos.data()), NVML_SUCCESS) << function;
    Seen out;
    for (const auto& info : infos) out[info.pid] = info.usedGpuMemory;
    return out;
  }

  static void expect_everywhere(const std::string& kind, unsigned int mode, const Seen& expected) {
    const auto base = "nvmlDeviceGet" + kind + "RunningProcesses";
    EXPECT_EQ(list<nvmlProcessInfo_v1_t>(base), expected);
    EXPECT_EQ(list<nvmlProcessInfo_v2_t>(base + "_v2"), expected);
    EXPECT_EQ(list<nvmlProcessInfo_t>(base + "_v3"), expected);
    std::vector<nvmlProcessDetail_v1_t> details(16);
    nvmlProcessDetailList_v1_t all{version_tag<nvmlProcessDetailList_v1_t>, mode, 16, details.data()};
    EXPECT_EQ(call("nvmlDeviceGetRunningProcessDetailList", device(), &all), NVML_SUCCESS);
    Seen seen;
    for (unsigned int i = 0; i < all.numProcArrayEntries; ++i) seen[details[i].pid] = details[i].usedGpuMemory;
    EXPECT_EQ(seen, expected) << kind;
  }

  static nvmlMemory_t memory() {
    nvmlMemory_t first{};
    nvmlMemory_v2_t second{};
    second.version = version_tag<nvmlMemory_v2_t>;
    EXPECT_EQ(call("nvmlDeviceGetMemoryInfo", device(), &first), NVML_SUCCESS);
    EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device(), &second), NVML_SUCCESS);
    EXPECT_EQ(first.total, second.total);
    EXPECT_EQ(first.free, second.free);
    EXPECT_EQ(first.used, second.used + second.reserved);
    EXPECT_EQ(first.used + first.free, first.total);
    return first;
  }

  std::unique_ptr<sim::Machine> machine_;
  std::vector<pid_t> children_;
  std::string name_;

 private:
  std::string file_;
};

TEST_F(RunningProcesses, EveryVersionOfEveryListTellsTheSame) {
  using namespace sim::processes;
  const auto before = memory();
  const auto c = attach(compute, 100 * kMib), g = attach(graphics, 200 * kMib),
             both = attach(compute | graphics, 300 * kMib), m = attach(mps | compute, 400 * kMib);
  expect_everywhere("Compute", 0, {{c, 100 * kMib}, {both, 300 * kMib}, {m, 400 * kMib}});
  expect_everywhere("Graphics", 1, {{g, 200 * kMib}, {both, 300 * kMib}});
  expect_everywhere("MPSCompute", 2, {{m, 400 * kMib}});
  EXPECT_EQ(memory().used, before.used + 1000 * kMib);
  kill(children_[2], SIGKILL);
  waitpid(children_[2], nullptr, 0);
  expect_everywhere("Compute", 0, {{c, 100 * kMib}, {m, 400 * kMib}});
  expect_everywhere("Graphics", 1, {{g, 200 * kMib}});
  EXPECT_EQ(memory().used, before.used + 700 * kMib);
}

TEST_F(RunningProcesses, InstancesAndNames) {
  const auto pid = attach(sim::processes::compute, kMib, 3);
  unsigned int count = 1;
  nvmlProcessInfo_t info{};
  EXPECT_EQ(call("nvmlDeviceGetComputeRunningProcesses_v3", device(), &count, &info), NVML_SUCCESS);
  EXPECT_EQ(info.gpuInstanceId, 3U);
  EXPECT_EQ(info.computeInstanceId, 0xFFFFFFFFU);
  char name[32] = {};
  EXPECT_EQ(call("nvmlSystemGetProcessName", pid, name, 32U), NVML_SUCCESS);
  EXPECT_STREQ(name, name_.c_str());
  EXPECT_EQ(call("nvmlSystemGetProcessName", pid, name, 5U), NVML_SUCCESS);
  EXPECT_STREQ(name, "prog");
  EXPECT_EQ(call("nvmlSystemGetProcessName", static_cast<unsigned int>(getpid()), name, 32U), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlSystemGetProcessName", 0x7FFFFFF0U, name, 32U), NVML_ERROR_NOT_FOUND);
}

TEST_F(RunningProcesses, AccountingOutlivesTheProcess) {
  if (geteuid() != 0) GTEST_SKIP() << "switching accounting on needs root";
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlDeviceGetAccountingPids", device(), &count, static_cast<unsigned int*>(nullptr)), NVML_SUCCESS);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(call("nvmlDeviceSetAccountingMode", device(), NVML_FEATURE_ENABLED), NVML_SUCCESS);
  const auto pid = attach(sim::processes::compute, 64 * kMib);
  nvmlAccountingStats_t stats{};
  EXPECT_EQ(call("nvmlDeviceGetAccountingStats", device(), pid, &stats), NVML_SUCCESS);
  EXPECT_EQ(stats.isRunning, 1U);
  EXPECT_EQ(stats.time, 0U);
  EXPECT_EQ(stats.maxMemoryUsage, 64 * kMib);
  const auto began = stats.startTime;
  kill(children_[0], SIGKILL);
  waitpid(children_[0], nullptr, 0);
  EXPECT_EQ(call("nvmlDeviceGetAccountingStats", device(), pid, &stats), NVML_SUCCESS);
  EXPECT_EQ(stats.isRunning, 0U);
  EXPECT_EQ(stats.startTime, began);
  nvmlAccountingStats_v2_t newer{};
  newer.pid = pid;
  EXPECT_EQ(call("nvmlDeviceGetAccountingStats_v2", device(), &newer), NVML_SUCCESS);
  EXPECT_EQ(newer.time, stats.time);
  unsigned int pids[4] = {};
  count = 4;
  EXPECT_EQ(call("nvmlDeviceGetAccountingPids", device(), &count, pids), NVML_SUCCESS);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(pids[0], pid);
  EXPECT_EQ(call("nvmlDeviceClearAccountingPids", device()), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetAccountingStats", device(), pid, &stats), NVML_ERROR_NOT_FOUND);
}

}  // namespace
}  // namespace nvmlkit::driver_test
