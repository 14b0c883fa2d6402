// Limits of a GPU's memory by cgroup. A test that needs a cgroup of its own is skipped where it may make none.
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <functional>
#include <string>

#include "faults_support.hpp"
#include "sim/processes/clients.hpp"
#include "sim/processes/limits.hpp"

namespace nvmlkit::driver_test {
namespace {

constexpr unsigned long long kGib = 1ULL << 30;

// A cgroup that ends with the test.
class Cgroup {
 public:
  explicit Cgroup(const std::string& name = "") {
    for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      if (access((std::string(root) + "/cgroup.procs").c_str(), W_OK) != 0) continue;
      const auto path = std::string(root) + "/nvmlkit_test_" + std::to_string(getpid()) + name;
      if (mkdir(path.c_str(), 0755) == 0) path_ = path;
      if (!path_.empty()) return;
    }
  }
  ~Cgroup() {
    if (!path_.empty()) rmdir(path_.c_str());
  }
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  const std::string& path() const { return path_; }
  // The result of `work` in a child process that is in the cgroup; 255 where it cannot be.
  int in_child(const std::function<int()>& work) const {
    const auto child = fork();
    if (child == 0) {
      std::ofstream(path_ + "/cgroup.procs") << getpid() << std::flush;
      _exit(Loaded::init_in_child() ? work() : 255);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  }

 private:
  std::string path_;
};

class MemoryLimits : public Shared {
 protected:
  void start() {
    start_shared("h100");
    start_library();
  }
  nvmlReturn_t set(const char* path, unsigned long long soft, unsigned long long hard) {
    nvmlSetMemoryLimits_v1_t limits{path, soft, hard};
    return call("nvmlDeviceSetMemoryLimits_v1", device(), &limits);
  }
  nvmlReturn_t get(const char* path, nvmlGetMemoryLimits_v1_t& limits) {
    limits = {};
    limits.nameSpace = path;
    return call("nvmlDeviceGetMemoryLimits_v1", device(), &limits);
  }
};

TEST_F(MemoryLimits, WrongArgumentsAreRefused) {
  start();
  nvmlGetMemoryLimits_v1_t limits{};
  EXPECT_EQ(set(nullptr, 0, kGib), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(get(nullptr, limits), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set("/tmp", 2 * kGib, kGib), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set("/tmp", 0, 1024 * kGib), NVML_ERROR_INVALID_ARGUMENT);  // more than the GPU has
  EXPECT_EQ(set("/tmp", 0, kGib), NVML_ERROR_OPERATING_SYSTEM);         // no cgroup
  EXPECT_EQ(set("/no/such/path", 0, kGib), NVML_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(get("/tmp", limits), NVML_ERROR_OPERATING_SYSTEM);
}

TEST_F(MemoryLimits, AreSetReadAndEnded) {
  const Cgroup cgroup;
  if (cgroup.path().empty()) GTEST_SKIP() << "no cgroup can be made";
  start();
  const auto* path = cgroup.path().c_str();
  nvmlGetMemoryLimits_v1_t limits{};
  EXPECT_EQ(get(path, limits), NVML_ERROR_NOT_FOUND);
  ASSERT_EQ(set(path, kGib, 2 * kGib), NVML_SUCCESS);
  ASSERT_EQ(get(path, limits), NVML_SUCCESS);
  EXPECT_EQ(limits.softLimit, kGib);
  EXPECT_EQ(limits.hardLimit, 2 * kGib);
  EXPECT_EQ(limits.currentUsed, 0U);
  ASSERT_EQ(get((cgroup.path() + "/cgroup.procs").c_str(), limits), NVML_SUCCESS);  // a file of the cgroup
  EXPECT_EQ(limits.hardLimit, 2 * kGib);
  ASSERT_EQ(set(path, 0, 3 * kGib), NVML_SUCCESS);
  ASSERT_EQ(get(path, limits), NVML_SUCCESS);
  EXPECT_EQ(limits.hardLimit, 3 * kGib);
  ASSERT_EQ(set(path, 0, DEVICE_MEMORY_LIMIT_MAX), NVML_SUCCESS);
  EXPECT_EQ(get(path, limits), NVML_ERROR_NOT_FOUND);
}

TEST_F(MemoryLimits, CountForTheProcessesOfTheCgroupAlone) {
  const Cgroup cgroup;
  if (cgroup.path().empty()) GTEST_SKIP() << "no cgroup can be made";
  start();
  ASSERT_EQ(set(cgroup.path().c_str(), 0, 2 * kGib), NVML_SUCCESS);
  const auto outcome = cgroup.in_child([&] {
    using sim::processes::Outcome;
    const auto pid = static_cast<std::uint32_t>(getpid());
    nvmlMemory_v2_t memory{};
    memory.version = static_cast<unsigned int>(sizeof memory | 2U << 24);
    if (call("nvmlDeviceGetMemoryInfo_v2", device(), &memory) != NVML_SUCCESS) return 1;
    if (memory.total != 2 * kGib || memory.free != 2 * kGib) return 2;
    sim::processes::Request request;
    request.pid = pid;
    request.memory_bytes = 3 * kGib;
    if (sim::processes::attach(*outside_, 0, request) != Outcome::out_of_memory) return 3;
    request.memory_bytes = kGib;
    if (sim::processes::attach(*outside_, 0, request) != Outcome::done) return 4;
    if (sim::processes::set_memory(*outside_, 0, pid, 3 * kGib) != Outcome::out_of_memory) return 5;
    nvmlGetMemoryLimits_v1_t limits{};
    if (get(cgroup.path().c_str(), limits) != NVML_SUCCESS || limits.currentUsed != kGib) return 6;
    if (call("nvmlDeviceGetMemoryInfo_v2", device(), &memory) != NVML_SUCCESS) return 7;
    if (memory.used != kGib || memory.free != kGib) return 8;
    nvmlMemory_t whole{};  // the first version knows no cgroups
    if (call("nvmlDeviceGetMemoryInfo", device(), &whole) != NVML_SUCCESS || whole.total <= 2 * kGib) return 9;
    return 0;
  });
  EXPECT_EQ(outcome, 0);
  nvmlMemory_v2_t memory{};
  memory.version = static_cast<unsigned int>(sizeof memory | 2U << 24);
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device(), &memory), NVML_SUCCESS);
  EXPECT_GT(memory.total, 2 * kGib);  // this process is outside
  nvmlGetMemoryLimits_v1_t limits{};
  ASSERT_EQ(get(cgroup.path().c_str(), limits), NVML_SUCCESS);
  EXPECT_EQ(limits.currentUsed, 0U);  // the child has ended
}

TEST_F(MemoryLimits, OfRemovedCgroupsGiveWay) {
  const Cgroup cgroup, further("_further"), last("_last");
  if (last.path().empty()) GTEST_SKIP() << "no cgroup can be made";
  start();
  // Of another container, as far as this process can know: they stay.
  for (std::uint64_t i = 1; i < sim::processes::kMaxLimits; ++i)
    ASSERT_EQ(sim::processes::set_limit(*outside_, 0, {i, 0, kGib, {}}), sim::processes::Outcome::done);
  ASSERT_EQ(set(cgroup.path().c_str(), 0, kGib), NVML_SUCCESS);
  EXPECT_EQ(set(further.path().c_str(), 0, kGib), NVML_ERROR_INSUFFICIENT_RESOURCES);
  ASSERT_EQ(rmdir(cgroup.path().c_str()), 0);
  EXPECT_EQ(set(further.path().c_str(), 0, kGib), NVML_SUCCESS);
  nvmlGetMemoryLimits_v1_t limits{};
  EXPECT_EQ(get(further.path().c_str(), limits), NVML_SUCCESS);
  EXPECT_EQ(set(last.path().c_str(), 0, kGib), NVML_ERROR_INSUFFICIENT_RESOURCES);
  // A folder that is gone here may be one of another container: its processes prove that it is there.
  const auto outcome = further.in_child([&] {
    sim::processes::Request request;
    request.pid = static_cast<std::uint32_t>(getpid());
    if (sim::processes::attach(*outside_, 0, request) != sim::processes::Outcome::done) return 1;
    std::ofstream(further.path() + "/../cgroup.procs") << getpid() << std::flush;
    if (rmdir(further.path().c_str()) != 0) return 2;
    return set(last.path().c_str(), 0, kGib) == NVML_ERROR_INSUFFICIENT_RESOURCES ? 0 : 3;
  });
  EXPECT_EQ(outcome, 0);
}

}  // namespace
}  // namespace nvmlkit::driver_test
