// Blocks that run at once, barriers, registers and architecture of kernels.
#include <unistd.h>

#include <string>
#include <vector>

#include "kernels_support.hpp"

namespace nvmlkit::cuda_test {
namespace {

// Each warp reads what the other one wrote before the barrier, works for long, and writes its own anew.
const char* const kPhases = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry phases(.param .u64 data)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b32 written[2];
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  shl.b32 %r3, %r2, 2;
  mov.u32 %r4, written;
  add.u32 %r5, %r4, %r3;
  st.shared.u32 [%r5], 7;
  bar.sync 0;
  xor.b32 %r3, %r3, 4;
  add.u32 %r6, %r4, %r3;
  ld.shared.u32 %r7, [%r6];
  mov.u32 %r2, 0;
WORK:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, ROUNDS;
  @%p1 bra WORK;
  st.shared.u32 [%r5], 99;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

TEST_F(CudaKernels, GoOnTogetherFromABarrier) {
  for (const std::string rounds : {"4", "200"}) {
    std::string text = kPhases;
    text.replace(text.find("ROUNDS"), 6, rounds);
    CUmodule module = nullptr;
    CUfunction phases = nullptr;
    ASSERT_EQ(driver().cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuModuleGetFunction(&phases, module, "phases"), CUDA_SUCCESS);
    auto data = allocate(64 * 4);
    void* arguments[] = {&data};
    ASSERT_EQ(driver().cuLaunchKernel(phases, 1u, 1u, 1u, 64u, 1u, 1u, 0u, CUstream{}, arguments, nullptr),
              CUDA_SUCCESS);
    std::vector<unsigned> read(64);
    ASSERT_EQ(driver().cuMemcpyDtoH_v2(read.data(), data, std::size_t{256}), CUDA_SUCCESS);
    EXPECT_EQ(read, std::vector<unsigned>(64, 7)) << rounds;
    EXPECT_EQ(release(data), CUDA_SUCCESS);
  }
}

// Of each block a thread counts it, and waits until all are counted, but not forever.
const char* const kFull = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry full(.param .u64 data, .param .u32 count)
.maxntid 1024, 1, 1
.minnctapersm 2
{
  .reg .pred %p<4>;
  .reg .b32 %r<100>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r2, [count];
  atom.global.add.u32 %r3, [%rd1], 1;
  mov.u32 %r4, 0;
WAIT:
  add.u32 %r4, %r4, 1;
  setp.gt.u32 %p2, %r4, 50000;
  @%p2 bra LATE;
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p3, %r5, %r2;
  @%p3 bra WAIT;
  bra DONE;
LATE:
  atom.global.add.u32 %r3, [%rd1+4], 1;
DONE:
  ret;
}
)";

TEST_F(CudaKernels, ThatFillTheGpuHaveAllBlocksAtOnce) {
  CUmodule module = nullptr;
  CUfunction full = nullptr;
  ASSERT_EQ(driver().cuModuleLoadData(&module, kFull), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuModuleGetFunction(&full, module, "full"), CUDA_SUCCESS);
  int multiprocessors = 0, blocks = 0, registers = 0;
  ASSERT_EQ(driver().cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CUdevice{0}),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, full, 1024, std::size_t{0}), CUDA_SUCCESS);
  EXPECT_EQ(blocks, 2) << "as it promises";
  ASSERT_EQ(driver().cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, full), CUDA_SUCCESS);
  EXPECT_LE(registers, 32);
  const auto data = allocate(8);
  ASSERT_EQ(driver().cuMemsetD8_v2(data, static_cast<unsigned char>(0), std::size_t{8}), CUDA_SUCCESS);
  const auto all = static_cast<unsigned>(2 * multiprocessors);
  ASSERT_EQ(launch(full, data, all, all, 1024), CUDA_SUCCESS);
  unsigned counts[2] = {};
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(counts, data, std::size_t{8}), CUDA_SUCCESS);
  EXPECT_EQ(counts[0], all);
  EXPECT_EQ(counts[1], 0u) << "waited for a block that had not begun";
  EXPECT_EQ(release(data), CUDA_SUCCESS);
}

