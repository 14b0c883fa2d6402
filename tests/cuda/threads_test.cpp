// Sixteen threads that call whatever they like.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "loaded.hpp"
#include "sim/config/load.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cuda_test {
namespace {

constexpr int kThreads = 16;
constexpr unsigned kCount = 256;

// out[i] = out[i] * factor + number of the block that i lies in
const char* const kFill = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry fill(.param .u64 data)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  ld.global.u32 %r4, [factor];
  mad.lo.s32 %r5, %r5, %r4, %r1;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";

struct Tally {
  std::atomic<int> refused{0}, wrong{0};
  void check(CUresult result) { refused += result != CUDA_SUCCESS; }
};

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

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
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
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  std::atomic<CUcontext> shared_context{nullptr};
  std::atomic<CUmodule> shared_module{nullptr};
  std::atomic<CUdeviceptr> shared_memory{0};
  std::atomic<CUstream> shared_stream{nullptr};
  Tally tally;
  in_threads([&](int t) {
    for (int round = 0; round < 12; ++round) {
      if (t % 4 == 0) {
        CUcontext context = nullptr;
        CUmodule module = nullptr;
        CUdeviceptr memory = 0;
        CUstream stream = nullptr;
        tally.check(driver().cuCtxCreate_v2(&context, 0u, CUdevice{0}));
        tally.check(driver().cuModuleLoadData(&module, kFill));
        tally.check(driver().cuMemAlloc_v2(&memory, std::size_t{4 * kCount}));
        tally.check(driver().cuStreamCreate(&stream, 0u));
        shared_module = module;
        shared_memory = memory;
        shared_stream = stream;
        if (const auto before = shared_context.exchange(context)) tally.check(driver().cuCtxDestroy_v2(before));
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
  tally.check(driver().cuCtxDestroy_v2(shared_context.load()));
  EXPECT_EQ(tally.refused, 0);
}

// Memory of the default pool, filled by a graph that was captured in a stream of the thread.
TEST(CudaThreads, CaptureAndLaunchGraphs) {
  Tally tally;
  in_threads([&](int t) {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    tally.check(driver().cuInit(0u));
    tally.check(driver().cuDevicePrimaryCtxRetain(&context, CUdevice{t % 2}));
    tally.check(driver().cuCtxSetCurrent(context));
    tally.check(driver().cuStreamCreate(&stream, unsigned{CU_STREAM_NON_BLOCKING}));
    for (unsigned round = 0; round < 8; ++round) {
      CUdeviceptr data = 0;
      CUgraph graph = nullptr;
      CUgraphExec executable = nullptr;
      unsigned last = 0;
      tally.check(driver().cuMemAllocAsync(&data, std::size_t{4 * kCount}, stream));
      tally.check(driver().cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
      tally.check(driver().cuMemsetD32Async(data, 100 * round + static_cast<unsigned>(t), std::size_t{kCount}, stream));
      tally.check(driver().cuStreamEndCapture(stream, &graph));
      tally.check(driver().cuGraphInstantiateWithFlags(&executable, graph, 0ull));
      tally.check(driver().cuGraphLaunch(executable, stream));
      tally.check(driver().cuMemcpyDtoHAsync_v2(&last, data + 4 * (kCount - 1), std::size_t{4}, stream));
      tally.check(driver().cuStreamSynchronize(stream));
      tally.wrong += last != 100 * round + static_cast<unsigned>(t);
      tally.check(driver().cuGraphExecDestroy(executable));
      tally.check(driver().cuGraphDestroy(graph));
      tally.check(driver().cuMemFreeAsync(data, stream));
    }
    tally.check(driver().cuStreamDestroy_v2(stream));
    tally.check(driver().cuDevicePrimaryCtxRelease_v2(CUdevice{t % 2}));
  });
  EXPECT_EQ(tally.refused, 0);
  EXPECT_EQ(tally.wrong, 0);
}

// NVML's process list: whoever was last, it has what the process holds in the end.
TEST(CudaThreads, HoldWhatTheMachineSays) {
  const auto state = std::filesystem::temp_directory_path() / ("nvmlkit-cuda-threads-" + std::to_string(getpid()));
  std::string error;
  const auto fresh = sim::load_machine({{"NVMLKIT_MACHINE", "h100"}}, error);
  ASSERT_TRUE(fresh && sim::state::save(*fresh, state.string(), "h100", error)) << error;
  setenv("NVMLKIT_STATE", state.c_str(), 1);
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  constexpr std::size_t kMegabytes = 2;
  const auto held = [&] {
    const auto machine = sim::load_machine({{"NVMLKIT_STATE", state.string()}}, error);
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

const char* const kCountUp = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 counter)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [counter];
  atom.global.add.u32 %r1, [%rd1], 1;
  ret;
}
)";

// Streams that all threads use, which wait for each other and for the default stream.
TEST(CudaThreads, ShareStreams) {
  constexpr unsigned kRounds = 16, kStreams = 4;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction count = nullptr;
  CUdeviceptr counters = 0;
  CUstream streams[kStreams] = {};
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxCreate_v2(&context, 0u, CUdevice{0}), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuModuleLoadData(&module, kCountUp), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuModuleGetFunction(&count, module, "count"), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemAlloc_v2(&counters, std::size_t{64}), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemsetD32_v2(counters, 0u, std::size_t{16}), CUDA_SUCCESS);
  for (unsigned i = 0; i < kStreams; ++i)
    ASSERT_EQ(driver().cuStreamCreate(&streams[i], i % 2 ? unsigned{CU_STREAM_NON_BLOCKING} : 0u), CUDA_SUCCESS);
  Tally tally;
  std::atomic<unsigned> called{0};
  in_threads([&](int t) {
    CUevent event = nullptr;
    tally.check(driver().cuCtxSetCurrent(context));
    tally.check(driver().cuEventCreate(&event, unsigned{CU_EVENT_DISABLE_TIMING}));
    for (unsigned round = 0; round < kRounds; ++round) {
      const auto one = streams[(static_cast<unsigned>(t) + round) % kStreams], two = streams[round % kStreams];
      const auto add = +[](void* data) { ++*static_cast<std::atomic<unsigned>*>(data); };
      const auto launch = [&](CUstream stream) { tally.check(launch_kernel(count, 1, 1, stream, counters)); };
      launch(one);
      tally.check(driver().cuEventRecord(event, one));
      tally.check(driver().cuStreamWaitEvent(two, event, 0u));
      tally.check(driver().cuLaunchHostFunc(two, add, &called));
      if (round % 4 == 0) launch(CUstream{});
      if (round % 4 == 1) tally.check(driver().cuStreamSynchronize(two));
      if (round % 4 == 2) tally.check(driver().cuStreamWriteValue32_v2(one, counters + 4, round, 0u));
      if (round % 4 == 3) driver().cuStreamQuery(one);
      if (round % 8 == 7) tally.check(driver().cuEventSynchronize(event));
    }
    tally.check(driver().cuEventDestroy_v2(event));
  });
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  unsigned total = 0;
  EXPECT_EQ(driver().cuMemcpyDtoH_v2(&total, counters, std::size_t{4}), CUDA_SUCCESS);
  EXPECT_EQ(total, kThreads * (kRounds + kRounds / 4));
  EXPECT_EQ(called, kThreads * kRounds);
  EXPECT_EQ(tally.refused, 0);
  EXPECT_EQ(driver().cuCtxDestroy_v2(context), CUDA_SUCCESS);
}

TEST(CudaThreads, WorkAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  const auto check = [&](CUresult result) { wrong += result != CUDA_SUCCESS; };
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      const CUdevice device = t % 8;
      CUcontext context = nullptr;
      check(driver().cuInit(0u));
      check(driver().cuDevicePrimaryCtxRetain(&context, device));
      check(driver().cuCtxSetCurrent(context));
      for (int round = 0; round < 50; ++round) {
        CUdeviceptr memory = 0;
        CUstream stream = nullptr;
        int value = t, back = -1;
        check(driver().cuMemAlloc_v2(&memory, std::size_t{1000}));
        check(driver().cuStreamCreate(&stream, 0u));
        check(driver().cuMemcpyHtoDAsync_v2(memory, &value, sizeof value, stream));
        check(driver().cuMemcpyDtoHAsync_v2(&back, memory, sizeof back, stream));
        wrong += back != t;
        check(driver().cuStreamDestroy_v2(stream));
        check(driver().cuMemFree_v2(memory));
      }
      check(driver().cuDevicePrimaryCtxRelease_v2(device));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
