// Modules of PTX and their launches, without a compiler.
#include <cstdint>
#include <string>
#include <vector>

#include "kernels_support.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

TEST_F(CudaKernels, Compute) {
  CUmodule module = nullptr;
  const auto scale = load(&module);
  std::vector<unsigned> values(100);
  for (unsigned i = 0; i < 100; ++i) values[i] = i;
  const auto data = allocate(400);
  ASSERT_EQ(driver().cuMemcpyHtoD_v2(data, values.data(), std::size_t{400}), CUDA_SUCCESS);
  ASSERT_EQ(launch(scale, data, 99), CUDA_SUCCESS);
  CUdeviceptr factor = 0;
  std::size_t size = 0;
  ASSERT_EQ(driver().cuModuleGetGlobal_v2(&factor, &size, module, "factor"), CUDA_SUCCESS);
  EXPECT_EQ(size, 4u);
  ASSERT_EQ(driver().cuMemsetD32_v2(factor, 5u, std::size_t{1}), CUDA_SUCCESS);
  ASSERT_EQ(launch(scale, data, 50), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(values.data(), data, std::size_t{400}), CUDA_SUCCESS);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(values[i], i < 50 ? 15 * i : i < 99 ? 3 * i : i);
  EXPECT_EQ(driver().cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(launch(scale, data, 50), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

// Sizes that are no multiple of 16: each lane still begins where 16 bytes may be written at once.
TEST_F(CudaKernels, WriteWideValuesToTheirOwnMemory) {
  const auto wide = kernel_of(R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry wide(.param .u64 data)
{
  .local .align 16 .b8 own[24];
  .param .align 16 .b8 passed[24];
  .reg .b32 %r<3>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  cvt.u64.u32 %rd2, %r1;
  mul.lo.u64 %rd3, %rd2, 10;
  st.local.v2.b64 [own], {%rd2, %rd3};
  st.param.v2.b64 [passed], {%rd3, %rd2};
  ld.local.v2.b64 {%rd4, %rd5}, [own];
  ld.param.v2.b64 {%rd6, %rd7}, [passed];
  add.u64 %rd5, %rd5, %rd7;
  mad.wide.u32 %rd1, %r1, 8, %rd1;
  st.global.u64 [%rd1], %rd5;
  ret;
}
)",
                              "wide");
  const auto data = allocate(64 * 8);
  ASSERT_EQ(launch_kernel(wide, 1, 64, CUstream{}, data), CUDA_SUCCESS);
  std::vector<std::uint64_t> values(64);
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(values.data(), data, std::size_t{512}), CUDA_SUCCESS);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], 11 * i);
}

// PTX leaves open which of two results stays in one predicate; ptxas keeps the first, and so is it here.
TEST_F(CudaKernels, KeepTheFirstOfTwoResultsInOnePredicate) {
  const auto compare = kernel_of(R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry compare(.param .u64 data)
{
  .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p2, %r1, 9;
  setp.lt.u32 %p1|%p1, %r1, 2;
  selp.u32 %r2, 1, 0, %p1;
  setp.lt.xor.s32 %p1|%p1, %r1, 2, %p2;
  selp.u32 %r3, 2, 0, %p1;
  or.b32 %r2, %r2, %r3;
  mad.wide.u32 %rd1, %r1, 4, %rd1;
  st.global.u32 [%rd1], %r2;
  ret;
}
)",
                                 "compare");
  const auto data = allocate(4 * 4);
  ASSERT_EQ(launch_kernel(compare, 1, 4, CUstream{}, data), CUDA_SUCCESS);
  std::vector<unsigned> values(4);
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(values.data(), data, std::size_t{16}), CUDA_SUCCESS);
  EXPECT_EQ(values, (std::vector<unsigned>{1, 1, 2, 2}));
}

TEST_F(CudaKernels, TakeABufferOfArguments) {
  const auto scale = load();
  const auto data = allocate(400);
  ASSERT_EQ(driver().cuMemsetD32_v2(data, 7u, std::size_t{100}), CUDA_SUCCESS);
  struct {
    CUdeviceptr data;
    unsigned count;
  } buffer{data, 100};
  std::size_t size = offsetof(decltype(buffer), count) + sizeof buffer.count;
  void* extra[] = {reinterpret_cast<void*>(1), &buffer, reinterpret_cast<void*>(2), &size, nullptr};
  ASSERT_EQ(driver().cuLaunchKernel(scale, 2u, 1u, 1u, 64u, 1u, 1u, 0u, CUstream{}, nullptr, extra), CUDA_SUCCESS);
  unsigned last = 0;
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(&last, data + 396, std::size_t{4}), CUDA_SUCCESS);
  EXPECT_EQ(last, 21u);
}

