// Sixteen threads that call whatever they like.
#include <atomic>
#include <thread>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

TEST(CudaThreads, WorkAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  const auto check = [&](CUresult result) { wrong += result != CUDA_SUCCESS; };
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      const CUdevice device = t % 8;
      CUcontext context = nullptr;
      check(call("cuInit", 0u));
      check(call("cuDevicePrimaryCtxRetain", &context, device));
      check(call("cuCtxSetCurrent", context));
      for (int round = 0; round < 50; ++round) {
        CUdeviceptr memory = 0;
        CUstream stream = nullptr;
        int value = t, back = -1;
        check(call("cuMemAlloc_v2", &memory, std::size_t{1000}));
        check(call("cuStreamCreate", &stream, 0u));
        check(call("cuMemcpyHtoDAsync_v2", memory, static_cast<const void*>(&value), sizeof value, stream));
        check(call("cuMemcpyDtoHAsync_v2", static_cast<void*>(&back), memory, sizeof back, stream));
        wrong += back != t;
        check(call("cuStreamDestroy_v2", stream));
        check(call("cuMemFree_v2", memory));
      }
      check(call("cuDevicePrimaryCtxRelease_v2", device));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
