// Stores of some lanes of a warp, while others change what lies between: none of these changes is lost.
#include <atomic>

#include "async_support.hpp"

namespace nvmlkit::cuda_test {
namespace {

constexpr const char* kStores = R"(
.version 7.0
.target sm_70
.address_size 64
// Thread 1, 3, 5 and so on store 1, 2, 3 up to `rounds` in the word with their number.
.visible .entry store_odd(.param .u64 words, .param .u32 rounds)
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [words];
  ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  and.b32 %r3, %r2, 1;
  setp.ne.u32 %p1, %r3, 0;
  mov.u32 %r4, 0;
AGAIN:
  add.u32 %r4, %r4, 1;
  @%p1 st.global.u32 [%rd3], %r4;
  setp.lt.u32 %p2, %r4, %r1;
  @%p2 bra AGAIN;
  ret;
}
)";

class CudaStores : public CudaAsync {
 protected:
  static constexpr unsigned kWords = 32, kRounds = NVMLKIT_TEST_SANITIZED ? 5'000 : 100'000, kLaunches = 20;

  void SetUp() override {
    CudaAsync::SetUp();
    store_odd_ = kernel_of(kStores, "store_odd");
  }
  CUresult launch_stores(CUdeviceptr words) { return launch_kernel(store_odd_, 1, kWords, one_, words, kRounds); }

  CUfunction store_odd_ = nullptr;
};

TEST_F(CudaStores, LeaveWhatTheProgramWrites) {
  unsigned written = 0;
  for (unsigned launch = 0; launch < kLaunches; ++launch) {
    ASSERT_EQ(launch_stores(at(0)), CUDA_SUCCESS);
    do {
      ++written;
      for (unsigned word = 0; word < kWords; word += 2) std::atomic_ref(words_[word]).store(written);
      for (unsigned word = 0; word < kWords; word += 2) ASSERT_EQ(read(word), written) << "lost in word " << word;
    } while (query(one_) == CUDA_ERROR_NOT_READY);
    for (unsigned word = 1; word < kWords; word += 2) EXPECT_EQ(read(word), kRounds);
  }
}

TEST_F(CudaStores, LeaveWhatOtherStreamsFill) {
  constexpr std::size_t kBytes = kWords * sizeof(unsigned);
  const auto words = allocate(kBytes);
  unsigned filled = 0;
  for (unsigned launch = 0; launch < kLaunches; ++launch) {
    ASSERT_EQ(launch_stores(words), CUDA_SUCCESS);
    bool ends = false;
    while (!ends) {
      ends = query(one_) != CUDA_ERROR_NOT_READY;
      ++filled;  // each second word
      ASSERT_EQ(
          driver().cuMemsetD2D32Async(words, std::size_t{8}, filled, std::size_t{1}, std::size_t{kWords / 2}, two_),
          CUDA_SUCCESS);
      ASSERT_EQ(driver().cuMemcpyDtoHAsync_v2(static_cast<void*>(words_), words, kBytes, two_), CUDA_SUCCESS);
      ASSERT_EQ(synchronize(two_), CUDA_SUCCESS);
      for (unsigned word = 0; word < kWords; word += 2) ASSERT_EQ(words_[word], filled) << "lost in word " << word;
    }
    for (unsigned word = 1; word < kWords; word += 2) EXPECT_EQ(words_[word], kRounds);
  }
}

}  // namespace
}  // namespace nvmlkit::cuda_test
