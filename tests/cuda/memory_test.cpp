// Allocations, on the built-in h100.
#include <sys/mman.h>

#include <csetjmp>
#include <csignal>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

class CudaMemory : public WithContext {};

// A driver counts memory in blocks of 2 MiB.
constexpr std::size_t kBlock = 2 << 20;
std::size_t in_blocks(std::size_t size) { return size / kBlock * kBlock; }

// As on an H100: allocations of at most 1 MiB lie behind each other in a block, larger ones in blocks of their own.
TEST_F(CudaMemory, IsCountedInBlocks) {
  const auto all = free_memory();
  struct {
    std::size_t size, place, used;
  } const asked[] = {{1, 0, 1},       {1, 512, 1},    {257, 1024, 1},    {1 << 20, 1536, 1},
                     {1 << 20, 0, 2}, {kBlock, 0, 3}, {kBlock + 1, 0, 5}};
  std::vector<CUdeviceptr> addresses;
  for (const auto& a : asked) {
    addresses.push_back(allocate(a.size));
    EXPECT_EQ(addresses.back() % kBlock, a.place) << a.size;
    EXPECT_EQ(all - free_memory(), a.used * kBlock) << a.size;
  }
  EXPECT_EQ(release(addresses[3]), CUDA_SUCCESS);  // its block has others
  EXPECT_EQ(all - free_memory(), 5 * kBlock);
  addresses.erase(addresses.begin() + 3);
  for (const auto address : addresses) EXPECT_EQ(release(address), CUDA_SUCCESS);
  EXPECT_EQ(free_memory(), all);
}