// A kernel whose loads all stand before the sums that need them, or each before its own.
std::string sums_of_loads(unsigned count, bool all_first) {
  std::string loads, sums;
  const auto load = [](unsigned k) {
    return "ld.global.u32 %v" + std::to_string(k) + ", [%a + " + std::to_string(4 * k) + "];\n";
  };
  for (unsigned k = 0; k < count; ++k) {
    const auto sum = "add.u32 %s, %s, %v" + std::to_string(k) + ";\n";
    if (all_first) loads += load(k);
    sums += all_first ? sum : load(k) + sum;
  }
  return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry sum(.param .u64 p)\n{ .reg .u64 %p, %a; .reg "
         ".u32 "
         "%s, %v<" +
         std::to_string(count) + ">;\nld.param.u64 %p, [p]; cvta.to.global.u64 %a, %p; mov.u32 %s, 0;\n" + loads +
         sums + "st.global.u32 [%a], %s;\nret; }\n";
}

TEST_F(CudaKernels, HaveTheRegistersThatTheyNeedAtOneTime) {
  const auto registers_of = [&](const std::string& text) {
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    int count = 0;
    EXPECT_EQ(driver().cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuModuleGetFunction(&kernel, module, "sum"), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuFuncGetAttribute(&count, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuModuleUnload(module), CUDA_SUCCESS);
    return count;
  };
  const int one_by_one = registers_of(sums_of_loads(100, false)), at_once = registers_of(sums_of_loads(100, true));
  EXPECT_LT(one_by_one, 16);
  EXPECT_EQ(registers_of(sums_of_loads(50, false)), one_by_one);
  EXPECT_EQ(at_once, registers_of(sums_of_loads(50, true)) + 50);
  EXPECT_EQ(registers_of(sums_of_loads(400, true)), 255) << "a GPU has no more";
}

// A block finds its own variables as zero, whatever the block before wrote, beside megabytes that another kernel has.
const char* const kOwnSharedMemory = R"(
.version 7.0
.target sm_70
.address_size 64
.shared .align 16 .b8 of_others[4194304];
.shared .align 4 .b32 own[2];
.func (.param .b32 found) exchange(.param .b32 value)
{
  .reg .b32 %v<3>;
  ld.param.b32 %v1, [value];
  atom.shared.exch.b32 %v2, [own+4], %v1;
  st.param.b32 [found], %v2;
  ret;
}
.visible .entry other()
{
  st.shared.u8 [of_others], 1;
  ret;
}
.visible .entry look(.param .u64 data)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %ctaid.x;
  atom.shared.exch.b32 %r2, [own], 7;
  mov.u32 %r4, 9;
  {
    .param .b32 value;
    .param .b32 found;
    st.param.b32 [value], %r4;
    call.uni (found), exchange, (value);
    ld.param.b32 %r3, [found];
  }
  add.u32 %r2, %r2, %r3;
  mov.u32 %r5, %total_smem_size;
  shl.b32 %r5, %r5, 8;
  or.b32 %r2, %r2, %r5;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

TEST_F(CudaKernels, HaveTheirOwnSharedVariables) {
  CUmodule module = nullptr;
  CUfunction look = nullptr;
  ASSERT_EQ(driver().cuModuleLoadData(&module, kOwnSharedMemory), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuModuleGetFunction(&look, module, "look"), CUDA_SUCCESS);
  auto data = allocate(100 * 4);
  void* arguments[] = {&data};
  ASSERT_EQ(driver().cuLaunchKernel(look, 100u, 1u, 1u, 1u, 1u, 1u, 0u, CUstream{}, arguments, nullptr), CUDA_SUCCESS);
  std::vector<unsigned> read(100);
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(read.data(), data, std::size_t{400}), CUDA_SUCCESS);
  EXPECT_EQ(read, std::vector<unsigned>(100, 16u << 8));  // 8 bytes, in steps of 16
}

constexpr char kUnusedSharedMemory[] = R"(.version 7.0
.target sm_70
.address_size 64
.shared .align 4 .b8 of_module[2048];
.shared .align 1 .b8 narrow[3];
.shared .align 16 .b8 wide[16];
.func helper() {
  .shared .align 4 .b8 of_function[512];
  ret;
}
.visible .entry none() { ret; }
.visible .entry own() {
  .shared .align 4 .b8 of_kernel[4096];
  ret;
}
.visible .entry inner() {
  { .shared .align 1 .b8 of_block[64]; }
  ret;
}
.visible .entry calls() {
  call helper;
  ret;
}
.visible .entry aligned() {
  .shared .align 1 .b8 first[1];
  .shared .align 8 .b8 second[8];
  .shared .align 1 .b8 third[1];
  ret;
}
.visible .entry others(.param .u64 out) {
  .reg .b64 %d<4>;
  .shared .align 1 .b8 own[1];
  ld.param.u64 %d1, [out];
  mov.u64 %d2, wide;
  mov.u64 %d3, narrow;
  st.global.v2.u64 [%d1], {%d2, %d3};
  ret;
}
)";

// The numbers of ptxas of CUDA 13.
TEST_F(CudaKernels, CountSharedVariablesThatNothingRefersTo) {
  CUmodule module = nullptr;
  ASSERT_EQ(driver().cuModuleLoadData(&module, kUnusedSharedMemory), CUDA_SUCCESS);
  const auto size_of = [&](const char* name) {
    CUfunction kernel = nullptr;
    int size = -1;
    EXPECT_EQ(driver().cuModuleGetFunction(&kernel, module, name), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuFuncGetAttribute(&size, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel), CUDA_SUCCESS);
    return size;
  };
  EXPECT_EQ(size_of("none"), 0);
  EXPECT_EQ(size_of("own"), 4096);
  EXPECT_EQ(size_of("inner"), 64);
  EXPECT_EQ(size_of("calls"), 512);
  EXPECT_EQ(size_of("aligned"), 17);
  EXPECT_EQ(size_of("others"), 33);
}

TEST_F(CudaKernels, TellTheirArchitecture) {
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  ASSERT_EQ(driver().cuModuleLoadData(&module, sums_of_loads(1, true).c_str()), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuModuleGetFunction(&kernel, module, "sum"), CUDA_SUCCESS);
  int of_text = 0, of_gpu = 0, major = 0, minor = 0;
  ASSERT_EQ(driver().cuFuncGetAttribute(&of_text, CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuFuncGetAttribute(&of_gpu, CU_FUNC_ATTRIBUTE_BINARY_VERSION, kernel), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CUdevice{0}),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, CUdevice{0}),
            CUDA_SUCCESS);
  EXPECT_EQ(of_text, 70);
  EXPECT_EQ(of_gpu, 10 * major + minor);
  EXPECT_NE(of_gpu, of_text) << "the test needs a newer GPU";
}

}  // namespace
}  // namespace nvmlkit::cuda_test
