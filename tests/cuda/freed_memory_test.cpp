// Freed device memory: the next allocation of its size gets the host's pages, which need not be fetched again.
#include <sys/resource.h>
#include <unistd.h>

#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

constexpr std::size_t kSize = std::size_t{1} << 20, kRounds = 100;

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Allocates, writes and frees.
bool use(std::size_t size) {
  CUdeviceptr at = 0;
  if (driver().cuMemAlloc_v2(&at, size) != CUDA_SUCCESS) return false;
  return driver().cuMemsetD8_v2(at, 1, size) == CUDA_SUCCESS && driver().cuCtxSynchronize() == CUDA_SUCCESS &&
         driver().cuMemFree_v2(at) == CUDA_SUCCESS;
}

TEST(CudaFreedMemory, IsUsedAgain) {
  if (!has_own_process()) return;
  CUcontext context = nullptr;
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxCreate_v2(&context, 0u, 0), CUDA_SUCCESS);
  ASSERT_TRUE(use(kSize));
  const auto before = faults();
  for (std::size_t k = 0; k < kRounds; ++k) ASSERT_TRUE(use(kSize));
  const auto pages_of_one = static_cast<long>(kSize / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_LT(faults() - before, 2 * pages_of_one);
  // Many sizes: the oldest go back to the system.
  for (std::size_t k = 1; k <= 3 * kRounds; ++k) ASSERT_TRUE(use(kSize + k * 4096));
}

// Two allocations never have the same pages.
TEST(CudaFreedMemory, IsGivenOnce) {
  if (!has_own_process()) return;
  CUcontext context = nullptr;
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxCreate_v2(&context, 0u, 0), CUDA_SUCCESS);
  ASSERT_TRUE(use(kSize));
  CUdeviceptr first = 0, second = 0;
  ASSERT_EQ(driver().cuMemAlloc_v2(&first, kSize), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemAlloc_v2(&second, kSize), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemsetD8_v2(first, 1, kSize), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemsetD8_v2(second, 2, kSize), CUDA_SUCCESS);
  unsigned char byte = 0;
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(&byte, first, 1), CUDA_SUCCESS);
  EXPECT_EQ(byte, 1);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
