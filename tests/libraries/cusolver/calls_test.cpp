// Handles, wrong arguments, streams and graphs.
#include <string>

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

Handle* another() {
  Handle* handle = nullptr;
  EXPECT_EQ(library().cusolverDnCreate(&handle), CUSOLVER_STATUS_SUCCESS);
  return handle;
}

TEST(Calls, HandlesThatAreNone) {
  alignas(16) std::uint64_t rubbish[16] = {1, 2, 3};
  int size = 0, info = 0;
  CUstream stream = nullptr;
  for (auto* const handle : {static_cast<Handle*>(nullptr), reinterpret_cast<Handle*>(rubbish)}) {
    EXPECT_EQ(library().cusolverDnDestroy(handle), CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(library().cusolverDnSetStream(handle, nullptr), CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(library().cusolverDnGetStream(handle, &stream), CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(library().cusolverDnSgesvd_bufferSize(handle, 4, 4, &size), CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(library().cusolverDnSpotrf(handle, CUBLAS_FILL_MODE_LOWER, 0, nullptr, 1, nullptr, 0, &info),
              CUSOLVER_STATUS_NOT_INITIALIZED);
  }
  EXPECT_EQ(library().cusolverDnCreate(nullptr), CUSOLVER_STATUS_INVALID_VALUE);
}

// Programs make them beside the dense one, even where they have no sparse matrices.
TEST(Calls, HandlesOfSparseMatrices) {
  SparseHandle* sparse = nullptr;
  Refactorization* factors = nullptr;
  CUstream stream = nullptr;
  ASSERT_EQ(library().cusolverSpCreate(&sparse), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverRfCreate(&factors), CUSOLVER_STATUS_SUCCESS);
  auto* const other = reinterpret_cast<CUstream>(2);
  EXPECT_EQ(library().cusolverSpSetStream(sparse, other), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverSpGetStream(sparse, &stream), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(stream, other);
  EXPECT_EQ(library().cusolverSpDestroy(sparse), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverRfDestroy(factors), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverSpCreate(nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(library().cusolverSpDestroy(nullptr), CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(library().cusolverRfDestroy(nullptr), CUSOLVER_STATUS_NOT_INITIALIZED);
}

TEST(Calls, ObjectsThatAreNone) {
  alignas(16) std::uint64_t rubbish[32] = {1, 2, 3};
  EXPECT_EQ(library().cusolverDnDestroySyevjInfo(nullptr), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverDnDestroyGesvdjInfo(reinterpret_cast<JacobiSingular*>(rubbish)),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(library().cusolverDnDestroyParams(reinterpret_cast<Parameters*>(rubbish)), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(library().cusolverDnXsyevjSetSortEig(nullptr, 1), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(library().cusolverDnCreateParams(nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  int size = 0;
  const Stored<float> matrix(identity(4, 4), 4);
  const auto info = state();
  EXPECT_EQ(library().cusolverDnSsyevj_bufferSize(solver(), CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 4,
                                                  matrix.data(), 4, matrix.data(), &size, nullptr),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(library().cusolverDnXpotrf(solver(), reinterpret_cast<Parameters*>(rubbish), CUBLAS_FILL_MODE_LOWER, 4,
                                       CUDA_R_32F, matrix.data(), 4, CUDA_R_32F, nullptr, 0, nullptr, 0, info.as()),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(read(info), -77);
}

// Programs leave out the place of the result, and run on hardware.
TEST(Calls, FactorsWithoutAPlaceForTheirResult) {
  const Dense four = diagonal(std::vector<double>(3, 4), 3, 3), two = diagonal(std::vector<double>(3, 2), 3, 3);
  const Stored<double> cholesky(four, 3), lu(four, 3);
  EXPECT_EQ(library().cusolverDnDpotrf(solver(), CUBLAS_FILL_MODE_LOWER, 3, cholesky.data(), 3, nullptr, 0, nullptr),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverDnDgetrf(solver(), 3, 3, lu.data(), 3, nullptr, nullptr, nullptr),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(distance(cholesky.get(), two), 0);
  EXPECT_EQ(distance(lu.get(), four), 0);
}

TEST(Calls, WrongArguments) {
  const Stored<double> matrix(identity(4, 4), 4);
  double* const a = matrix.data();
  const OnDevice<double*> pointers(std::vector<double*>{a});
  const auto info = state();
  int size = 0;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const auto potrf = [&](cublasFillMode_t fill, int n, double* data, int lda, int lwork, int* out) {
    return library().cusolverDnDpotrf(solver(), fill, n, data, lda, nullptr, lwork, out);
  };
  const auto wrong = CUSOLVER_STATUS_INVALID_VALUE;
  EXPECT_EQ(potrf(lower, -1, a, 4, 0, info.as()), wrong);
  EXPECT_EQ(potrf(lower, 4, a, 3, 0, info.as()), wrong);
  EXPECT_EQ(potrf(lower, 0, a, 0, 0, info.as()), wrong);
  EXPECT_EQ(potrf(lower, 4, nullptr, 4, 0, info.as()), wrong);
  EXPECT_EQ(potrf(lower, 4, a, 4, -1, info.as()), wrong);
  EXPECT_EQ(potrf(CUBLAS_FILL_MODE_FULL, 4, a, 4, 0, info.as()), wrong);
  EXPECT_EQ(potrf(static_cast<cublasFillMode_t>(9), 4, a, 4, 0, info.as()), wrong);
  EXPECT_EQ(library().cusolverDnDpotrf_bufferSize(solver(), lower, 4, a, 4, nullptr), wrong);
  EXPECT_EQ(library().cusolverDnDgetrf_bufferSize(solver(), -1, 4, a, 4, &size), wrong);
  EXPECT_EQ(
      library().cusolverDnDgetrs(solver(), static_cast<cublasOperation_t>(7), 4, 1, a, 4, nullptr, a, 4, info.as()),
      wrong);
  EXPECT_EQ(library().cusolverDnDgetrs(solver(), CUBLAS_OP_N, 4, -1, a, 4, nullptr, a, 4, info.as()), wrong);
  EXPECT_EQ(library().cusolverDnDgetrs(solver(), CUBLAS_OP_N, 4, 1, a, 4, nullptr, a, 3, info.as()), wrong);
  EXPECT_EQ(library().cusolverDnDgeqrf(solver(), 4, 4, a, 4, nullptr, nullptr, 0, info.as()), wrong);
  EXPECT_EQ(library().cusolverDnDorgqr(solver(), 2, 4, 1, a, 4, a, nullptr, 0, info.as()), wrong);
  EXPECT_EQ(
      library().cusolverDnDsyevd(solver(), static_cast<cusolverEigMode_t>(5), lower, 4, a, 4, a, nullptr, 0, info.as()),
      wrong);
  EXPECT_EQ(library().cusolverDnDsygvd(solver(), static_cast<cusolverEigType_t>(0), CUSOLVER_EIG_MODE_VECTOR, lower, 4,
                                       a, 4, a, 4, a, nullptr, 0, info.as()),
            wrong);
  // Documented: gesvd wants at least as many rows as columns.
  EXPECT_EQ(library().cusolverDnDgesvd_bufferSize(solver(), 3, 4, &size), wrong);
  EXPECT_EQ(library().cusolverDnDgesvd(solver(), 'N', 'N', 3, 4, a, 4, a, nullptr, 1, nullptr, 1, nullptr, 0, nullptr,
                                       info.as()),
            wrong);
  EXPECT_EQ(library().cusolverDnDgesvd(solver(), 'O', 'O', 4, 4, a, 4, a, nullptr, 1, nullptr, 1, nullptr, 0, nullptr,
                                       info.as()),
            wrong);
  EXPECT_EQ(library().cusolverDnDgesvd(solver(), 'x', 'N', 4, 4, a, 4, a, nullptr, 1, nullptr, 1, nullptr, 0, nullptr,
                                       info.as()),
            wrong);
  EXPECT_EQ(library().cusolverDnDpotrsBatched(solver(), lower, 4, 2, pointers.as(), 4, pointers.as(), 4, info.as(), 1),
            wrong);
  EXPECT_EQ(read(info), -77);
  EXPECT_EQ(distance(matrix.get(), identity(4, 4)), 0);
}

// PyTorch leaves out the matrix.
TEST(Calls, SizesWithoutTheMatrix) {
  int size = 0;
  std::size_t device = 0, host = 77;
  EXPECT_EQ(library().cusolverDnDpotrf_bufferSize(solver(), CUBLAS_FILL_MODE_LOWER, 4, nullptr, 4, &size),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_GT(size, 0);
  EXPECT_EQ(library().cusolverDnXpotrf_bufferSize(solver(), nullptr, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, nullptr, 4,
                                                  CUDA_R_64F, &device, &host),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_GT(device, 0u);
  EXPECT_EQ(host, 0u);
  EXPECT_EQ(library().cusolverDnXpotrf_bufferSize(solver(), nullptr, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, nullptr, 3,
                                                  CUDA_R_64F, &device, &host),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST(Calls, NothingToDo) {
  const auto info = state();
  ASSERT_EQ(library().cusolverDnDpotrf(solver(), CUBLAS_FILL_MODE_LOWER, 0, nullptr, 1, nullptr, 0, info.as()),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(read(info), 0);
  EXPECT_EQ(library().cusolverDnDpotrfBatched(solver(), CUBLAS_FILL_MODE_LOWER, 4, nullptr, 4, nullptr, 0),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverDnDpotrfBatched(solver(), CUBLAS_FILL_MODE_LOWER, 4, nullptr, 4, nullptr, 1),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(library().cusolverDnDpotrfBatched(solver(), CUBLAS_FILL_MODE_LOWER, 4, nullptr, 3, nullptr, 0),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST(Calls, ModesAndVersions) {
  auto mode = CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS;
  auto* const handle = another();
  EXPECT_EQ(library().cusolverDnGetDeterministicMode(handle, &mode), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUSOLVER_DETERMINISTIC_RESULTS);
  EXPECT_EQ(library().cusolverDnSetDeterministicMode(handle, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverDnGetDeterministicMode(handle, &mode), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS);
  EXPECT_EQ(library().cusolverDnSetDeterministicMode(handle, static_cast<cusolverDeterministicMode_t>(0)),
            CUSOLVER_STATUS_INVALID_VALUE);
  auto strategy = EmulationStrategy::eager;
  EXPECT_EQ(library().cusolverDnGetEmulationStrategy(handle, &strategy), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(strategy, EmulationStrategy::standard);
  EXPECT_EQ(library().cusolverDnSetEmulationStrategy(handle, EmulationStrategy::performant), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverDnGetEmulationStrategy(handle, &strategy), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(strategy, EmulationStrategy::performant);
  EXPECT_EQ(library().cusolverDnSetEmulationStrategy(handle, static_cast<EmulationStrategy>(3)),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(library().cusolverDnDestroy(handle), CUSOLVER_STATUS_SUCCESS);
  int version = 0, parts[3] = {};
  EXPECT_EQ(library().cusolverGetVersion(&version), CUSOLVER_STATUS_SUCCESS);
  for (const auto part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL})
    EXPECT_EQ(library().cusolverGetProperty(part, &parts[part]), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(version, parts[0] * 1000 + parts[1] * 100 + parts[2]);
  EXPECT_EQ(library().cusolverGetProperty(static_cast<libraryPropertyType>(3), &version),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST(Calls, WhatIsNotSimulatedSaysSo) {
  for (const char* name : kCusolverUnsupported) {
    const auto function = library().find<cusolverStatus_t (*)(Handle*)>(name);
    ASSERT_NE(function, nullptr) << name;
    testing::internal::CaptureStderr();
    EXPECT_EQ(function(solver()), CUSOLVER_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "nvmlkit: " + std::string(name) + " is not simulated\n");
  }
}

TEST(Calls, BothLibrariesExportTheSame) {
  const Loaded newer("libcusolver.so.12");
  for (const char* name : {"cusolverDnCreate", "cusolverDnSgesvdj", "cusolverDnXgeev", "cusolverSpDcsrlsvqr"}) {
    EXPECT_NE(newer.find<void*>(name), nullptr) << name;
    EXPECT_NE(library().find<void*>(name), nullptr) << name;
  }
}

// A factor and its use, with no wait between, in a stream that is not the first.
TEST(Calls, WorkIsOrderedInItsStream) {
  CUstream stream = nullptr, got = nullptr;
  ASSERT_EQ(gpu().create_stream(&stream, 0), cuda::CUDA_SUCCESS);
  Random random(50);
  const int n = 60;
  const auto a = random.positive<double>(n), x = random.matrix<double>(n, 3);
  const Stored<double> factor(a, n), right(a * x, n);
  const auto info = state(), other = state();
  auto* const handle = another();
  ASSERT_EQ(library().cusolverDnSetStream(handle, stream), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverDnGetStream(handle, &got), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(got, stream);
  ASSERT_EQ(library().cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_UPPER, n, factor.data(), n, nullptr, 0, info.as()),
            CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(
      library().cusolverDnDpotrs(handle, CUBLAS_FILL_MODE_UPPER, n, 3, factor.data(), n, right.data(), n, other.as()),
      CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverDnDestroy(handle), CUSOLVER_STATUS_SUCCESS);  // the work goes on
  ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
  EXPECT_EQ(read(info), 0);
  EXPECT_EQ(read(other), 0);
  EXPECT_LE(distance(right.get(), x), 1e-9);
}

TEST(Calls, AGraphRunsItsWork) {
  const auto begin = gpu().find<decltype(&cuda::cuStreamBeginCapture_v2)>("cuStreamBeginCapture_v2");
  const auto end = gpu().find<decltype(&cuda::cuStreamEndCapture)>("cuStreamEndCapture");
  const auto instantiate = gpu().find<decltype(&cuda::cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
  const auto launch = gpu().find<decltype(&cuda::cuGraphLaunch)>("cuGraphLaunch");
  CUstream stream = nullptr;
  ASSERT_EQ(gpu().create_stream(&stream, 0), cuda::CUDA_SUCCESS);
  auto a = identity(4, 4);
  for (int i = 0; i < 4; ++i) a(i, i) = 16;
  const Stored<double> matrix(a, 4);
  const auto info = state();
  auto* const handle = another();
  ASSERT_EQ(library().cusolverDnSetStream(handle, stream), CUSOLVER_STATUS_SUCCESS);
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec executable = nullptr;
  ASSERT_EQ(begin(stream, cuda::CU_STREAM_CAPTURE_MODE_GLOBAL), cuda::CUDA_SUCCESS);
  ASSERT_EQ(library().cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 4, matrix.data(), 4, nullptr, 0, info.as()),
            CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(end(stream, &graph), cuda::CUDA_SUCCESS);
  EXPECT_EQ(library().cusolverDnDestroy(handle), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(read(info), -77);  // nothing ran
  ASSERT_EQ(instantiate(&executable, graph, 0), cuda::CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(launch(executable, stream), cuda::CUDA_SUCCESS);
  ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
  EXPECT_EQ(read(info), 0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(matrix.get()(i, i), Number(2));  // the root of the root of 16
}

// In a process of its own: the context is of no use afterwards.
TEST(Calls, AnAddressThatIsNoneFailsTheContext) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto work = [] {
    const Stored<double> matrix(identity(4, 4), 4);
    const auto info = state();
    double* const far = matrix.data() + (1 << 24);
    EXPECT_EQ(library().cusolverDnDpotrf(solver(), CUBLAS_FILL_MODE_LOWER, 4, far, 4, nullptr, 0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(gpu().wait(), cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(library().cusolverDnDpotrf(solver(), CUBLAS_FILL_MODE_LOWER, 4, matrix.data(), 4, nullptr, 0, info.as()),
              CUSOLVER_STATUS_EXECUTION_FAILED);
    std::_Exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "cusolverDnDpotrf");
}

}  // namespace
}  // namespace nvmlkit::library_test
