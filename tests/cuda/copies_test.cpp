// Copies and fills.
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

class CudaCopies : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    memory_ = allocate(kSize);
    EXPECT_EQ(driver().cuMemsetD8_v2(memory_, 0, kSize), CUDA_SUCCESS);  // it may be memory that was used before
    std::iota(here_.begin(), here_.end(), static_cast<unsigned char>(0));
  }
  void TearDown() override {
    EXPECT_EQ(release(memory_), CUDA_SUCCESS);
    WithContext::TearDown();
  }
  CUresult put(CUdeviceptr to, std::size_t size) { return driver().cuMemcpyHtoD_v2(to, here_.data(), size); }
  std::vector<unsigned char> get(CUdeviceptr from, std::size_t size) {
    std::vector<unsigned char> out(size);
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(out.data(), from, size), CUDA_SUCCESS);
    return out;
  }

  static constexpr std::size_t kSize = 4096;
  CUdeviceptr memory_ = 0;
  std::vector<unsigned char> here_ = std::vector<unsigned char>(kSize);
};

TEST_F(CudaCopies, ThereAndBack) {
  EXPECT_EQ(put(memory_, kSize), CUDA_SUCCESS);
  EXPECT_EQ(get(memory_, kSize), here_);
  const auto second = allocate(kSize);
  EXPECT_EQ(driver().cuMemcpyDtoD_v2(second, memory_ + 16, std::size_t{100}), CUDA_SUCCESS);
  EXPECT_EQ(get(second, 1)[0], 16);
  EXPECT_EQ(driver().cuMemcpy(reinterpret_cast<CUdeviceptr>(here_.data()), second, std::size_t{2}), CUDA_SUCCESS);
  EXPECT_EQ(here_[1], 17);
  EXPECT_EQ(release(second), CUDA_SUCCESS);
}

