// Handles, wrong arguments, streams and graphs.
#include <string>

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace cufft;

int plan_of(int nx, cufftType type, int batch = 1) {
  int plan = -1;
  EXPECT_EQ(library().cufftPlan1d(&plan, nx, type, batch), CUFFT_SUCCESS);
  return plan;
}

TEST(Calls, HandlesThatAreNone) {
  std::size_t work = 0;
  for (const int handle : {-1, 0, 123456}) {
    EXPECT_EQ(library().cufftDestroy(handle), CUFFT_INVALID_PLAN);
    EXPECT_EQ(library().cufftSetStream(handle, nullptr), CUFFT_INVALID_PLAN);
    EXPECT_EQ(library().cufftGetSize(handle, &work), CUFFT_INVALID_PLAN);
    EXPECT_EQ(library().cufftExecC2C(handle, nullptr, nullptr, -1), CUFFT_INVALID_PLAN);
  }
  const int plan = plan_of(8, CUFFT_C2C);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_INVALID_PLAN);
}

TEST(Calls, PlansThatCannotBe) {
  int plan = -1, none[3] = {0, 4, 4};
  EXPECT_EQ(library().cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(library().cufftPlan1d(&plan, -4, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(library().cufftPlan1d(&plan, 4, CUFFT_C2C, 0), CUFFT_INVALID_SIZE);
  EXPECT_EQ(library().cufftPlan1d(&plan, 4, static_cast<cufftType>(7), 1), CUFFT_INVALID_TYPE);
  EXPECT_EQ(library().cufftPlan1d(nullptr, 4, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftPlanMany(&plan, 4, none, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftPlanMany(&plan, 3, none, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(library().cufftPlanMany(&plan, 2, nullptr, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1),
            CUFFT_INVALID_VALUE);
  EXPECT_EQ(plan, -1);
  // 16-bit numbers: powers of two. Two precisions in one plan.
  std::size_t work = 0;
  long long six = 6;
  ASSERT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtMakePlanMany(plan, 1, &six, nullptr, 1, 0, CUDA_C_16F, nullptr, 1, 0, CUDA_C_16F, 1, &work,
                                          CUDA_C_16F),
            CUFFT_INVALID_SIZE);
  EXPECT_EQ(library().cufftXtMakePlanMany(plan, 1, &six, nullptr, 1, 0, CUDA_C_32F, nullptr, 1, 0, CUDA_C_64F, 1, &work,
                                          CUDA_C_64F),
            CUFFT_INVALID_TYPE);
  EXPECT_EQ(library().cufftExecC2C(plan, nullptr, nullptr, -1), CUFFT_INVALID_PLAN);  // not made yet
  EXPECT_EQ(library().cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &work), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &work), CUFFT_INVALID_PLAN);  // made already
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST(Calls, RunsThatCannotBe) {
  const OnDevice<Complex> data(std::vector<Complex>(8));
  const int plan = plan_of(8, CUFFT_C2C);
  EXPECT_EQ(library().cufftExecC2C(plan, nullptr, data.as(), -1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftExecC2C(plan, data.as(), nullptr, -1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftExecC2C(plan, data.as(), data.as(), 0), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftExecR2C(plan, data.as<float>(), nullptr), CUFFT_EXEC_FAILED);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST(Calls, SizesAndProperties) {
  std::size_t work = 7;
  EXPECT_EQ(library().cufftEstimate2d(4, 4, CUFFT_R2C, &work), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftEstimate2d(0, 4, CUFFT_R2C, &work), CUFFT_INVALID_SIZE);
  int version = 0, major = 0;
  EXPECT_EQ(library().cufftGetVersion(&version), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftGetProperty(MAJOR_VERSION, &major), CUFFT_SUCCESS);
  EXPECT_EQ(version / 1000, major);
  const int plan = plan_of(8, CUFFT_C2C);
  long long value = -1;
  EXPECT_EQ(library().cufftSetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, 4),
            CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, &value),
            CUFFT_SUCCESS);
  EXPECT_EQ(value, 4);
  EXPECT_EQ(library().cufftSetWorkArea(plan, nullptr), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
}

// The order of the checks, and the statuses, of NVIDIA's library 12.0.0 on an H100.
TEST(Calls, StatusesOfTheHardware) {
  const int none = 0, made = plan_of(8, CUFFT_C2C);
  const auto wrong_type = static_cast<cufftType>(77);
  int four[4] = {4, 4, 4, 4};
  std::size_t work = 0;
  EXPECT_EQ(library().cufftMakePlan1d(none, 4, wrong_type, 1, nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftMakePlan1d(none, 4, wrong_type, 1, &work), CUFFT_INVALID_TYPE);
  EXPECT_EQ(library().cufftMakePlan1d(none, -1, CUFFT_C2C, 1, &work), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftMakePlanMany(none, 4, four, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &work),
            CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftGetSize(none, nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftGetSize2d(none, 4, 4, wrong_type, &work), CUFFT_INVALID_TYPE);
  EXPECT_EQ(library().cufftGetSize2d(none, 4, 4, CUFFT_C2C, &work), CUFFT_INVALID_PLAN);
  // Only the first of several sizes is looked at, and the plan decides what runs.
  int flat = 0;
  EXPECT_EQ(library().cufftEstimate2d(4, 0, CUFFT_C2C, &work), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftPlan3d(&flat, 4, 4, -1, CUFFT_C2C), CUFFT_SUCCESS);
  const OnDevice<Complex> ones(std::vector<Complex>(8, Complex{1, 0}));
  EXPECT_EQ(library().cufftExecC2C(flat, ones.as(), ones.as(), -1), CUFFT_EXEC_FAILED);
  EXPECT_EQ(library().cufftDestroy(flat), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftExecR2C(made, ones.as<float>(), ones.as()), CUFFT_SUCCESS);
  EXPECT_EQ(ones.read()[0].x, 8.0f);
  EXPECT_EQ(library().cufftSetAutoAllocation(made, 0), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtSetWorkAreaPolicy(made, CUFFT_WORKAREA_MINIMAL, nullptr), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftSetPlanPropertyInt64(made, static_cast<cufftProperty>(0), 1), CUFFT_NOT_SUPPORTED);
  EXPECT_EQ(library().cufftGetVersion(nullptr), CUFFT_SUCCESS);
  int value = 0;
  EXPECT_EQ(library().cufftGetProperty(static_cast<libraryPropertyType>(77), &value), CUFFT_INVALID_TYPE);
  EXPECT_EQ(library().cufftDestroy(made), CUFFT_SUCCESS);
}

TEST(Calls, WorkIsOrderedInItsStream) {
  cuda::CUstream stream = nullptr;
  ASSERT_EQ(gpu().create_stream(&stream, 0), cuda::CUDA_SUCCESS);
  std::vector<Complex> numbers(1024, Complex{1, 0});
  const OnDevice<Complex> data(numbers);
  const int plan = plan_of(1024, CUFFT_C2C);
  ASSERT_EQ(library().cufftSetStream(plan, stream), CUFFT_SUCCESS);
  // There and back, many times, with no wait between.
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(library().cufftExecC2C(plan, data.as(), data.as(), -1), CUFFT_SUCCESS);
    ASSERT_EQ(library().cufftExecC2C(plan, data.as(), data.as(), 1), CUFFT_SUCCESS);
  }
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
  ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
  for (const Complex& number : data.read()) {
    ASSERT_EQ(number.x, 1024.0f * 1024.0f * 1024.0f);
    ASSERT_EQ(number.y, 0.0f);
  }
}

TEST(Calls, AGraphKeepsThePlan) {
  const auto begin = gpu().find<decltype(&cuda::cuStreamBeginCapture_v2)>("cuStreamBeginCapture_v2");
  const auto end = gpu().find<decltype(&cuda::cuStreamEndCapture)>("cuStreamEndCapture");
  const auto instantiate = gpu().find<decltype(&cuda::cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
  const auto launch = gpu().find<decltype(&cuda::cuGraphLaunch)>("cuGraphLaunch");
  cuda::CUstream stream = nullptr;
  ASSERT_EQ(gpu().create_stream(&stream, 0), cuda::CUDA_SUCCESS);
  const OnDevice<Complex> data(std::vector<Complex>(16, Complex{1, 0}));
  const int plan = plan_of(16, CUFFT_C2C);
  ASSERT_EQ(library().cufftSetStream(plan, stream), CUFFT_SUCCESS);
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec executable = nullptr;
  ASSERT_EQ(begin(stream, cuda::CU_STREAM_CAPTURE_MODE_GLOBAL), cuda::CUDA_SUCCESS);
  ASSERT_EQ(library().cufftExecC2C(plan, data.as(), data.as(), -1), CUFFT_SUCCESS);
  ASSERT_EQ(end(stream, &graph), cuda::CUDA_SUCCESS);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(data.read()[0].x, 1.0f);  // nothing ran
  ASSERT_EQ(instantiate(&executable, graph, 0), cuda::CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(launch(executable, stream), cuda::CUDA_SUCCESS);
  ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
  for (const Complex& number : data.read()) EXPECT_EQ(number.x, 16.0f);  // twice a transform: 16 times itself
}

// In a process of its own: the context is of no use afterwards.
TEST(Calls, AnAddressThatIsNoneFailsTheContext) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto work = [] {
    const int plan = plan_of(1 << 20, CUFFT_C2C);
    const OnDevice<Complex> data(std::vector<Complex>(8));
    EXPECT_EQ(library().cufftExecC2C(plan, data.as() + (1 << 24), data.as() + (1 << 24), -1), CUFFT_SUCCESS);
    EXPECT_EQ(gpu().wait(), cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(library().cufftExecC2C(plan, data.as(), data.as(), -1), CUFFT_EXEC_FAILED);
    std::_Exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "cufft_c2c");
}

}  // namespace
}  // namespace nvmlkit::library_test