TEST_F(CudaKernels, OfGccRun) {
  // Vector registers, numbered parameters, instructions for video.
  const char* const text = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .func (.param .u32 value_out) minus(.param .u32 in0, .param .u32 in1)
{
  .reg .u32 %r1;
  .reg .u32 %r2;
  ld.param.u32 %r1, [in0];
  ld.param.u32 %r2, [in1];
  vsub.u32.u32.u32.add %r1, %r1, %r2, 100;
  st.param.u32 [value_out], %r1;
  ret;
}
.visible .entry pairs(.param .u64 data)
{
  .reg .v2 .u32 %v;
  .reg .v2 .u32 %w;
  .reg .u32 %r;
  .reg .u64 %p;
  .param .u32 %in<2>;
  .param .u32 %out;
  ld.param.u64 %p, [data];
  mov.v2.u32 %v, {7, 9};
  mov.v2.u32 %w, %v;
  st.param.u32 [%in0], %w.y;
  st.param.u32 [%in1], %w.x;
  call (%out), minus, (%in0, %in1);
  ld.param.u32 %r, [%out];
  st.global.v2.u32 [%p], %v;
  st.global.u32 [%p+8], %r;
  mov.u32 %r, 0x10FF0305;
  vabsdiff4.u32.u32.u32.add %r, %r, 0x20010503, 1000;
  st.global.u32 [%p+12], %r;
  mov.u32 %r, 0x7FFF8000;
  vadd2.s32.s32.s32.sat %r, %r, 0x0001FFFF, 0;
  st.global.u32 [%p+16], %r;
  ret;
}
)";
  const auto pairs = kernel_of(text, "pairs");
  const auto data = allocate(20);
  ASSERT_EQ(launch_kernel(pairs, 1, 1, CUstream{}, data), CUDA_SUCCESS);
  unsigned out[5] = {};
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(out, data, sizeof out), CUDA_SUCCESS);
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[1], 9u);
  EXPECT_EQ(out[2], 102u);
  EXPECT_EQ(out[3], 1000u + 0x10 + 0xFE + 2 + 2);
  EXPECT_EQ(out[4], 0x7FFF8000u);
  EXPECT_EQ(release(data), CUDA_SUCCESS);
}

