// Memory that is mapped, and what GPUs may do with it.
#include <cstring>

#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

const char* const kAccesses = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry copies(.param .u64 to, .param .u64 from)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r2, [%rd2];
  st.global.u32 [%rd1], %r2;
  ret;
}
.visible .entry adds(.param .u64 to, .param .u64 from)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  red.add.u32 [%rd1], 1;
  ret;
}
)";
constexpr std::size_t kSize = 2 << 20;

// A mapping of GPU 0 that holds the number 7 in its first words, and memory as any.
class CudaMappedMemory : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    std::memset(what_, 0, sizeof what_);
    const unsigned pinned = CU_MEM_ALLOCATION_TYPE_PINNED, on_device = CU_MEM_LOCATION_TYPE_DEVICE;
    std::memcpy(what_, &pinned, 4);
    std::memcpy(what_ + 8, &on_device, 4);
    CUmemGenericAllocationHandle memory = 0;
    ASSERT_EQ(driver().cuMemCreate(&memory, kSize, as<CUmemAllocationProp>(what_), 0ull), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemAddressReserve(&mapped_, kSize, std::size_t{0}, CUdeviceptr{0}, 0ull), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemMap(mapped_, kSize, std::size_t{0}, memory, 0ull), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemRelease(memory), CUDA_SUCCESS);
    allow(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    ASSERT_EQ(driver().cuMemsetD32_v2(mapped_, 7u, std::size_t{64}), CUDA_SUCCESS);
    ordinary_ = allocate(256);
    CUmodule module = nullptr;
    ASSERT_EQ(driver().cuModuleLoadData(&module, kAccesses), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuModuleGetFunction(&copies_, module, "copies"), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuModuleGetFunction(&adds_, module, "adds"), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(driver().cuMemUnmap(mapped_, kSize), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuMemAddressFree(mapped_, kSize), CUDA_SUCCESS);
    WithContext::TearDown();
  }

  void allow(CUmemAccess_flags flags) {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    ASSERT_EQ(driver().cuMemSetAccess(mapped_, kSize, &access, std::size_t{1}), CUDA_SUCCESS);
    unsigned long long told = 0;
    ASSERT_EQ(driver().cuMemGetAccess(&told, &access.location, mapped_), CUDA_SUCCESS);
    EXPECT_EQ(told, flags);
  }
  CUresult launch(CUfunction f, CUdeviceptr to, CUdeviceptr from) {
    void* arguments[] = {&to, &from};
    const auto result = driver().cuLaunchKernel(f, 1u, 1u, 1u, 32u, 1u, 1u, 0u, CUstream{}, arguments, nullptr);
    return result == CUDA_SUCCESS ? driver().cuCtxSynchronize() : result;
  }
  CUresult read(CUdeviceptr from, unsigned& value) { return driver().cuMemcpyDtoH_v2(&value, from, sizeof value); }

  unsigned char what_[32];
  CUdeviceptr mapped_ = 0, ordinary_ = 0;
  CUfunction copies_ = nullptr, adds_ = nullptr;
};

TEST_F(CudaMappedMemory, IsReadWhereItMayNotBeWritten) {
  if (!has_own_process()) return;
  allow(CU_MEM_ACCESS_FLAGS_PROT_READ);
  EXPECT_EQ(launch(copies_, ordinary_, mapped_), CUDA_SUCCESS);
  unsigned value = 0;
  EXPECT_EQ(read(ordinary_ + 124, value), CUDA_SUCCESS);
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(read(mapped_, value), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemcpyDtoD_v2(ordinary_, mapped_, std::size_t{4}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemcpyDtoD_v2(mapped_, ordinary_, std::size_t{4}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemsetD32_v2(mapped_, 8u, std::size_t{1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(copies_, mapped_, ordinary_), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(CudaMappedMemory, IsNotChangedAtomicallyWhereItMayNotBeWritten) {
  if (!has_own_process()) return;
  EXPECT_EQ(launch(adds_, mapped_, 0), CUDA_SUCCESS);
  unsigned value = 0;
  EXPECT_EQ(read(mapped_, value), CUDA_SUCCESS);
  EXPECT_EQ(value, 39u);
  allow(CU_MEM_ACCESS_FLAGS_PROT_READ);
  EXPECT_EQ(launch(adds_, mapped_, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(CudaMappedMemory, IsNotThereForWhoHasNoAccess) {
  if (!has_own_process()) return;
  allow(CU_MEM_ACCESS_FLAGS_PROT_NONE);
  unsigned value = 0;
  EXPECT_EQ(read(mapped_, value), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(copies_, ordinary_, mapped_), CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