TEST_F(CudaCopies, NothingOutsideAnAllocation) {
  EXPECT_EQ(put(memory_ + 1, kSize), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(put(memory_ - 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(put(memory_ + kSize, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(put(0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(put(memory_, ~std::size_t{0}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemcpy(memory_ + kSize, memory_, std::size_t{1}), CUDA_ERROR_INVALID_VALUE);
  const auto gone = allocate(kSize);
  EXPECT_EQ(release(gone), CUDA_SUCCESS);
  EXPECT_EQ(put(gone, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemcpyHtoD_v2(memory_, reinterpret_cast<const void*>(0x1000), std::size_t{4}),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(put(memory_, 0), CUDA_SUCCESS);
}

TEST_F(CudaCopies, Rectangles) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = here_.data();
  copy.srcPitch = 64;
  copy.srcXInBytes = 4;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory_;
  copy.dstPitch = 512;
  copy.WidthInBytes = 8;
  copy.Height = 3;
  EXPECT_EQ(driver().cuMemcpy2D_v2(const_cast<const CUDA_MEMCPY2D*>(&copy)), CUDA_SUCCESS);
  EXPECT_EQ(get(memory_, 1)[0], 68);
  EXPECT_EQ(get(memory_ + 1024 + 7, 1)[0], 3 * 64 + 11);
  EXPECT_EQ(get(memory_ + 8, 1)[0], 0);
  copy.Height = 9;  // 8 * 512 + 8 bytes
  EXPECT_EQ(driver().cuMemcpy2D_v2(const_cast<const CUDA_MEMCPY2D*>(&copy)), CUDA_ERROR_INVALID_VALUE);
  copy.Height = ~std::size_t{0};
  EXPECT_EQ(driver().cuMemcpy2D_v2(const_cast<const CUDA_MEMCPY2D*>(&copy)), CUDA_ERROR_INVALID_VALUE);
  copy.Height = 2;
  copy.dstPitch = 4;  // narrower than a row
  EXPECT_EQ(driver().cuMemcpy2D_v2(const_cast<const CUDA_MEMCPY2D*>(&copy)), CUDA_ERROR_INVALID_VALUE);
  copy.dstPitch = 512;
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(driver().cuMemcpy2D_v2(const_cast<const CUDA_MEMCPY2D*>(&copy)), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaCopies, Boxes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = here_.data();
  copy.srcPitch = 16;
  copy.srcHeight = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory_;
  copy.dstPitch = 32;
  copy.dstHeight = 8;
  copy.WidthInBytes = 5;
  copy.Height = 2;
  copy.Depth = 3;
  EXPECT_EQ(driver().cuMemcpy3D_v2(const_cast<const CUDA_MEMCPY3D*>(&copy)), CUDA_SUCCESS);
  EXPECT_EQ(get(memory_ + 2 * 256 + 32 + 4, 1)[0], 2 * 64 + 16 + 4);
}

TEST_F(CudaCopies, Fills) {
  EXPECT_EQ(driver().cuMemsetD32_v2(memory_, 0x04030201u, std::size_t{kSize / 4}), CUDA_SUCCESS);
  EXPECT_EQ(get(memory_ + 5, 2), (std::vector<unsigned char>{2, 3}));
  EXPECT_EQ(driver().cuMemsetD2D16_v2(memory_, std::size_t{512}, static_cast<unsigned short>(0x0908), std::size_t{2},
                                      std::size_t{2}),
            CUDA_SUCCESS);
  EXPECT_EQ(get(memory_ + 512, 5), (std::vector<unsigned char>{8, 9, 8, 9, 1}));
  EXPECT_EQ(driver().cuMemsetD32_v2(memory_ + 2, 1u, std::size_t{1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemsetD32_v2(memory_, 1u, std::size_t{kSize / 4 + 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemsetD32_v2(memory_, 1u, ~std::size_t{0} / 2), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaCopies, InStreamsAndBetweenGpus) {
  CUstream stream = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&stream, 0u), CUDA_SUCCESS);
  const void* const here = here_.data();
  EXPECT_EQ(driver().cuMemcpyHtoDAsync_v2(memory_, here, std::size_t{64}, stream), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemcpyHtoDAsync_v2_ptsz(memory_, here, std::size_t{64}, CUstream{}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemcpyHtoDAsync_v2(memory_, here, std::size_t{64}, stream), CUDA_ERROR_INVALID_HANDLE);
  CUcontext peer = nullptr, popped = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&peer, 0u, CUdevice{1}), CUDA_SUCCESS);
  const auto there = allocate(64);
  EXPECT_EQ(driver().cuMemcpyPeer(there, peer, memory_, context_, std::size_t{64}), CUDA_SUCCESS);
  EXPECT_EQ(get(there, 64), get(memory_, 64));
  EXPECT_EQ(driver().cuMemcpyPeer(there, popped, memory_, context_, std::size_t{64}), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver().cuCtxDestroy_v2(peer), CUDA_SUCCESS);
}

// Documented: a copy between two GPUs in a default stream comes behind what both were handed before, and what they are
// handed later comes behind the copy.
TEST_F(CudaCopies, BetweenGpusWaitForBoth) {
  const auto slow = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  const std::vector<unsigned char> first(64, 1), second(64, 2);
  CUcontext peer = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&peer, 0u, CUdevice{1}), CUDA_SUCCESS);
  const auto there = allocate(64);
  const auto in = [&](CUcontext context) { EXPECT_EQ(driver().cuCtxSetCurrent(context), CUDA_SUCCESS); };
  const auto fill = [&](unsigned char value) {
    EXPECT_EQ(driver().cuMemsetD8Async(memory_, value, std::size_t{64}, nullptr), CUDA_SUCCESS);
  };
  in(context_);
  fill(0);
  ASSERT_EQ(driver().cuLaunchHostFunc(nullptr, slow, nullptr), CUDA_SUCCESS);
  fill(1);
  in(peer);
  ASSERT_EQ(driver().cuMemcpyAsync(there, memory_, std::size_t{64}, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(get(there, 64), first);
  // The other way: the copy is late, and the source is changed behind it.
  in(context_);
  fill(2);
  in(peer);
  ASSERT_EQ(driver().cuLaunchHostFunc(nullptr, slow, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyAsync(there, memory_, std::size_t{64}, nullptr), CUDA_SUCCESS);
  in(context_);
  fill(3);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  in(peer);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(get(there, 64), second);
  EXPECT_EQ(driver().cuCtxDestroy_v2(peer), CUDA_SUCCESS);
  in(context_);
}

// Not documented, and counted on: work of another stream finds what copies and fills did that are not called
// asynchronous.
TEST_F(CudaCopies, AreDoneBeforeOtherStreamsGoOn) {
  constexpr std::size_t kBytes = 8 << 20;
  const auto source = allocate(kBytes), target = allocate(kBytes);
  CUstream other = nullptr;
  void* pinned = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&other, unsigned{CU_STREAM_NON_BLOCKING}), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemHostAlloc(&pinned, kBytes, 0u), CUDA_SUCCESS);
  const auto* const bytes = static_cast<const unsigned char*>(pinned);
  for (unsigned char value = 1; value < 40; ++value) {
    ASSERT_EQ(driver().cuMemsetD8_v2(source, value, kBytes), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemcpyDtoD_v2(target, source, kBytes), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemcpyDtoHAsync_v2(pinned, target, kBytes, other), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuStreamSynchronize(other), CUDA_SUCCESS);
    ASSERT_EQ(bytes[0], value);
    ASSERT_EQ(bytes[kBytes - 1], value);
  }
  EXPECT_EQ(driver().cuStreamDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemFreeHost(pinned), CUDA_SUCCESS);
  EXPECT_EQ(release(source), CUDA_SUCCESS);
  EXPECT_EQ(release(target), CUDA_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
