// Kernels that run beside the program: order of work in streams, and its end.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "async_support.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

TEST_F(CudaAsync, AKernelRunsBesideTheHost) {
  const auto before = record(one_);
  ASSERT_EQ(launch(one_, 0, 8, 42), CUDA_SUCCESS);
  const auto after = record(one_, CU_EVENT_BLOCKING_SYNC);
  float elapsed = -1;
  EXPECT_EQ(query(one_), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(driver().cuEventQuery(before), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventQuery(after), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(driver().cuEventElapsedTime(&elapsed, before, after), CUDA_ERROR_NOT_READY);
  usleep(5000);
  EXPECT_EQ(read(8), 0u);
  open(0);
  EXPECT_EQ(driver().cuEventSynchronize(after), CUDA_SUCCESS);
  EXPECT_EQ(read(8), 42u);
  EXPECT_EQ(query(one_), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventElapsedTime(&elapsed, before, after), CUDA_SUCCESS);
  EXPECT_GE(elapsed, 5.0f);
}

TEST_F(CudaAsync, WorkIsDoneThatNobodyWaitsFor) {
  open(0);
  ASSERT_EQ(launch(one_, 0, 8), CUDA_SUCCESS);
  EXPECT_TRUE(comes_true([&] { return read(8) == 1; }));
  EXPECT_TRUE(comes_true([&] { return query(one_) == CUDA_SUCCESS; }));
}

TEST_F(CudaAsync, StreamsRunAtTheSameTime) {
  ASSERT_EQ(launch(one_, 8, 9), CUDA_SUCCESS);  // waits for what the other one writes
  open(0);
  ASSERT_EQ(launch(two_, 0, 8), CUDA_SUCCESS);
  EXPECT_EQ(synchronize(one_), CUDA_SUCCESS);
  EXPECT_EQ(read(9), 1u);
}

TEST_F(CudaAsync, AStreamWaitsForAnEventOfAnother) {
  ASSERT_EQ(launch(one_, 0, 8), CUDA_SUCCESS);
  const auto passed = record(one_);
  ASSERT_EQ(driver().cuStreamWaitEvent(two_, passed, 0u), CUDA_SUCCESS);
  ASSERT_EQ(launch(two_, 8, 9), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventDestroy_v2(passed), CUDA_SUCCESS);  // once it has happened
  EXPECT_EQ(query(two_), CUDA_ERROR_NOT_READY);
  open(0);
  EXPECT_EQ(synchronize(two_), CUDA_SUCCESS);
  EXPECT_EQ(read(9), 1u);
  EXPECT_EQ(query(one_), CUDA_SUCCESS);
}

TEST_F(CudaAsync, TheDefaultStreamWaitsForBlockingOnes) {
  CUstream blocking = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&blocking, 0u), CUDA_SUCCESS);
  const auto data = allocate(4);
  open(1);
  ASSERT_EQ(launch(blocking, 0, 8), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemsetD32_v2(data, 5u, std::size_t{1}), CUDA_SUCCESS);  // comes back at once
  ASSERT_EQ(launch(one_, 1, 9), CUDA_SUCCESS);
  EXPECT_EQ(synchronize(one_), CUDA_SUCCESS);
  EXPECT_EQ(query(nullptr), CUDA_ERROR_NOT_READY);
  CUstream later = nullptr;  // and blocking ones for it
  ASSERT_EQ(driver().cuStreamCreate(&later, 0u), CUDA_SUCCESS);
  ASSERT_EQ(launch(later, 1, 10), CUDA_SUCCESS);
  EXPECT_EQ(query(later), CUDA_ERROR_NOT_READY);
  std::thread opens([&] {
    usleep(5000);
    open(0);
  });
  unsigned value = 0, is_wanted = 1, is_kept = 0;
  EXPECT_EQ(driver().cuMemcpyDtoH_v2(&value, data, std::size_t{4}), CUDA_SUCCESS);
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(read(8), 1u);
  EXPECT_EQ(synchronize(later), CUDA_SUCCESS);
  opens.join();
  // A program may want its fills done when they return.
  ASSERT_EQ(driver().cuPointerSetAttribute(&is_wanted, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, data), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuPointerGetAttribute(&is_kept, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, data), CUDA_SUCCESS);
  EXPECT_EQ(is_kept, 1u);
  EXPECT_EQ(driver().cuMemsetD32_v2(data, 6u, std::size_t{1}), CUDA_SUCCESS);
  EXPECT_EQ(query(nullptr), CUDA_SUCCESS);
}

