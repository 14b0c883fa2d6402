// The fixture of the tests of asynchronous work: a kernel that waits for a word and writes another one.
#pragma once

#include <unistd.h>

#include <atomic>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {

inline constexpr const char* kWaiting = R"(
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

}  // namespace nvmlkit::cuda_test
