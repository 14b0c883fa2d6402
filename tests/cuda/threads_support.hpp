// Sixteen threads, the errors that they count, and their kernel.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {

inline constexpr int kThreads = 16;
inline constexpr unsigned kCount = 256;

// out[i] = out[i] * factor + number of the block that i lies in
inline constexpr const char* kFill = R"(
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

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
}

}  // namespace nvmlkit::cuda_test