TEST_F(CudaAsync, AThreadsDefaultStreamIsItsOwn) {
  ASSERT_EQ(launch(reinterpret_cast<CUstream>(2), 0, 8), CUDA_SUCCESS);
  std::thread([&] {
    EXPECT_EQ(driver().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuStreamQuery_ptsz(CUstream{}), CUDA_SUCCESS);
    unsigned value = 0;
    EXPECT_EQ(driver().cuMemcpyDtoH_v2_ptds(&value, at(8), std::size_t{4}), CUDA_SUCCESS);
    EXPECT_EQ(value, 0u);
  }).join();
  EXPECT_EQ(driver().cuStreamQuery_ptsz(CUstream{}), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(query(nullptr), CUDA_ERROR_NOT_READY);  // the other default stream waits for it
  open(0);
  EXPECT_EQ(driver().cuStreamSynchronize_ptsz(CUstream{}), CUDA_SUCCESS);
}

TEST_F(CudaAsync, AThreadsDefaultStreamIsCaptured) {
  const auto own = reinterpret_cast<CUstream>(2);
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;
  EXPECT_EQ(driver().cuStreamBeginCapture_v2(CUstream{}, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ASSERT_EQ(driver().cuStreamBeginCapture_v2(own, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(launch(own, 0, 8), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamEndCapture(own, &graph), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&ready, graph, 0ull), CUDA_SUCCESS);
  // Asynchronous too, and one launch of it after the other.
  ASSERT_EQ(driver().cuGraphLaunch(ready, one_), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphLaunch(ready, two_), CUDA_SUCCESS);
  EXPECT_EQ(query(two_), CUDA_ERROR_NOT_READY);
  open(0);
  EXPECT_EQ(synchronize(two_), CUDA_SUCCESS);
  EXPECT_EQ(query(one_), CUDA_SUCCESS);
  EXPECT_EQ(read(8), 1u);
}

struct Told {
  std::mutex mutex;
  std::atomic<int> answer{-1}, count{0};
};

TEST_F(CudaAsync, HostFunctionsHaveAThreadOfTheirOwn) {
  Told told;
  std::unique_lock held(told.mutex);
  const auto take = +[](void* data) {
    auto& t = *static_cast<Told*>(data);
    const std::lock_guard lock(t.mutex);
    CUdeviceptr memory = 0;
    t.answer = driver().cuMemAlloc_v2(&memory, std::size_t{4});
    ++t.count;
  };
  ASSERT_EQ(driver().cuLaunchHostFunc(one_, take, &told), CUDA_SUCCESS);
  EXPECT_EQ(query(one_), CUDA_ERROR_NOT_READY);
  held.unlock();
  EXPECT_EQ(synchronize(one_), CUDA_SUCCESS);
  EXPECT_EQ(told.count, 1);
  EXPECT_EQ(told.answer, CUDA_ERROR_NOT_PERMITTED);
}

TEST_F(CudaAsync, ErrorsComeWithTheNextSynchronization) {
  if (!has_own_process()) return;
  Told functions;
  const auto count = +[](void* data) { ++static_cast<Told*>(data)->count; };
  ASSERT_EQ(launch(two_, 0, 9), CUDA_SUCCESS);  // never let go: ends with the context
  ASSERT_EQ(launch_at(one_, 64, at(8), 1), CUDA_SUCCESS);
  // What is behind it is dropped, in whichever stream, unless the error is known already.
  const auto result = driver().cuLaunchHostFunc(one_, count, &functions);
  EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(synchronize(two_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuLaunchHostFunc(two_, count, &functions), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(functions.count, 0);
  CUcontext other = nullptr;
  EXPECT_EQ(driver().cuCtxCreate_v2(&other, 0u, CUdevice{0}), CUDA_ERROR_ILLEGAL_ADDRESS);
}

// Callbacks are called all the same. The first one keeps the second one behind the kernel that fails.
TEST_F(CudaAsync, CallbacksAreToldOfErrors) {
  if (!has_own_process()) return;
  Told functions, callbacks;
  const auto count = +[](void* data) { ++static_cast<Told*>(data)->count; };
  const auto tell = +[](CUstream, CUresult status, void* data) { static_cast<Told*>(data)->answer = status; };
  ASSERT_EQ(launch(one_, 0, 8), CUDA_SUCCESS);
  ASSERT_EQ(launch_at(one_, at(0), 64, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamAddCallback(one_, tell, &callbacks, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLaunchHostFunc(one_, count, &functions), CUDA_SUCCESS);
  open(0);
  EXPECT_EQ(synchronize(one_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(comes_true([&] { return callbacks.answer == CUDA_ERROR_ILLEGAL_ADDRESS; }));
  EXPECT_EQ(functions.count, 0);
}

TEST_F(CudaAsync, AStreamIsDestroyedWithItsWork) {
  ASSERT_EQ(launch(one_, 0, 8), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamDestroy_v2(one_), CUDA_SUCCESS);
  EXPECT_EQ(query(one_), CUDA_ERROR_INVALID_HANDLE);
  open(0);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(read(8), 1u);
}

// The process goes, whatever its kernels do.
TEST(CudaEnd, OfAProcessWhoseKernelRuns) {
  if (!has_own_process()) return;
  const pid_t child = fork();
  if (child == 0) {
    CUcontext context = nullptr;
    CUdeviceptr memory = 0;
    driver().cuInit(0u);
    driver().cuCtxCreate_v2(&context, 0u, CUdevice{0});
    driver().cuMemAlloc_v2(&memory, std::size_t{4});
    driver().cuMemsetD32_v2(memory, 0u, std::size_t{1});
    const auto result = launch_kernel(kernel_of(kWaiting, "pass"), 1, 1, CUstream{}, memory, memory, 1u);
    usleep(2000);
    exit(result == CUDA_SUCCESS && driver().cuStreamQuery(CUstream{}) == CUDA_ERROR_NOT_READY ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
