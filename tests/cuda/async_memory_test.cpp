// Memory and work that runs beside the program: copies, frees, pools, waits for a word.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "async_support.hpp"

namespace nvmlkit::cuda_test {
namespace {

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
  EXPECT_EQ(free_memory(), free_before + (32 << 20));  // of the pool; `data` is in the block that `other` was in
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
  for (int round = 0; round < 500; ++round) {  // so often that work ends between any two steps of an allocation
    CUdeviceptr piece = 0;
    ASSERT_EQ(driver().cuMemAllocFromPoolAsync(&piece, std::size_t{4096}, pool, one_), CUDA_SUCCESS);
    ASSERT_EQ(launch_at(one_, at(0), piece, 1), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemFreeAsync(piece, one_), CUDA_SUCCESS);
  }
  EXPECT_EQ(synchronize(one_), CUDA_SUCCESS);
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

// A kernel looks at a word by an atomic change of it. A write by anybody else at the same time must not be lost.
class CudaWrites : public CudaAsync {
 protected:
  // Writes it while a kernel looks, again and again.
  template <class Write>
  void are_seen(CUdeviceptr gate, Write write) {
    constexpr unsigned kRounds = 200;
    for (unsigned round = 1; round <= kRounds; ++round) {
      ASSERT_EQ(driver().cuMemsetD32_v2(gate, 0u, std::size_t{1}), CUDA_SUCCESS);
      ASSERT_EQ(launch_at(one_, gate, at(1), round), CUDA_SUCCESS);
      usleep(round % 50 * 10);
      write();
      const bool is_seen = comes_true([&] { return read(1) == round; });
      if (!is_seen) comes_true([&] { return write(), read(1) == round; });  // so that the kernel ends
      ASSERT_TRUE(is_seen) << "lost in round " << round;
      ASSERT_EQ(synchronize(one_), CUDA_SUCCESS);
    }
  }
};

TEST_F(CudaWrites, OfTheProgramAreSeen) {
  are_seen(at(0), [&] { open(0); });
}

TEST_F(CudaWrites, OfOtherStreamsAreSeen) {
  const auto gate = allocate(4);
  unsigned* const source = words_ + 2;
  *source = 1;
  are_seen(gate, [&] { EXPECT_EQ(driver().cuMemcpyHtoDAsync_v2(gate, source, std::size_t{4}, two_), CUDA_SUCCESS); });
  are_seen(gate, [&] { EXPECT_EQ(driver().cuMemsetD32Async(gate, 1u, std::size_t{1}, two_), CUDA_SUCCESS); });
  are_seen(gate, [&] { EXPECT_EQ(driver().cuStreamWriteValue32_v2(two_, gate, 1u, 0u), CUDA_SUCCESS); });
}

}  // namespace
}  // namespace nvmlkit::cuda_test
