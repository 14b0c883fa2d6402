// Plans with several GPUs: what is refused, streams, graphs, memory of programs.
#include "several.hpp"

namespace nvmlkit::library_test {
namespace {

TEST(SeveralGpusCalls, GpusThatCannotBe) {
  int plan = -1, two[] = {0, 1}, none[] = {0, 99};
  std::size_t work[2] = {};
  ASSERT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtSetGPUs(123456, 2, two), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftXtSetGPUs(plan, 1, two), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtSetGPUs(plan, 17, two), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtSetGPUs(plan, 2, nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtSetGPUs(plan, 2, none), CUFFT_INVALID_DEVICE);
  EXPECT_EQ(library().cufftXtSetGPUs(plan, 2, two), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftMakePlan2d(plan, 64, 64, CUFFT_C2C, nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftMakePlan2d(plan, 64, 64, CUFFT_C2C, work), CUFFT_SUCCESS);
  std::size_t again[2] = {};
  EXPECT_EQ(library().cufftGetSize(plan, again), CUFFT_SUCCESS);
  for (const int g : {0, 1}) {  // programs expect a work area of each GPU
    EXPECT_EQ(work[g], 64 * 64 / 2 * sizeof(Complex));
    EXPECT_EQ(again[g], work[g]);
  }
  EXPECT_EQ(library().cufftXtSetGPUs(plan, 2, two), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST(SeveralGpusCalls, PlansThatCannotBe) {
  struct Case {
    Index sizes;
    cudaDataType in, out;
    long long batch;
    cufftResult result;
    int gpus = 2;
  };
  const std::vector<Case> cases = {
      {{32}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_INVALID_SIZE},
      {{96}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_INVALID_SIZE},
      {{1024}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_INVALID_SIZE, 3},
      {{64}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_INVALID_SIZE, 8},
      {{1024}, CUDA_R_32F, CUDA_C_32F, 1, CUFFT_INVALID_SIZE},
      {{16, 64}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_INVALID_SIZE},
      {{64, 31}, CUDA_R_32F, CUDA_C_32F, 1, CUFFT_INVALID_SIZE},
      {{3, 32, 32}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_INVALID_SIZE},
      {{1024}, CUDA_C_16F, CUDA_C_16F, 1, CUFFT_SETUP_FAILED},
      {{1024}, CUDA_C_16F, CUDA_C_16F, 4, CUFFT_SETUP_FAILED},
      {{32, 32, 2}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_SUCCESS},
      {{1, 1, 64}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_SUCCESS},
      {{32, 1, 32}, CUDA_C_64F, CUDA_C_64F, 1, CUFFT_SUCCESS},
      {{4099, 32}, CUDA_C_32F, CUDA_C_32F, 1, CUFFT_SUCCESS},
      {{7}, CUDA_R_32F, CUDA_C_32F, 3, CUFFT_SUCCESS},
  };
  for (const Case& each : cases) {
    Several several(each.gpus);
    EXPECT_EQ(several.make(each.sizes, each.in, each.out, each.batch), each.result) << each.sizes[0];
  }
}

TEST(SeveralGpusCalls, FormatsThatCannotBe) {
  Several flat(2), line(2), batches(2), real(2);
  ASSERT_EQ(flat.make({32, 32}, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
  ASSERT_EQ(line.make({64}, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
  ASSERT_EQ(batches.make({8}, CUDA_R_32F, CUDA_C_32F, 3), CUFFT_SUCCESS);
  ASSERT_EQ(real.make({33, 34}, CUDA_C_32F, CUDA_R_32F), CUFFT_SUCCESS);
  Descriptor* none = nullptr;
  EXPECT_EQ(library().cufftXtMalloc(flat.plan, nullptr, CUFFT_XT_FORMAT_INPLACE), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtMalloc(flat.plan, &none, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftXtMalloc(batches.plan, &none, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftXtMalloc(batches.plan, &none, CUFFT_XT_FORMAT_INPLACE_SHUFFLED), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtMalloc(line.plan, &none, CUFFT_FORMAT_UNDEFINED), CUFFT_INVALID_VALUE);
  EXPECT_EQ(none, nullptr);
  // What each format has of memory.
  EXPECT_EQ(flat.memory(CUFFT_XT_FORMAT_INPUT)->memory->size[0], 0u);
  EXPECT_EQ(flat.memory(CUFFT_XT_FORMAT_INPLACE)->memory->size[0], 16u * 32 * 8);
  EXPECT_EQ(line.memory(CUFFT_XT_FORMAT_OUTPUT)->memory->size[1], 32u * 8);
  EXPECT_EQ(batches.memory(CUFFT_XT_FORMAT_INPUT)->memory->size[0], 2u * 8 * 4);
  EXPECT_EQ(batches.memory(CUFFT_XT_FORMAT_INPLACE)->memory->size[1], 5u * 8);
  EXPECT_EQ(real.memory(CUFFT_XT_FORMAT_INPLACE)->memory->size[0], 0u);
  EXPECT_EQ(real.memory(CUFFT_XT_FORMAT_INPLACE_SHUFFLED)->memory->size[0], 17u * 18 * 8);
  auto* const in = line.memory(CUFFT_XT_FORMAT_INPUT);
  EXPECT_EQ(library().cufftXtExecDescriptorC2C(line.plan, in, in, -1), CUFFT_INVALID_TYPE);
  in->format = static_cast<int>(CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED);
  char host[64 * 8];
  EXPECT_EQ(library().cufftXtMemcpy(line.plan, host, in, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_INVALID_TYPE);
  in->format = static_cast<int>(CUFFT_XT_FORMAT_INPUT);
}

TEST(SeveralGpusCalls, RunsThatCannotBe) {
  Several several(2);
  ASSERT_EQ(several.make({32, 32}, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
  auto* const one = several.memory(CUFFT_XT_FORMAT_INPLACE);
  auto* const other = several.memory(CUFFT_XT_FORMAT_INPLACE);
  const auto plan = several.plan;
  EXPECT_EQ(library().cufftXtExecDescriptorC2C(plan, nullptr, one, -1), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftXtExecDescriptorC2C(plan, one, one, 0), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtExecDescriptorC2C(plan, one, other, -1), CUFFT_EXEC_FAILED);
  EXPECT_EQ(library().cufftXtExecDescriptorZ2Z(plan, one, one, -1), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftXtExecDescriptorR2C(plan, one, one), CUFFT_INVALID_PLAN);
  const OnDevice<Complex> numbers(std::vector<Complex>(32 * 32));
  EXPECT_EQ(library().cufftExecC2C(plan, numbers.as(), numbers.as(), -1), CUFFT_INTERNAL_ERROR);
  EXPECT_EQ(library().cufftXtExec(plan, numbers.as(), numbers.as(), -1), CUFFT_INTERNAL_ERROR);
  LineFactors factors{};
  EXPECT_EQ(library().cufftXtQueryPlan(plan, &factors, CUFFT_QUERY_1D_FACTORS), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftXtQueryPlan(plan, nullptr, CUFFT_QUERY_1D_FACTORS), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtQueryPlan(plan, &factors, CUFFT_QUERY_UNDEFINED), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtMemcpy(plan, one, nullptr, CUFFT_COPY_HOST_TO_DEVICE), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtMemcpy(plan, one, other, CUFFT_COPY_UNDEFINED), CUFFT_INVALID_VALUE);
  ASSERT_EQ(library().cufftXtExecDescriptorC2C(plan, one, one, -1), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtMemcpy(plan, one, other, CUFFT_COPY_DEVICE_TO_DEVICE), CUFFT_INTERNAL_ERROR);
  std::size_t sizes[2] = {7, 7};
  void* areas[2] = {};
  EXPECT_EQ(library().cufftGetSize(plan, sizes), CUFFT_SUCCESS);
  EXPECT_EQ(sizes[1], 32 * 32 / 2 * sizeof(Complex));
  EXPECT_EQ(library().cufftSetWorkArea(plan, nullptr), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftXtSetWorkArea(plan, areas), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtSetWorkAreaPolicy(plan, CUFFT_WORKAREA_MINIMAL, sizes), CUFFT_INVALID_PLAN);
}

TEST(SeveralGpusCalls, OneGpuHasEmptyDescriptors) {
  int plan = -1;
  ASSERT_EQ(library().cufftPlan1d(&plan, 64, CUFFT_C2C, 1), CUFFT_SUCCESS);
  Descriptor* empty = nullptr;
  ASSERT_EQ(library().cufftXtMalloc(plan, &empty, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
  EXPECT_EQ(empty->memory->gpu_count, 1);
  EXPECT_EQ(empty->memory->size[0], 0u);
  EXPECT_EQ(library().cufftXtExecDescriptorC2C(plan, empty, empty, -1), CUFFT_EXEC_FAILED);
  EXPECT_EQ(library().cufftXtSetWorkArea(plan, nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtFree(empty), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtFree(empty), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtFree(nullptr), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtSetCallback(plan, nullptr, CUFFT_CB_LD_COMPLEX, nullptr), CUFFT_NOT_IMPLEMENTED);
  EXPECT_EQ(library().cufftXtClearCallback(-1, CUFFT_CB_LD_COMPLEX), CUFFT_NOT_IMPLEMENTED);
  EXPECT_EQ(library().cufftXtSetCallbackSharedSize(plan, CUFFT_CB_LD_COMPLEX, 16), CUFFT_INVALID_PLAN);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
}

// Elements with gaps: each GPU has the room from its first element to its last one.
TEST(SeveralGpusCalls, TransformsMayHaveGaps) {
  Several several(2);
  long long size = 8;
  std::size_t work[2] = {};
  ASSERT_EQ(library().cufftXtMakePlanMany(several.plan, 1, &size, &size, 2, 16, CUDA_C_32F, &size, 2, 16, CUDA_C_32F, 3,
                                          work, CUDA_C_32F),
            CUFFT_SUCCESS);
  auto* const data = several.memory(CUFFT_XT_FORMAT_INPLACE);
  EXPECT_EQ(data->memory->size[0], 31u * 8);
  EXPECT_EQ(data->memory->size[1], 15u * 8);
  std::vector<double> numbers(2 * 46);
  for (const std::size_t first : {0, 16, 31}) numbers[2 * first] = 1;
  numbers[2] = 5;  // in a gap
  ASSERT_EQ(several.put(data, numbers), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftXtExecDescriptorC2C(several.plan, data, data, -1), CUFFT_SUCCESS);
  const auto got = several.get(data, 2 * 46);
  for (std::size_t i = 0; i < 8; ++i)
    for (const std::size_t first : {0, 16, 31}) EXPECT_NEAR(got[2 * (first + 2 * i)], 1, 1e-6);
  EXPECT_EQ(got[2], 5);
}

// CuPy makes descriptors itself; a GPU may have several parts.
TEST(SeveralGpusCalls, TakeMemoryOfTheProgram) {
  Several several(2, {1, 1});
  ASSERT_EQ(several.make({64}, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
  auto* const made = several.memory(CUFFT_XT_FORMAT_INPLACE);
  cufft::Memory memory = *made->memory;
  Descriptor own{0, &memory, 0, static_cast<int>(CUFFT_XT_FORMAT_INPLACE), nullptr};
  std::vector<double> numbers(128);
  numbers[0] = 1;
  ASSERT_EQ(several.put(&own, numbers), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftXtExecDescriptorC2C(several.plan, &own, &own, -1), CUFFT_SUCCESS);
  const auto got = several.get(&own, 128);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], i % 2 ? 0 : 1, 1e-6);
  memory.gpu_count = 3;
  EXPECT_EQ(library().cufftXtExecDescriptorC2C(several.plan, &own, &own, -1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(library().cufftXtFree(&own), CUFFT_INVALID_VALUE);
}

// In the stream of the plan: behind what it was handed, and in graphs.
TEST(SeveralGpusCalls, AGraphHasTheWorkOfAllGpus) {
  const auto begin = gpu().find<decltype(&cuda::cuStreamBeginCapture_v2)>("cuStreamBeginCapture_v2");
  const auto end = gpu().find<decltype(&cuda::cuStreamEndCapture)>("cuStreamEndCapture");
  const auto instantiate = gpu().find<decltype(&cuda::cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
  const auto launch = gpu().find<decltype(&cuda::cuGraphLaunch)>("cuGraphLaunch");
  cuda::CUstream stream = nullptr;
  ASSERT_EQ(gpu().create_stream(&stream, cuda::CU_STREAM_NON_BLOCKING), cuda::CUDA_SUCCESS);
  std::mt19937 random(1);
  const auto given = random_numbers(random, 2 * 32 * 33);
  Several several(3);
  ASSERT_EQ(several.make({32, 33}, CUDA_C_64F, CUDA_C_64F), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftSetStream(several.plan, stream), CUFFT_SUCCESS);
  auto* const data = several.memory(CUFFT_XT_FORMAT_INPLACE);
  ASSERT_EQ(several.put(data, given), CUFFT_SUCCESS);
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec executable = nullptr;
  ASSERT_EQ(begin(stream, cuda::CU_STREAM_CAPTURE_MODE_GLOBAL), cuda::CUDA_SUCCESS);
  ASSERT_EQ(library().cufftXtExecDescriptorZ2Z(several.plan, data, data, -1), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftXtExecDescriptorZ2Z(several.plan, data, data, 1), CUFFT_SUCCESS);
  ASSERT_EQ(end(stream, &graph), cuda::CUDA_SUCCESS);
  EXPECT_EQ(several.get(data, 2 * 32 * 33), given);  // nothing ran
  ASSERT_EQ(instantiate(&executable, graph, 0), cuda::CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(launch(executable, stream), cuda::CUDA_SUCCESS);
  // Once more, without a graph.
  ASSERT_EQ(library().cufftXtExecDescriptorZ2Z(several.plan, data, data, -1), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftXtExecDescriptorZ2Z(several.plan, data, data, 1), CUFFT_SUCCESS);
  ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
  auto expected = given;
  for (double& number : expected) number *= 32.0 * 33 * 32 * 33 * 32 * 33;
  expect_near(several.get(data, 2 * 32 * 33), expected, 1e-12);
}

}  // namespace
}  // namespace nvmlkit::library_test
