// Sixteen threads with streams and graphs.
#include <atomic>
#include <thread>
#include <vector>

#include "threads_support.hpp"

namespace nvmlkit::cuda_test {
namespace {

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
