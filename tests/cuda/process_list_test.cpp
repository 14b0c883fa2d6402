// A CUDA program as another process sees it through NVML.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "../emulator.hpp"
#include "../taken.hpp"
#include "kernels_support.hpp"
#include "own_process.hpp"
#include "sim/config/load.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cuda_test {
namespace {

// The child: allocates, runs a kernel, reports, and stays until it is killed.
[[noreturn]] void compute_and_wait(int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(1);  // who reads our output need not wait for it
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  CUdeviceptr data = 0;
  unsigned count = 100;
  void* arguments[] = {&data, &count};
  const bool good =
      driver().cuInit(0u) == CUDA_SUCCESS && driver().cuCtxCreate_v2(&context, 0u, 1) == CUDA_SUCCESS &&
      driver().cuMemAlloc_v2(&data, std::size_t{64} << 20) == CUDA_SUCCESS &&
      driver().cuModuleLoadData(&module, kScale) == CUDA_SUCCESS &&
      driver().cuModuleGetFunction(&scale, module, "scale") == CUDA_SUCCESS &&
      driver().cuLaunchKernel(scale, 1u, 1u, 1u, 64u, 1u, 1u, 0u, CUstream{}, arguments, nullptr) == CUDA_SUCCESS &&
      driver().cuCtxSynchronize() == CUDA_SUCCESS;
  if (write(report, good ? "y" : "n", 1) == 1) pause();
  _exit(0);
}

TEST(CudaProcess, IsListedWhileItRuns) {
  NVMLKIT_NEEDS_START_TIMES();
  if (!has_own_process()) return;
  const auto state = std::filesystem::temp_directory_path() / ("nvmlkit-cuda-" + std::to_string(getpid()));
  std::string error;
  const auto machine = sim::taken(sim::load_machine({{"NVMLKIT_MACHINE", "h100"}}), error);
  ASSERT_TRUE(machine && sim::taken(sim::state::save(*machine, state.string(), "h100"), error)) << error;
  setenv("NVMLKIT_STATE", state.c_str(), 1);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const auto child = fork();
  if (child == 0) {
    compute_and_wait(ready[1]);
  }
  close(ready[1]);  // a child that died writes nothing, and nobody waits for it
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');

  void* const nvml = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nvml, nullptr);
  const auto ask = [&]<class... Args>(const char* name, Args... args) {
    return reinterpret_cast<int (*)(Args...)>(dlsym(nvml, name))(args...);
  };
  struct Process {
    unsigned pid;
    unsigned long long memory;
    unsigned instances[2];
  } processes[4] = {};
  struct {
    unsigned gpu, memory;
  } utilization{};
  unsigned count = 4;
  void* device = nullptr;
  ASSERT_EQ(ask("nvmlInit_v2"), 0);
  ASSERT_EQ(ask("nvmlDeviceGetHandleByIndex_v2", 1u, &device), 0);
  EXPECT_EQ(ask("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, &processes[0]), 0);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(processes[0].pid, static_cast<unsigned>(child));
  EXPECT_GE(processes[0].memory, 64ull << 20);
  EXPECT_EQ(ask("nvmlDeviceGetUtilizationRates", device, &utilization), 0);
  EXPECT_GT(utilization.gpu, 0u);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  count = 4;
  EXPECT_EQ(ask("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, &processes[0]), 0);
  EXPECT_EQ(count, 0u);
  std::filesystem::remove(state);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