TEST_F(CudaMemory, EndsAtTheSizeOfTheGpu) {
  const auto all = free_memory();
  const auto half = allocate(in_blocks(all / 2));
  CUdeviceptr more = 0;
  EXPECT_EQ(driver().cuMemAlloc_v2(&more, all), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver().cuMemAlloc_v2(&more, ~std::size_t{0}), CUDA_ERROR_OUT_OF_MEMORY);
  const auto rest = allocate(in_blocks(free_memory()));
  EXPECT_LT(free_memory(), kBlock);
  EXPECT_EQ(driver().cuMemAlloc_v2(&more, std::size_t{1}), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(release(half), CUDA_SUCCESS);
  EXPECT_EQ(release(rest), CUDA_SUCCESS);
  EXPECT_EQ(free_memory(), all);
}

TEST_F(CudaMemory, GpusDoNotShareIt) {
  const auto mine = allocate(in_blocks(free_memory()));
  CUcontext other = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&other, 0u, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_GT(free_memory(), 0u);
  EXPECT_EQ(driver().cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(release(mine), CUDA_SUCCESS);
}

TEST_F(CudaMemory, IsFreedOnceAndAtItsStart) {
  const auto address = allocate(4096);
  EXPECT_EQ(address % 256, 0u);
  EXPECT_EQ(release(address + 512), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(release(address), CUDA_SUCCESS);
  EXPECT_EQ(release(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(release(0), CUDA_SUCCESS);
  CUdeviceptr none = 0;
  EXPECT_EQ(driver().cuMemAlloc_v2(&none, std::size_t{0}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaMemory, PiecesJoinAgain) {
  const auto all = free_memory();
  std::vector<CUdeviceptr> pieces;
  for (int i = 0; i < 64; ++i) pieces.push_back(allocate(1000 + static_cast<std::size_t>(i)));
  for (std::size_t i = 0; i < pieces.size(); i += 2) EXPECT_EQ(release(pieces[i]), CUDA_SUCCESS);
  for (std::size_t i = 1; i < pieces.size(); i += 2) EXPECT_EQ(release(pieces[i]), CUDA_SUCCESS);
  EXPECT_EQ(free_memory(), all);
  EXPECT_EQ(allocate(1), pieces.front());
}

TEST_F(CudaMemory, TheHostCannotFollowADeviceAddress) {
  const auto address = allocate(4096);
  static sigjmp_buf back;
  const auto before = std::signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
  bool followed = false;
  if (sigsetjmp(back, 1) == 0) {
    (void)*reinterpret_cast<volatile char*>(address);
    followed = true;
  }
  std::signal(SIGSEGV, before);
  EXPECT_FALSE(followed);
  EXPECT_EQ(release(address), CUDA_SUCCESS);
}

TEST_F(CudaMemory, PitchIsAMultipleOf512) {
  CUdeviceptr address = 0, start = 0;
  std::size_t pitch = 0, size = 0;
  EXPECT_EQ(driver().cuMemAllocPitch_v2(&address, &pitch, std::size_t{1000}, std::size_t{10}, 4u), CUDA_SUCCESS);
  EXPECT_EQ(pitch, 1024u);
  EXPECT_EQ(driver().cuMemGetAddressRange_v2(&start, &size, address + 5000), CUDA_SUCCESS);
  EXPECT_EQ(start, address);
  EXPECT_EQ(size, 10240u);
  EXPECT_EQ(driver().cuMemAllocPitch_v2(&address, &pitch, std::size_t{1000}, std::size_t{10}, 3u),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(release(start), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemGetAddressRange_v2(&start, &size, start), CUDA_ERROR_NOT_FOUND);
}

TEST_F(CudaMemory, HostMemoryIsKnownToTheDriver) {
  void* host = nullptr;
  ASSERT_EQ(driver().cuMemHostAlloc(&host, std::size_t{5000}, 3u), CUDA_SUCCESS);
  static_cast<char*>(host)[4999] = 'x';
  CUdeviceptr address = 0;
  unsigned flags = 0;
  EXPECT_EQ(driver().cuMemHostGetDevicePointer_v2(&address, host, 0u), CUDA_SUCCESS);
  EXPECT_EQ(address, reinterpret_cast<CUdeviceptr>(host));
  EXPECT_EQ(driver().cuMemHostGetFlags(&flags, host), CUDA_SUCCESS);
  EXPECT_EQ(flags, 3u);
  EXPECT_EQ(release(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemFreeHost(host), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaMemory, RegisteredMemoryOfTheProgram) {
  std::vector<char> own(10000);
  EXPECT_EQ(driver().cuMemHostRegister_v2(own.data(), own.size(), 0u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemHostRegister_v2(own.data() + 100, std::size_t{10}, 0u),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(driver().cuMemHostUnregister(own.data()), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemHostUnregister(own.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(driver().cuMemHostRegister_v2(reinterpret_cast<void*>(0x1000), std::size_t{4096}, 0u),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaMemory, ManagedMemoryIsReachedByBoth) {
  CUdeviceptr address = 0;
  ASSERT_EQ(driver().cuMemAllocManaged(&address, std::size_t{4096}, unsigned{CU_MEM_ATTACH_GLOBAL}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemsetD8_v2(address, static_cast<unsigned char>(7), std::size_t{4096}), CUDA_SUCCESS);
  EXPECT_EQ(reinterpret_cast<char*>(address)[4095], 7);
  unsigned managed = 0;
  EXPECT_EQ(driver().cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address), CUDA_SUCCESS);
  EXPECT_EQ(managed, 1u);
  EXPECT_EQ(release(address), CUDA_SUCCESS);
}

TEST_F(CudaMemory, PointersTellWhatTheyAre) {
  const auto address = allocate(4096);
  unsigned type = 0;
  int ordinal = -1;
  CUcontext owner = nullptr;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_CONTEXT};
  void* data[] = {&type, &ordinal, &owner};
  EXPECT_EQ(driver().cuPointerGetAttributes(3u, &which[0], &data[0], address + 17), CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(owner, context_);
  int here = 0;
  EXPECT_EQ(driver().cuPointerGetAttributes(3u, &which[0], &data[0], reinterpret_cast<CUdeviceptr>(&here)),
            CUDA_SUCCESS);
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(ordinal, -2);
  EXPECT_EQ(
      driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&here)),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(release(address), CUDA_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
