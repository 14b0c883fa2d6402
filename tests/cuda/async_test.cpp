// Kernels that run beside the program: what waits for what, and what is done when.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

const char* const kWaiting = R"(
.version 7.0
.target sm_70
.address_size 64
// Waits until *gate is not 0, then *out = value; by atomics, as a thread sanitizer wants it.
.visible .entry pass(.param .u64 gate, .param .u64 out, .param .u32 value)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [gate];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [value];
AGAIN:
  atom.global.or.b32 %r2, [%rd1], 0;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra AGAIN;
  atom.global.exch.b32 %r2, [%rd2], %r1;
  ret;
}
)";

class CudaAsync : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    void* pinned = nullptr;
    pass_ = kernel_of(kWaiting, "pass");
    ASSERT_EQ(driver().cuMemHostAlloc(&pinned, std::size_t{4096}, 0u), CUDA_SUCCESS);
    words_ = static_cast<unsigned*>(pinned);
    for (unsigned i = 0; i < 1024; ++i) words_[i] = 0;
    for (auto* const stream : {&one_, &two_})
      ASSERT_EQ(driver().cuStreamCreate(stream, unsigned{CU_STREAM_NON_BLOCKING}), CUDA_SUCCESS);
  }
  void TearDown() override {
    for (unsigned i = 0; i < 16; ++i) open(i);
    WithContext::TearDown();
  }

  // Words of memory that host and kernels share.
  void open(unsigned word) { std::atomic_ref(words_[word]).store(1); }
  unsigned read(unsigned word) { return std::atomic_ref(words_[word]).load(); }
  CUdeviceptr at(unsigned word) { return reinterpret_cast<CUdeviceptr>(words_ + word); }

  // A kernel that waits for one word and writes another one.
  CUresult launch(CUstream stream, unsigned gate, unsigned out, unsigned value = 1) {
    return launch_at(stream, at(gate), at(out), value);
  }
  CUresult launch_at(CUstream stream, CUdeviceptr gate, CUdeviceptr out, unsigned value) {
    return launch_kernel(pass_, 1, 1, stream, gate, out, value);
  }
  CUresult query(CUstream stream) { return driver().cuStreamQuery(stream); }
  CUresult synchronize(CUstream stream) { return driver().cuStreamSynchronize(stream); }
  CUevent record(CUstream stream, unsigned flags = 0) {
    CUevent event = nullptr;
    EXPECT_EQ(driver().cuEventCreate(&event, flags), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuEventRecord(event, stream), CUDA_SUCCESS);
    return event;
  }
  // Within ten seconds.
  template <class Condition>
  bool comes_true(Condition condition) {
    for (int i = 0; i < 10000; ++i) {
      if (condition()) return true;
      usleep(1000);
    }
    return false;
  }

  CUfunction pass_ = nullptr;
  unsigned* words_ = nullptr;
  CUstream one_ = nullptr, two_ = nullptr;
};

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
  Told functions, callbacks;
  const auto count = +[](void* data) { ++static_cast<Told*>(data)->count; };
  const auto tell = +[](CUstream, CUresult status, void* data) { static_cast<Told*>(data)->answer = status; };
  ASSERT_EQ(launch(two_, 0, 9), CUDA_SUCCESS);  // never let go: ends with the context
  ASSERT_EQ(launch_at(one_, 64, at(8), 1), CUDA_SUCCESS);
  // What is behind it is dropped, in whichever stream, unless the error is known already.
  const auto result = driver().cuLaunchHostFunc(one_, count, &functions);
  EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(synchronize(two_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuLaunchHostFunc(two_, count, &functions), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuCtxDestroy_v2(context_), CUDA_SUCCESS);
  EXPECT_EQ(functions.count, 0);
  ASSERT_EQ(driver().cuCtxCreate_v2(&context_, 0u, CUdevice{0}), CUDA_SUCCESS);
  // Callbacks are called all the same. The first one keeps the second one behind the kernel that fails.
  WithContext::TearDown();
  CudaAsync::SetUp();
  ASSERT_EQ(launch(one_, 0, 8), CUDA_SUCCESS);
  ASSERT_EQ(launch_at(one_, at(0), 64, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamAddCallback(one_, tell, &callbacks, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLaunchHostFunc(one_, count, &functions), CUDA_SUCCESS);
  open(0);
  EXPECT_EQ(synchronize(one_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(comes_true([&] { return callbacks.answer == CUDA_ERROR_ILLEGAL_ADDRESS; }));
  EXPECT_EQ(functions.count, 0);
}

TEST_F(CudaAsync, MemoryOfTheProgramIsCopiedAside) {
  const auto data = allocate(8);
  unsigned pageable = 1, back = 0;
  ASSERT_EQ(launch(one_, 0, 8), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyHtoDAsync_v2(data, &pageable, std::size_t{4}, one_), CUDA_SUCCESS);
  words_[9] = 3;
  ASSERT_EQ(driver().cuMemcpyHtoDAsync_v2(data + 4, static_cast<const void*>(words_ + 9), std::size_t{4}, one_),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyDtoHAsync_v2(static_cast<void*>(words_ + 10), data, std::size_t{8}, one_), CUDA_SUCCESS);
  EXPECT_EQ(query(one_), CUDA_ERROR_NOT_READY);
  pageable = 2;
  words_[9] = 4;  // locked memory is read when the stream comes to it
  std::thread opens([&] {
    usleep(5000);
    open(0);
  });
  // To such memory: done when the call returns.
  EXPECT_EQ(driver().cuMemcpyDtoHAsync_v2(&back, data, std::size_t{4}, one_), CUDA_SUCCESS);
  EXPECT_EQ(back, 1u);
  EXPECT_EQ(words_[10], 1u);
  EXPECT_EQ(words_[11], 4u);
  opens.join();
}

TEST_F(CudaAsync, MemoryIsFreedWhenItIsNoLongerUsed) {
  const auto data = allocate(4096), other = allocate(4096);
  CUdeviceptr pooled = 0;
  ASSERT_EQ(launch_at(one_, at(0), data, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemAllocAsync(&pooled, std::size_t{4096}, one_), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemFreeAsync(pooled, one_), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemFreeAsync(pooled, one_), CUDA_ERROR_INVALID_VALUE);
  const auto free_before = free_memory();
  std::thread opens([&] {
    usleep(5000);
    open(0);
  });
  EXPECT_EQ(release(other), CUDA_SUCCESS);  // all of the context's work is waited for
  EXPECT_EQ(read(0), 1u);
  EXPECT_EQ(query(one_), CUDA_SUCCESS);
  EXPECT_EQ(free_memory(), free_before + 8192);
  EXPECT_EQ(release(data), CUDA_SUCCESS);
  opens.join();
}

TEST_F(CudaAsync, PoolsAreUsedAgainByWorkThatRunsAhead) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.maxSize = 8192;
  CUmemoryPool pool = nullptr;
  ASSERT_EQ(driver().cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
  open(0);
  for (int round = 0; round < 20; ++round) {
    CUdeviceptr piece = 0;
    ASSERT_EQ(driver().cuMemAllocFromPoolAsync(&piece, std::size_t{4096}, pool, one_), CUDA_SUCCESS);
    ASSERT_EQ(launch_at(one_, at(0), piece, 1), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemFreeAsync(piece, one_), CUDA_SUCCESS);
  }
  EXPECT_EQ(synchronize(one_), CUDA_SUCCESS);
}

TEST_F(CudaAsync, AStreamIsDestroyedWithItsWork) {
  ASSERT_EQ(launch(one_, 0, 8), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamDestroy_v2(one_), CUDA_SUCCESS);
  EXPECT_EQ(query(one_), CUDA_ERROR_INVALID_HANDLE);
  open(0);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(read(8), 1u);
}

TEST_F(CudaAsync, StreamsWaitForMemory) {
  const auto data = allocate(16);
  EXPECT_EQ(driver().cuStreamWaitValue32_v2(one_, at(0) + 2, 1u, 0u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuStreamWaitValue32_v2(one_, CUdeviceptr{64}, 1u, 0u), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver().cuStreamWaitValue32_v2(one_, at(0), 5u, unsigned{CU_STREAM_WAIT_VALUE_GEQ}), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWriteValue32_v2(one_, at(2), 7u, 0u), CUDA_SUCCESS);
  // Another stream answers; and one waits for memory of the device.
  ASSERT_EQ(driver().cuStreamWriteValue64_v2(two_, data, 0ull, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWaitValue32_v2(two_, at(2), 7u, unsigned{CU_STREAM_WAIT_VALUE_EQ}), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWriteValue64_v2(two_, data, 1ull << 40, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWaitValue64_v2(one_, data, 1ull << 40, unsigned{CU_STREAM_WAIT_VALUE_AND}), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWaitValue32_v2(one_, at(2), 0u, unsigned{CU_STREAM_WAIT_VALUE_NOR}), CUDA_SUCCESS);
  EXPECT_EQ(query(one_), CUDA_ERROR_NOT_READY);
  std::atomic_ref(words_[0]).store(4);
  usleep(1000);
  EXPECT_EQ(query(two_), CUDA_ERROR_NOT_READY);
  std::atomic_ref(words_[0]).store(6);
  EXPECT_TRUE(comes_true([&] { return read(2) == 7; }));  // though nobody waits for the streams
  EXPECT_EQ(synchronize(one_), CUDA_SUCCESS);

  // Four at once: a write, a barrier, a wait, a write.
  struct Operation {
    unsigned type, flags_of_barrier;
    CUdeviceptr address;
    std::uint64_t value;
    unsigned flags;
    std::uint64_t reserved[2];
  } operations[4] = {{CU_STREAM_MEM_OP_WRITE_VALUE_32, 0, at(3), 1, 0, {}},
                     {CU_STREAM_MEM_OP_BARRIER, 0, 0, 0, 0, {}},
                     {CU_STREAM_MEM_OP_WAIT_VALUE_32, 0, at(4), 1, CU_STREAM_WAIT_VALUE_EQ, {}},
                     {CU_STREAM_MEM_OP_WRITE_VALUE_32, 0, at(3), 2, 0, {}}};
  const auto batch = [&](unsigned count) {
    return driver().cuStreamBatchMemOp_v2(two_, count, as<CUstreamBatchMemOpParams>(operations), 0u);
  };
  EXPECT_EQ(batch(256), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(batch(4), CUDA_SUCCESS);
  EXPECT_EQ(read(3), 1u);
  EXPECT_EQ(query(two_), CUDA_ERROR_NOT_READY);
  open(4);
  EXPECT_EQ(synchronize(two_), CUDA_SUCCESS);
  EXPECT_EQ(read(3), 2u);
  operations[3].type = 77;
  EXPECT_EQ(batch(4), CUDA_ERROR_INVALID_VALUE);
}

// The process goes, whatever its kernels do.
TEST(CudaEnd, OfAProcessWhoseKernelRuns) {
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
