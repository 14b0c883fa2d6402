// Sixteen threads that load, launch and take away the same things.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "../emulator.hpp"
#include "../taken.hpp"
#include "own_process.hpp"
#include "sim/config/load.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/file.hpp"
#include "threads_support.hpp"

namespace nvmlkit::cuda_test {
namespace {

// Loads a module, sets its variable, launches its kernel in a stream of its own, and takes all of it away.
void launch_once(Tally& tally, unsigned factor) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr data = 0, variable = 0;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  std::size_t size = 0;
  tally.check(driver().cuModuleLoadData(&module, kFill));
  tally.check(driver().cuModuleGetFunction(&function, module, "fill"));
  tally.check(driver().cuModuleGetGlobal_v2(&variable, &size, module, "factor"));
  tally.check(driver().cuMemAlloc_v2(&data, std::size_t{4 * kCount}));
  tally.check(driver().cuStreamCreate(&stream, 0u));
  tally.check(driver().cuEventCreate(&event, 0u));
  tally.check(driver().cuMemcpyHtoDAsync_v2(variable, &factor, std::size_t{4}, stream));
  tally.check(driver().cuMemsetD32Async(data, 7u, std::size_t{kCount}, stream));
  tally.check(launch_kernel(function, kCount / 32, 32, stream, data));
  tally.check(driver().cuEventRecord(event, stream));
  tally.check(driver().cuEventSynchronize(event));
  std::vector<unsigned> got(kCount);
  tally.check(driver().cuMemcpyDtoH_v2(got.data(), data, std::size_t{4 * kCount}));
  for (unsigned i = 0; i < kCount; ++i) tally.wrong += got[i] != 7 * factor + i / 32;
  tally.check(driver().cuEventDestroy_v2(event));
  tally.check(driver().cuStreamDestroy_v2(stream));
  tally.check(driver().cuMemFree_v2(data));
  tally.check(driver().cuModuleUnload(module));
}

TEST(CudaThreads, LoadAndLaunchAtTheSameTime) {
  Tally tally;
  in_threads([&](int t) {
    tally.check(driver().cuInit(0u));
    const CUdevice device = t % 8;
    CUcontext primary = nullptr;
    tally.check(driver().cuDevicePrimaryCtxRetain(&primary, device));
    for (unsigned round = 0; round < 8; ++round) {
      tally.check(driver().cuCtxPushCurrent_v2(primary));
      launch_once(tally, static_cast<unsigned>(t) + round);
      CUcontext own = nullptr, popped = nullptr;  // on top of the other
      tally.check(driver().cuCtxCreate_v2(&own, 0u, (device + 1) % 8));
      launch_once(tally, static_cast<unsigned>(t) + round + 1);
      tally.check(driver().cuCtxPopCurrent_v2(&popped));
      tally.wrong += popped != own;
      tally.check(driver().cuCtxDestroy_v2(own));
      tally.check(driver().cuCtxPopCurrent_v2(&popped));
      tally.wrong += popped != primary;
    }
    tally.check(driver().cuDevicePrimaryCtxRelease_v2(device));
  });
  EXPECT_EQ(tally.refused, 0);
  EXPECT_EQ(tally.wrong, 0);
}

// One library for all: its kernel is in each context when it is first used there.
TEST(CudaThreads, ShareALibrary) {
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_EQ(driver().cuLibraryLoadData(&library, kFill, nullptr, nullptr, 0u, nullptr, nullptr, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLibraryGetKernel(&kernel, library, "fill"), CUDA_SUCCESS);
  Tally tally;
  in_threads([&](int t) {
    CUcontext context = nullptr;
    CUdeviceptr data = 0;
    tally.check(driver().cuCtxCreate_v2(&context, 0u, CUdevice{t % 2}));
    tally.check(driver().cuMemAlloc_v2(&data, std::size_t{4 * kCount}));
    for (unsigned round = 0; round < 8; ++round) {
      tally.check(driver().cuMemsetD32_v2(data, round, std::size_t{kCount}));
      tally.check(launch_kernel(reinterpret_cast<CUfunction>(kernel), kCount / 32, 32, CUstream{}, data));
      unsigned last = 0;
      tally.check(driver().cuMemcpyDtoH_v2(&last, data + 4 * (kCount - 1), std::size_t{4}));
      tally.wrong += last != 3 * round + kCount / 32 - 1;
    }
    tally.check(driver().cuCtxDestroy_v2(context));
  });
  EXPECT_EQ(tally.refused, 0);
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_EQ(driver().cuLibraryUnload(library), CUDA_SUCCESS);
}

// What one thread takes away another one still uses: errors, and nothing worse.
TEST(CudaThreads, TakeAwayWhatOthersUse) {
  if (!has_own_process()) return;
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  std::atomic<CUcontext> shared_context{nullptr};
  std::atomic<CUmodule> shared_module{nullptr};
  std::atomic<CUdeviceptr> shared_memory{0};
  std::atomic<CUstream> shared_stream{nullptr};
  Tally tally;
  // A kernel may write where memory was. After this every call returns the error, in the whole process.
  std::atomic<bool> has_faulted{false};
  const auto check = [&](CUresult result) {
    if (result == CUDA_ERROR_ILLEGAL_ADDRESS) has_faulted = true;
    if (!has_faulted) tally.check(result);
  };
  in_threads([&](int t) {
    for (int round = 0; round < 12; ++round) {
      if (t % 4 == 0) {
        CUcontext context = nullptr;
        CUmodule module = nullptr;
        CUdeviceptr memory = 0;
        CUstream stream = nullptr;
        check(driver().cuCtxCreate_v2(&context, 0u, CUdevice{0}));
        check(driver().cuModuleLoadData(&module, kFill));
        check(driver().cuMemAlloc_v2(&memory, std::size_t{4 * kCount}));
        check(driver().cuStreamCreate(&stream, 0u));
        shared_module = module;
        shared_memory = memory;
        shared_stream = stream;
        if (const auto before = shared_context.exchange(context)) check(driver().cuCtxDestroy_v2(before));
        continue;
      }
      // Any of these may be gone, or of another context.
      CUfunction function = nullptr;
      CUdeviceptr memory = shared_memory;
      unsigned host[kCount];
      void* arguments[] = {&memory};
      driver().cuCtxSetCurrent(shared_context.load());
      driver().cuModuleGetFunction(&function, shared_module.load(), "fill");
      driver().cuMemcpyDtoHAsync_v2(host, memory, sizeof host, shared_stream.load());
      if (function)
        driver().cuLaunchKernel(function, kCount / 32, 1u, 1u, 32u, 1u, 1u, 0u, shared_stream.load(), arguments,
                                nullptr);
      if (round % 3 == 0) driver().cuModuleUnload(shared_module.load());
      if (round % 4 == 1) driver().cuMemFree_v2(memory);
      if (round % 5 == 2) driver().cuStreamDestroy_v2(shared_stream.load());
    }
  });
  EXPECT_EQ(tally.refused, 0);
}

// NVML's process list: whoever was last, it has what the process holds in the end.
TEST(CudaThreads, HoldWhatTheMachineSays) {
  NVMLKIT_NEEDS_START_TIMES();
  if (!has_own_process()) return;
  const auto state = std::filesystem::temp_directory_path() / ("nvmlkit-cuda-threads-" + std::to_string(getpid()));
  std::string error;
  const auto fresh = sim::taken(sim::load_machine({{"NVMLKIT_MACHINE", "h100"}}), error);
  ASSERT_TRUE(fresh && sim::taken(sim::state::save(*fresh, state.string(), "h100"), error)) << error;
  setenv("NVMLKIT_STATE", state.c_str(), 1);
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  constexpr std::size_t kMegabytes = 2;
  const auto held = [&] {
    const auto machine = sim::taken(sim::load_machine({{"NVMLKIT_STATE", state.string()}}), error);
    std::uint64_t bytes = 0;
    if (machine)
      sim::processes::for_each_client(*machine, 0,
                                      [&](const auto& c, sim::processes::Life) { bytes += c.memory_bytes; });
    return bytes >> 20;
  };
  CUcontext context = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&context, 0u, CUdevice{0}), CUDA_SUCCESS);
  const auto before = held();
  Tally tally;
  for (unsigned round = 1; round <= 20; ++round) {
    in_threads([&](int) {
      CUdeviceptr kept = 0, other = 0;
      tally.check(driver().cuCtxSetCurrent(context));
      tally.check(driver().cuMemAlloc_v2(&other, std::size_t{1000}));
      tally.check(driver().cuMemAlloc_v2(&kept, kMegabytes << 20));
      tally.check(driver().cuMemFree_v2(other));
    });
    EXPECT_EQ(held() - before, round * kThreads * kMegabytes);
  }
  EXPECT_EQ(tally.refused, 0);
  EXPECT_EQ(driver().cuCtxDestroy_v2(context), CUDA_SUCCESS);
  std::filesystem::remove(state);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
