// Device memory is memory of the host: what does not fit there is an error, before the system ends the program.
#include "driver/cuda/memory/host_memory.hpp"

#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "../emulator.hpp"
#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

TEST(CudaHostMemory, TheSettingIsASizeOrUnlimited) {
  const auto most = [](std::string_view text) { return cuda::host_memory::setting_of(text).value().most.value(); };
  EXPECT_EQ(most("8G"), std::uint64_t{8} << 30);
  EXPECT_EQ(most("512M"), std::uint64_t{512} << 20);
  EXPECT_EQ(most("123"), 123u);
  EXPECT_FALSE(cuda::host_memory::setting_of("unlimited")->is_checked);
  for (const auto* wrong : {"", "8GB", "-1", "G", "99999999999T", "none", " 8G"})
    EXPECT_FALSE(cuda::host_memory::setting_of(wrong)) << wrong;
}

class CudaLittleHostMemory : public testing::Test {
 protected:
  // So many MiB more than the process holds: sanitizers hold memory, too.
  void start(std::size_t more) {
    std::ifstream statm("/proc/self/statm");
    std::size_t size = 0, resident = 0;
    statm >> size >> resident;
    const auto held = resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / kMib;
    start(std::to_string(held + more) + "M");
  }
  // With the setting, and 8 GiB of device memory.
  void start(const std::string& setting) {
    setenv("NVMLKIT_CUDA_HOST_MEMORY", setting.c_str(), 1);
    ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuCtxCreate_v2(&context, 0u, CUdevice{0}), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuMemAlloc_v2(&data, 8192 * kMib), CUDA_SUCCESS) << "nothing is written yet";
  }
  CUcontext context = nullptr;
  CUdeviceptr data = 0;
};

TEST_F(CudaLittleHostMemory, IsAnErrorOfAFill) {
  NVMLKIT_NEEDS_OWN_MEMORY();
  if (!has_own_process()) return;
  start(std::size_t{390});
  EXPECT_EQ(driver().cuMemsetD8_v2(data, 1, 8192 * kMib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver().cuMemsetD8_v2(data, 1, 100 * kMib), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemsetD8_v2(data + 100 * kMib, 1, 400 * kMib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver().cuMemsetD8_v2(data, 2, 100 * kMib), CUDA_SUCCESS) << "these pages are there";
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS) << "the context goes on";
}

TEST_F(CudaLittleHostMemory, ZerosTakeNone) {
  NVMLKIT_NEEDS_OWN_MEMORY();
  if (!has_own_process()) return;
  start(std::size_t{390});
  ASSERT_EQ(driver().cuMemsetD32_v2(data + 4, 7u, 10 * kMib), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemsetD8_v2(data + 8, 0, 8192 * kMib - 9), CUDA_SUCCESS);
  std::uint32_t words[4] = {};
  EXPECT_EQ(driver().cuMemcpyDtoH_v2(words, data + 4, sizeof words), CUDA_SUCCESS);
  EXPECT_EQ(words[0], 7u) << "in front of them";
  EXPECT_EQ(words[1], 0u);
  EXPECT_EQ(driver().cuMemcpyDtoH_v2(words, data + 39 * kMib, sizeof words), CUDA_SUCCESS);
  EXPECT_EQ(words[0], 0u);
}

TEST_F(CudaLittleHostMemory, IsAnErrorOfACopy) {
  NVMLKIT_NEEDS_OWN_MEMORY();
  if (!has_own_process()) return;
  start(std::size_t{600});
  std::vector<std::byte> from(300 * kMib);
  EXPECT_EQ(driver().cuMemcpyHtoD_v2(data, from.data(), 200 * kMib), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemcpyHtoD_v2(data + 200 * kMib, from.data(), 300 * kMib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver().cuMemcpyDtoD_v2(data + 200 * kMib, data + 1024 * kMib, 1000 * kMib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver().cuMemcpyDtoH_v2(from.data(), data, 200 * kMib), CUDA_SUCCESS);
}

// Writes a word of each page. A block of 1024 threads writes 4 MiB of pages in each round of its loop.
constexpr const char* kFill = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 data, .param .u64 size)
{
  .reg .b64 %rd<9>; .reg .b32 %r<4>; .reg .pred %p1;
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [size];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4096;
LOOP:
  add.s64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r1;
  add.s64 %rd3, %rd3, 4194304;
  setp.lt.u64 %p1, %rd3, %rd2;
  @%p1 bra LOOP;
  ret;
}
)";

TEST_F(CudaLittleHostMemory, EndsAKernelThatWritesTooMuch) {
  if (!has_own_process()) return;
  start(std::size_t{390});
  const auto kernel = kernel_of(kFill, "fill");
  ASSERT_EQ(launch_kernel(kernel, 1, 1024, nullptr, data, std::uint64_t{64 * kMib}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  ASSERT_EQ(launch_kernel(kernel, 1, 1024, nullptr, data, std::uint64_t{8192 * kMib}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(CudaLittleHostMemory, MayBeTriedAllTheSame) {
  if (!has_own_process()) return;
  start("unlimited");
  EXPECT_EQ(driver().cuMemsetD8_v2(data, 1, 600 * kMib), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
}

constexpr const char* kHeap = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 p) malloc (.param .b64 size);
.extern .func free (.param .b64 p);
.visible .entry heap(.param .u64 out, .param .u64 size, .param .u32 frees)
{
  .reg .b64 %rd<9>; .reg .b32 %r<2>; .reg .pred %p1;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [size];
  ld.param.u32 %r1, [frees];
  { .param .b64 a; .param .b64 r;
    st.param.b64 [a], %rd2; call.uni (r), malloc, (a); ld.param.b64 %rd3, [r]; }
  st.global.u64 [%rd1], %rd3;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  { .param .b64 a; st.param.b64 [a], %rd3; call.uni free, (a); }
DONE:
  ret;
}
)";

TEST_F(WithContext, TheHeapOfKernelsHasItsSize) {
  const auto kernel = kernel_of(kHeap, "heap");
  const auto out = allocate(8);
  const auto gets = [&](std::uint64_t size, unsigned frees) {
    std::uint64_t address = 1;
    EXPECT_EQ(launch_kernel(kernel, 1, 1, nullptr, out, size, frees), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(&address, out, sizeof address), CUDA_SUCCESS);
    return address != 0;
  };
  EXPECT_FALSE(gets(100 * kMib, 1)) << "of 8 MiB";
  for (int round = 0; round < 3; ++round) EXPECT_TRUE(gets(6 * kMib, 1)) << "it was given back";
  EXPECT_TRUE(gets(5 * kMib, 0));
  EXPECT_FALSE(gets(5 * kMib, 0));
  EXPECT_TRUE(gets(2 * kMib, 0));
  ASSERT_EQ(driver().cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 128 * kMib), CUDA_SUCCESS);
  EXPECT_TRUE(gets(100 * kMib, 0));
}

}  // namespace
}  // namespace nvmlkit::cuda_test
