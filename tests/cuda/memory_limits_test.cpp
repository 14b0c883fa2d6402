// A CUDA program gets no more of a GPU's memory than the limit of its cgroup leaves, and what its address space has.
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../emulator.hpp"
#include "../taken.hpp"
#include "loaded.hpp"
#include "own_process.hpp"
#include "sim/config/load.hpp"
#include "sim/processes/limits.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cuda_test {
namespace {

constexpr std::size_t kMibOfLimits = std::size_t{1} << 20;

TEST(CudaMemoryLimits, HoldForTheProcessesOfACgroup) {
  if (!has_own_process()) return;
  const auto cgroups = sim::processes::cgroups_of(static_cast<std::uint32_t>(getpid()));
  if (cgroups[0] == 0) GTEST_SKIP() << "the system does not tell the cgroup of this process";
  const auto state = std::filesystem::temp_directory_path() / ("nvmlkit-cuda-limits-" + std::to_string(getpid()));
  std::string error;
  const auto machine = sim::taken(sim::load_machine({{"NVMLKIT_MACHINE", "h100"}}), error);
  ASSERT_TRUE(machine && sim::taken(sim::state::save(*machine, state.string(), "h100"), error)) << error;
  const auto shared = sim::taken(sim::load_machine({{"NVMLKIT_STATE", state.string()}}), error);
  ASSERT_TRUE(shared) << error;
  const auto limit = [&](std::uint64_t hard) {
    return sim::processes::set_limit(*shared, 0, {cgroups[0], 0, hard, {}}) == sim::processes::Outcome::done;
  };
  ASSERT_TRUE(limit(1024 * kMibOfLimits));
  setenv("NVMLKIT_STATE", state.c_str(), 1);

  CUcontext context = nullptr;
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxCreate_v2(&context, 0u, 0), CUDA_SUCCESS);
  std::size_t left = 0, total = 0;
  EXPECT_EQ(driver().cuMemGetInfo_v2(&left, &total), CUDA_SUCCESS);
  EXPECT_LE(left, 1024 * kMibOfLimits);
  CUdeviceptr first = 0, second = 0;
  EXPECT_EQ(driver().cuMemAlloc_v2(&first, 1025 * kMibOfLimits), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver().cuMemAlloc_v2(&first, 256 * kMibOfLimits), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemAlloc_v2(&second, 800 * kMibOfLimits), CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_TRUE(limit(sim::processes::kNoLimit));
  EXPECT_EQ(driver().cuMemAlloc_v2(&second, 800 * kMibOfLimits), CUDA_SUCCESS);
  std::filesystem::remove(state);
}

// `ulimit -v`: 2 GiB more than the process has, for a GPU of 80 GiB.
TEST(CudaMemoryLimits, AProcessMayHaveFewAddresses) {
  if (NVMLKIT_TEST_SANITIZED) GTEST_SKIP() << "a sanitizer needs its own address space";
  if (under_qemu()) GTEST_SKIP() << "qemu-user keeps no limits of the address space";
  if (!has_own_process()) return;
  setenv("NVMLKIT_MACHINE", "h100", 1);
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto now = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlimit few{now + 2048 * kMibOfLimits, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &few), 0);

  CUcontext context = nullptr;
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxCreate_v2(&context, 0u, 0), CUDA_SUCCESS);
  CUdeviceptr memory = 0, more = 0;
  ASSERT_EQ(driver().cuMemAlloc_v2(&memory, 100 * kMibOfLimits), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemAlloc_v2(&more, 4096 * kMibOfLimits), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver().cuMemsetD8_v2(memory, 7, 100 * kMibOfLimits), CUDA_SUCCESS);
  unsigned char last = 0;
  EXPECT_EQ(driver().cuMemcpyDtoH_v2(&last, memory + 100 * kMibOfLimits - 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(last, 7);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