TEST_F(CudaKernels, EndWithoutACurrentContext) {
  CUmodule module = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  load(&module);
  ASSERT_EQ(driver().cuStreamCreate(&stream, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventCreate(&event, 0u), CUDA_SUCCESS);
  CUcontext popped = nullptr;
  ASSERT_EQ(driver().cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventDestroy_v2(event), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxPushCurrent_v2(popped), CUDA_SUCCESS);
}

TEST_F(CudaKernels, AnIllegalAddressEndsTheContext) {
  if (!has_own_process()) return;
  const auto scale = load();
  const auto data = allocate(400);
  EXPECT_EQ(launch(scale, data, 128), CUDA_SUCCESS);  // 400 bytes are rounded to 512
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(launch(scale, data + (1 << 30), 128), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuStreamSynchronize(CUstream{}), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr more = 0;
  EXPECT_EQ(driver().cuMemAlloc_v2(&more, std::size_t{4}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuMemFree_v2(data), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUcontext other = nullptr;
  EXPECT_EQ(driver().cuCtxCreate_v2(&other, 0u, CUdevice{0}), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(CudaKernels, TellWhatTheyAre) {
  const auto scale = load();
  int value = 0;
  EXPECT_EQ(driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale), CUDA_SUCCESS);
  EXPECT_EQ(value, 1024);
  std::size_t offset = 0, size = 0;
  EXPECT_EQ(driver().cuFuncGetParamInfo(scale, std::size_t{1}, &offset, &size), CUDA_SUCCESS);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(size, 4u);
  const char* name = nullptr;
  EXPECT_EQ(driver().cuFuncGetName(&name, scale), CUDA_SUCCESS);
  EXPECT_STREQ(name, "scale");
  EXPECT_EQ(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, scale, 1024, std::size_t{0}), CUDA_SUCCESS);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(launch(scale, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(scale, 0, 0, 1, 1025), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaKernels, OfLibrariesBelongToEveryContext) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_EQ(driver().cuLibraryLoadData(&library, kScale, nullptr, nullptr, 0u, nullptr, nullptr, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLibraryGetKernel(&kernel, library, "scale"), CUDA_SUCCESS);
  const auto data = allocate(400);
  ASSERT_EQ(driver().cuMemsetD32_v2(data, 2u, std::size_t{100}), CUDA_SUCCESS);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(kernel), data, 100), CUDA_SUCCESS);
  unsigned first = 0;
  EXPECT_EQ(driver().cuMemcpyDtoH_v2(&first, data, std::size_t{4}), CUDA_SUCCESS);
  EXPECT_EQ(first, 6u);
  EXPECT_EQ(driver().cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(kernel), data, 100), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaKernels, OfLibrariesShareTheirSettingsWithTheirFunctions) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(driver().cuLibraryLoadData(&library, kScale, nullptr, nullptr, 0u, nullptr, nullptr, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLibraryGetKernel(&kernel, library, "scale"), CUDA_SUCCESS);
  const auto launch_with = [&](CUfunction f, unsigned shared) {
    CUdeviceptr data = allocate(256);
    unsigned count = 64;
    void* arguments[] = {&data, &count};
    return driver().cuLaunchKernel(f, 1u, 1u, 1u, 64u, 1u, 1u, shared, nullptr, arguments, nullptr);
  };
  // Once before the function is there, once behind it.
  ASSERT_EQ(driver().cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, kernel, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
  EXPECT_EQ(launch_with(function, 60000), CUDA_SUCCESS);
  EXPECT_EQ(launch_with(function, 60001), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver().cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 70000, kernel, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(launch_with(function, 70000), CUDA_SUCCESS);
  EXPECT_EQ(launch_with(reinterpret_cast<CUfunction>(kernel), 70000), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuLibraryUnload(library), CUDA_SUCCESS);
}

TEST_F(CudaKernels, OfLibrariesRunInEachContext) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_EQ(driver().cuLibraryLoadData(&library, kScale, nullptr, nullptr, 0u, nullptr, nullptr, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLibraryGetKernel(&kernel, library, "scale"), CUDA_SUCCESS);
  CUcontext kept = nullptr;
  // In three contexts one behind the other, and the variable of each is its own.
  for (unsigned round = 1; round < 4; ++round) {
    CUcontext own = nullptr;
    ASSERT_EQ(driver().cuCtxCreate_v2(&own, 0u, CUdevice{0}), CUDA_SUCCESS);
    CUdeviceptr factor = 0;
    std::size_t size = 0;
    ASSERT_EQ(driver().cuLibraryGetGlobal(&factor, &size, library, "factor"), CUDA_SUCCESS);
    unsigned value = 0;
    ASSERT_EQ(driver().cuMemcpyDtoH_v2(&value, factor, sizeof value), CUDA_SUCCESS);
    EXPECT_EQ(value, 3u);
    ASSERT_EQ(driver().cuMemsetD32_v2(factor, round, std::size_t{1}), CUDA_SUCCESS);
    const auto data = allocate(4);
    ASSERT_EQ(driver().cuMemsetD32_v2(data, 7u, std::size_t{1}), CUDA_SUCCESS);
    ASSERT_EQ(launch_kernel(reinterpret_cast<CUfunction>(kernel), 1, 1, nullptr, data, 1u), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemcpyDtoH_v2(&value, data, sizeof value), CUDA_SUCCESS);
    EXPECT_EQ(value, 7 * round);
    if (round != 2) {
      ASSERT_EQ(driver().cuCtxDestroy_v2(own), CUDA_SUCCESS);
    } else {
      ASSERT_EQ(driver().cuCtxPopCurrent_v2(&kept), CUDA_SUCCESS);  // the next one beside it
    }
  }
  EXPECT_EQ(driver().cuCtxDestroy_v2(kept), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuLibraryUnload(library), CUDA_SUCCESS);
}

TEST_F(CudaKernels, CanBeSkipped) {
  const auto scale = load();
  setenv("NVMLKIT_CUDA_KERNELS", "skip", 1);
  EXPECT_EQ(launch(scale, 4096, 100), CUDA_SUCCESS);
  unsetenv("NVMLKIT_CUDA_KERNELS");
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
