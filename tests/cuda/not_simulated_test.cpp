// Instructions that PTX has and the simulation has not; and the line on stderr about a kernel that ends with an error.
#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

constexpr const char* kHeadOfModule = ".version 8.1\n.target sm_90\n.address_size 64\n";

// A kernel that adds 1 to a word, and one that executes `statement` where the word is 7 and in thread 5 of block 2
// only.
std::string module_with(const std::string& statement, const std::string& variables = "") {
  return kHeadOfModule + variables + R"(
.visible .entry plain(.param .u64 data)
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry other(.param .u64 data)
{
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [data];
  ld.global.u32 %r1, [%rd1];
  setp.eq.u32 %p1, %r1, 7;
  mov.u32 %r2, %tid.x;
  setp.eq.and.u32 %p1, %r2, 5, %p1;
  mov.u32 %r2, %ctaid.x;
  setp.eq.and.u32 %p1, %r2, 2, %p1;
)" + statement +
         "\n  ret;\n}\n";
}

class CudaNotSimulated : public WithContext {
 protected:
  // What stands on stderr, and the result, after the kernel `other` where the word is 7.
  std::string line_of(const std::string& text, CUresult& result) {
    CUmodule module = nullptr;
    const auto plain = kernel_of(text.c_str(), "plain", &module);
    CUfunction other = nullptr;
    EXPECT_EQ(driver().cuModuleGetFunction(&other, module, "other"), CUDA_SUCCESS);
    const auto data = allocate(4);
    EXPECT_EQ(driver().cuMemsetD32_v2(data, 5u, std::size_t{1}), CUDA_SUCCESS);
    testing::internal::CaptureStderr();
    EXPECT_EQ(launch_kernel(plain, 1, 1, nullptr, data), CUDA_SUCCESS);
    EXPECT_EQ(launch_kernel(other, 3, 64, nullptr, data), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS) << "no thread reached it: the word is 6";
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(launch_kernel(plain, 1, 1, nullptr, data), CUDA_SUCCESS);
    testing::internal::CaptureStderr();
    launch_kernel(other, 3, 64, nullptr, data);
    result = driver().cuCtxSynchronize();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(CudaNotSimulated, IsAnErrorOfTheKernelThatReachesIt) {
  if (!has_own_process()) return;
  CUresult result = CUDA_SUCCESS;
  EXPECT_EQ(line_of(module_with("@%p1 multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%rd1];"), result),
            "nvmlkit: kernel other: multimem.ld_reduce.relaxed.sys.global.add.f32: is not simulated, block (2,0,0), "
            "thread (5,0,0), PTX line 24\n");
  EXPECT_EQ(result, CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_F(CudaNotSimulated, MayBeAWordOfAKnownInstruction) {
  if (!has_own_process()) return;
  CUresult result = CUDA_SUCCESS;
  EXPECT_EQ(line_of(module_with("@%p1 cvt.rs.f16x2.f32 %r1, %f1, %f2, %r1;"), result),
            "nvmlkit: kernel other: cvt.rs.f16x2.f32: '.rs' is not simulated here, block (2,0,0), thread (5,0,0), "
            "PTX line 24\n");
  EXPECT_EQ(result, CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_F(CudaNotSimulated, AddressesOfVariablesBesideItStay) {
  if (!has_own_process()) return;
  CUresult result = CUDA_SUCCESS;
  const auto text = module_with("@%p1 multimem.st.global.u32 [there + 4], %r1;\n  ld.global.u32 %r3, [there];\n",
                                ".global .u32 there[2] = {3, 4};");
  EXPECT_NE(line_of(text, result), "");
  EXPECT_EQ(result, CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_F(CudaNotSimulated, OtherErrorsOfKernelsAreALineToo) {
  if (!has_own_process()) return;
  CUresult result = CUDA_SUCCESS;
  EXPECT_EQ(
      line_of(module_with("@%p1 st.global.u32 [4096], %r1;"), result),
      "nvmlkit: kernel other: illegal memory access at address 0x1000, block (2,0,0), thread (5,0,0), PTX line 24\n");
  EXPECT_EQ(result, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(CudaNotSimulated, SoAreMisalignedOnes) {
  if (!has_own_process()) return;
  CUresult result = CUDA_SUCCESS;
  const auto line = line_of(module_with("@%p1 st.global.u32 [%rd1 + 2], %r1;"), result);
  EXPECT_TRUE(line.starts_with("nvmlkit: kernel other: misaligned memory access at address 0x")) << line;
  EXPECT_EQ(result, CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(CudaNotSimulated, SoAreTraps) {
  if (!has_own_process()) return;
  CUresult result = CUDA_SUCCESS;
  EXPECT_EQ(line_of(module_with("@%p1 trap;"), result),
            "nvmlkit: kernel other: trap, block (2,0,0), thread (5,0,0), PTX line 24\n");
  EXPECT_EQ(result, CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(CudaNotSimulated, AVectorOfOneElementIsItsElement) {
  const std::string text = kHeadOfModule + std::string(R"(
.visible .entry copy(.param .u64 data)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.relaxed.gpu.global.u64 {%rd2}, [%rd1];
  st.global.u64 [%rd1 + 8], {%rd2};
  ret;
}
)");
  const auto data = allocate(16);
  ASSERT_EQ(driver().cuMemsetD32_v2(data, 9u, std::size_t{2}), CUDA_SUCCESS);
  ASSERT_EQ(launch_kernel(kernel_of(text.c_str(), "copy"), 1, 1, nullptr, data), CUDA_SUCCESS);
  std::uint64_t copied = 0;
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(&copied, data + 8, sizeof copied), CUDA_SUCCESS);
  EXPECT_EQ(copied, 0x900000009u);
}

// d = a shifted by b bits, and then + c.
TEST_F(CudaNotSimulated, ShiftsOfVideo) {
  struct Row {
    const char* instruction;
    std::uint32_t a, b, c, result;
  };
  const Row rows[] = {
      {"vshr.u32.u32.u32.clamp.add", 0x80000000, 4, 5, 0x08000005},
      {"vshr.u32.u32.u32.clamp.add", 0x80000000, 99, 5, 5},
      {"vshr.s32.s32.u32.clamp.add", 0x80000000, 99, 5, 4},
      {"vshr.u32.u32.u32.wrap.add", 0x80000000, 33, 5, 0x40000005},
      {"vshl.u32.u32.u32.clamp.add", 3, 31, 1, 0x80000001},
      {"vshl.u32.u32.u32.clamp.add", 3, 32, 1, 1},
      {"vshl.u32.u32.u32.sat.clamp.max", 3, 31, 1, 0xFFFFFFFF},
      {"vshl.s32.s32.u32.sat.wrap.min", 3, 30, 0x7FFFFFFF, 0x7FFFFFFF},
      {"vshl.s32.s32.u32.sat.wrap.min", 0xFFFFFFFD, 31, 9, 0x80000000},
  };
  const auto data = allocate(16);
  for (const auto& row : rows) {
    const std::string text = kHeadOfModule + std::string(R"(
.visible .entry shift(.param .u64 data)
{
  .reg .b64 %rd<2>; .reg .b32 %r<5>;
  ld.param.u64 %rd1, [data];
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
  )") + row.instruction + " %r4, %r1, %r2, %r3;\n  st.global.u32 [%rd1 + 12], %r4;\n  ret;\n}\n";
    const std::uint32_t given[4] = {row.a, row.b, row.c, 0};
    ASSERT_EQ(driver().cuMemcpyHtoD_v2(data, given, sizeof given), CUDA_SUCCESS);
    ASSERT_EQ(launch_kernel(kernel_of(text.c_str(), "shift"), 1, 1, nullptr, data), CUDA_SUCCESS);
    std::uint32_t result = 0;
    ASSERT_EQ(driver().cuMemcpyDtoH_v2(&result, data + 12, sizeof result), CUDA_SUCCESS);
    EXPECT_EQ(result, row.result) << row.instruction << " " << row.a << " " << row.b;
  }
}

}  // namespace
}  // namespace nvmlkit::cuda_test
