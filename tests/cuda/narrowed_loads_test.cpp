// Vectors of which a kernel uses a part are loaded in part, and need the alignment of this part.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "kernels_support.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

// A kernel with the address of the vector in %rd1, and that of the words in %rd2.
std::string kernel_that(const std::string& loads_and_stores) {
  return R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry part(.param .u64 data, .param .u64 offset)
{
  .reg .b16 %h<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .b64 %w<2>;
  .shared .align 16 .b8 tile[64];
  ld.param.u64 %rd2, [data];
  ld.param.u64 %rd3, [offset];
  add.u64 %rd1, %rd2, %rd3;
)" + loads_and_stores +
         "\n  ret;\n}\n";
}

class CudaNarrowedLoads : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    data_ = allocate(128);
    for (unsigned k = 0; k < 32; ++k)
      EXPECT_EQ(driver().cuMemsetD32_v2(data_ + 4 * k, 100 + k, std::size_t{1}), CUDA_SUCCESS);
  }

  // A vector at an offset in words 100, 101, ...; the results are in the words from the 16th on.
  CUresult run(const std::string& text, std::uint64_t offset) {
    const auto kernel = kernel_of(kernel_that(text).c_str(), "part");
    EXPECT_EQ(launch_kernel(kernel, 1, 32, nullptr, data_, offset), CUDA_SUCCESS);
    const auto result = driver().cuCtxSynchronize();
    if (result == CUDA_SUCCESS) {
      EXPECT_EQ(driver().cuMemcpyDtoH_v2(results_.data(), data_ + 64, sizeof results_), CUDA_SUCCESS);
    }
    return result;
  }

  CUdeviceptr data_ = 0;
  std::array<std::uint32_t, 4> results_{};
};

TEST_F(CudaNarrowedLoads, TheFirstTwoOfFour) {
  ASSERT_EQ(
      run("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1]; st.global.u32 [%rd2+64], %r0; st.global.u32 [%rd2+68], %r1;",
          8),
      CUDA_SUCCESS);
  EXPECT_EQ(results_[0], 102u);
  EXPECT_EQ(results_[1], 103u);
}

TEST_F(CudaNarrowedLoads, TheLastTwoOfFour) {
  ASSERT_EQ(run("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1+8]; st.global.u32 [%rd2+64], %r2; st.global.u32 "
                "[%rd2+68], %r3;",
                16),
            CUDA_SUCCESS);
  EXPECT_EQ(results_[0], 108u);
  EXPECT_EQ(results_[1], 109u);
}

TEST_F(CudaNarrowedLoads, AnyOneOfThem) {
  for (unsigned k = 0; k < 4; ++k) {
    const auto stored = "st.global.u32 [%rd2+64], %r" + std::to_string(k) + ";";
    ASSERT_EQ(run("ld.relaxed.gpu.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1];" + stored, 4), CUDA_SUCCESS);
    EXPECT_EQ(results_[0], 101 + k);
  }
  ASSERT_EQ(run("ld.v2.u64 {%w0, %w1}, [%rd1]; st.global.u64 [%rd2+64], %w1;", 8), CUDA_SUCCESS);
  EXPECT_EQ(results_[0], 104u);
  EXPECT_EQ(results_[1], 105u);
}

TEST_F(CudaNarrowedLoads, HalvesAndSharedMemory) {
  ASSERT_EQ(
      run("ld.global.v4.b16 {%h0, %h1, %h2, %h3}, [%rd1]; st.global.b16 [%rd2+64], %h2; st.global.b16 [%rd2+66], %h3;",
          4),
      CUDA_SUCCESS);
  EXPECT_EQ(results_[0], 102u);
  ASSERT_EQ(run("mov.u32 %r4, tile; mov.u32 %r5, 7; st.shared.u32 [%r4+12], %r5;"
                "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r4+8]; st.global.u32 [%rd2+64], %r1;",
                0),
            CUDA_SUCCESS);
  EXPECT_EQ(results_[0], 7u);
}

TEST_F(CudaNarrowedLoads, TwoThatAreNoHalf) {
  ASSERT_EQ(
      run("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1]; st.global.u32 [%rd2+64], %r0; st.global.u32 [%rd2+68], %r2;",
          16),
      CUDA_SUCCESS);
  EXPECT_EQ(results_[0], 104u);
  EXPECT_EQ(results_[1], 106u);
}

TEST_F(CudaNarrowedLoads, OnlyWhatIsUsedHasToBeThere) {
  const auto small = allocate(8);
  ASSERT_EQ(driver().cuMemsetD32_v2(small, 9u, std::size_t{2}), CUDA_SUCCESS);
  ASSERT_EQ(run("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1]; st.global.u32 [%rd2+64], %r1;", small - data_),
            CUDA_SUCCESS);
  EXPECT_EQ(results_[0], 9u);
}

TEST_F(CudaNarrowedLoads, AMistakeInAnUnusedElementIsRefused) {
  for (const auto* const elements : {"{%r0, %r1}", "{%r0, %r1, %r2, %w0}"}) {
    const auto text = kernel_that(std::string("ld.global.v4.u32 ") + elements + ", [%rd1]; st.global.u32 [%rd2], %r0;");
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    auto result = driver().cuModuleLoadData(&module, static_cast<const void*>(text.c_str()));
    if (result == CUDA_SUCCESS) result = driver().cuModuleGetFunction(&function, module, "part");
    EXPECT_EQ(result, CUDA_ERROR_INVALID_PTX) << elements;
  }
}

TEST_F(CudaNarrowedLoads, ThreeOfFourNeedAllOfIt) {
  if (!has_own_process()) return;
  EXPECT_EQ(run("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1]; add.u32 %r0, %r0, %r1; add.u32 %r0, %r0, %r2;"
                "st.global.u32 [%rd2+64], %r0;",
                8),
            CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(CudaNarrowedLoads, AVolatileVectorIsLoadedWhole) {
  if (!has_own_process()) return;
  EXPECT_EQ(run("ld.volatile.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1]; st.global.u32 [%rd2+64], %r0;", 8),
            CUDA_ERROR_MISALIGNED_ADDRESS);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
