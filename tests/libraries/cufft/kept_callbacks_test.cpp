// Kernels with callbacks are kept for later plans: more of them than are kept, and callbacks with variables.
#include "cases.hpp"
#include "lto.hpp"
#include "reference.hpp"

namespace nvmlkit::library_test {
namespace {

// The sum that a plan with a load callback makes of four numbers, in the first of its results.
float sum_with(const std::string& code, const OnDevice<Complex>& from) {
  const OnDevice<Complex> to(std::vector<Complex>(4));
  int plan = -1;
  std::size_t work = 0;
  EXPECT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtSetJITCallback(plan, "part", code.data(), code.size(), CUFFT_CB_LD_COMPLEX, nullptr),
            CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftMakePlan1d(plan, 4, CUFFT_C2C, 1, &work), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftExecC2C(plan, from.as(), to.as(), -1), CUFFT_SUCCESS);
  EXPECT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
  return to.read()[0].x;
}

std::string scaling(int by) {
  return lto_ir(compiler(),
                "__device__ float2 part(void* from, unsigned long long offset, void*, void*) {\n"
                "  float2 x = ((float2*)from)[offset];\n  x.x *= " +
                    std::to_string(by) + ";\n  return x;\n}");
}

TEST(KeptCallbacks, AreThoseOfTheirPlans) {
  if (!has_compiler(compiler())) GTEST_SKIP() << kNoCompiler;
  const OnDevice<Complex> from(std::vector<Complex>{{1, 0}, {2, 0}, {3, 0}, {4, 0}});
  std::vector<std::string> codes;
  for (int by = 0; by < 70; ++by) codes.push_back(scaling(by));
  for (int round = 0; round < 2; ++round)
    for (int by = 0; by < 70; ++by) ASSERT_EQ(sum_with(codes[static_cast<std::size_t>(by)], from), 10 * by);
  for (int by = 69; by > 0; by /= 2) ASSERT_EQ(sum_with(codes[static_cast<std::size_t>(by)], from), 10 * by);
}

// Each plan has variables of its own.
TEST(KeptCallbacks, WithVariablesAreNotShared) {
  if (!has_compiler(compiler())) GTEST_SKIP() << kNoCompiler;
  const auto code = lto_ir(compiler(), R"(
__device__ int calls;
__device__ float2 part(void* from, unsigned long long offset, void*, void*) {
  atomicAdd(&calls, 1);
  __syncwarp();
  return {(float)calls, 0};
})");
  const OnDevice<Complex> from(std::vector<Complex>(4));
  EXPECT_EQ(sum_with(code, from), 16);
  EXPECT_EQ(sum_with(code, from), 16);
}

}  // namespace
}  // namespace nvmlkit::library_test
