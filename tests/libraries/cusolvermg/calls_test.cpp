// Handles, grids, descriptions; arguments that do not fit; errors of a GPU.
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

constexpr auto kUpper = CUBLAS_FILL_MODE_UPPER;
constexpr auto kRight = CUSOLVER_STATUS_SUCCESS;
constexpr auto kWrong = CUSOLVER_STATUS_INVALID_VALUE;

TEST(CallsOfSeveral, HandlesThatAreNone) {
  alignas(16) std::uint64_t rubbish[16] = {1, 2, 3};
  const int device = 0;
  std::int64_t size = 0;
  for (auto* const handle : {static_cast<Handle*>(nullptr), reinterpret_cast<Handle*>(rubbish)}) {
    EXPECT_EQ(library().cusolverMgDestroy(handle), CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(library().cusolverMgDeviceSelect(handle, 1, const_cast<int*>(&device)), CUSOLVER_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(library().cusolverMgPotrf_bufferSize(handle, kLower, 1, nullptr, 1, 1, nullptr, CUDA_R_32F, &size),
              CUSOLVER_STATUS_NOT_INITIALIZED);
  }
  EXPECT_EQ(library().cusolverMgCreate(nullptr), kWrong);
  Handle* handle = nullptr;
  ASSERT_EQ(library().cusolverMgCreate(&handle), kRight);
  EXPECT_EQ(library().cusolverMgDestroy(handle), kRight);
  EXPECT_EQ(library().cusolverMgDestroy(handle), CUSOLVER_STATUS_NOT_INITIALIZED);
}

TEST(CallsOfSeveral, GpusOfAHandle) {
  gpu();
  Handle* handle = nullptr;
  ASSERT_EQ(library().cusolverMgCreate(&handle), kRight);
  std::vector<int> devices(40);  // the first one, many times
  EXPECT_EQ(library().cusolverMgDeviceSelect(handle, 0, devices.data()), kWrong);
  EXPECT_EQ(library().cusolverMgDeviceSelect(handle, -1, devices.data()), kWrong);
  EXPECT_EQ(library().cusolverMgDeviceSelect(handle, 33, devices.data()), kWrong);
  EXPECT_EQ(library().cusolverMgDeviceSelect(handle, 1, nullptr), kWrong);
  EXPECT_EQ(library().cusolverMgDeviceSelect(handle, 32, devices.data()), kRight);
  devices[1] = 99;
  EXPECT_EQ(library().cusolverMgDeviceSelect(handle, 1, devices.data()), kRight);
  EXPECT_EQ(library().cusolverMgDeviceSelect(handle, 2, devices.data()), kWrong);
  EXPECT_EQ(library().cusolverMgDestroy(handle), kRight);
}

TEST(CallsOfSeveral, ObjectsThatAreNone) {
  alignas(16) std::uint64_t rubbish[32] = {1, 2, 3};
  Description* description = nullptr;
  for (auto* const grid : {static_cast<Grid*>(nullptr), reinterpret_cast<Grid*>(rubbish)}) {
    EXPECT_EQ(library().cusolverMgDestroyGrid(grid), kWrong);
    EXPECT_EQ(library().cusolverMgCreateMatrixDesc(&description, 4, 4, 4, 2, CUDA_R_32F, grid), kWrong);
  }
  EXPECT_EQ(library().cusolverMgDestroyMatrixDesc(nullptr), kWrong);
  EXPECT_EQ(library().cusolverMgDestroyMatrixDesc(reinterpret_cast<Description*>(rubbish)), kWrong);
}

// Which part of a matrix a size function takes.
cusolverStatus_t ask(const Several& on, Description* of, int n, int row, int column, cudaDataType type = CUDA_R_64F,
                     cublasFillMode_t fill = kLower) {
  std::int64_t size = -77;
  const auto status = library().cusolverMgPotrf_bufferSize(on.handle, fill, n, nullptr, row, column, of, type, &size);
  EXPECT_EQ(size == -77, status != CUSOLVER_STATUS_SUCCESS);
  return status;
}

TEST(CallsOfSeveral, PartsThatDoNotFit) {
  const Several on({0, 1}), others({1, 0});
  Spread<double> matrix(on, identity(6, 8), 3);
  auto* const of = matrix.description;
  EXPECT_EQ(ask(on, of, 6, 1, 1), kRight);
  EXPECT_EQ(ask(on, of, 0, 1, 1), kRight);
  EXPECT_EQ(ask(on, of, 6, 1, 3), kRight);
  EXPECT_EQ(ask(on, of, 5, 2, 4), kRight);
  EXPECT_EQ(ask(on, of, 6, 1, 4), kWrong);
  EXPECT_EQ(ask(on, of, 6, 2, 1), kWrong);
  EXPECT_EQ(ask(on, of, 7, 1, 1), kWrong);
  EXPECT_EQ(ask(on, of, -1, 1, 1), kWrong);
  EXPECT_EQ(ask(on, of, 6, 0, 1), kWrong);
  EXPECT_EQ(ask(on, of, 6, 1, 0), kWrong);
  EXPECT_EQ(ask(on, of, 6, 1, 1, CUDA_R_32F), kWrong) << "another type than that of the matrix";
  EXPECT_EQ(ask(on, of, 6, 1, 1, static_cast<cudaDataType>(2)), kWrong);
  EXPECT_EQ(ask(on, of, 6, 1, 1, CUDA_R_64F, kUpper), kWrong);
  EXPECT_EQ(ask(on, nullptr, 6, 1, 1), kWrong);
  EXPECT_EQ(ask(others, of, 6, 1, 1), kWrong) << "GPUs of another order";
  EXPECT_EQ(library().cusolverMgPotrf_bufferSize(on.handle, kLower, 6, nullptr, 1, 1, of, CUDA_R_64F, nullptr), kWrong);
}

TEST(CallsOfSeveral, EigenvaluesOfTheWholeMatrixOnly) {
  const Several on({0, 1});
  Spread<DoubleComplex> matrix(on, identity(6, 6), 3);
  const auto ask_for = [&](cusolverEigMode_t mode, cublasFillMode_t fill, int n, int first, cudaDataType values) {
    std::int64_t size = 0;
    return library().cusolverMgSyevd_bufferSize(on.handle, mode, fill, n, matrix.data(), first, first,
                                                matrix.description, nullptr, values, CUDA_C_64F, &size);
  };
  EXPECT_EQ(ask_for(CUSOLVER_EIG_MODE_VECTOR, kLower, 6, 1, CUDA_R_64F), kRight);
  EXPECT_EQ(ask_for(CUSOLVER_EIG_MODE_NOVECTOR, kLower, 5, 1, CUDA_R_64F), kRight);
  EXPECT_EQ(ask_for(static_cast<cusolverEigMode_t>(7), kLower, 6, 1, CUDA_R_64F), kWrong);
  EXPECT_EQ(ask_for(CUSOLVER_EIG_MODE_VECTOR, kUpper, 6, 1, CUDA_R_64F), kRight) << "only the size";
  EXPECT_EQ(ask_for(CUSOLVER_EIG_MODE_VECTOR, static_cast<cublasFillMode_t>(7), 6, 1, CUDA_R_64F), kWrong);
  EXPECT_EQ(ask_for(CUSOLVER_EIG_MODE_VECTOR, kLower, 5, 2, CUDA_R_64F), kWrong);
  EXPECT_EQ(ask_for(CUSOLVER_EIG_MODE_VECTOR, kLower, 6, 1, CUDA_C_64F), kWrong);
}

TEST(CallsOfSeveral, TilesOfLuAreNotLarge) {
  const Several on({0, 1});
  for (const int tile : {512, 513}) {
    Spread<float> matrix(on, identity(6, 6), tile);
    std::int64_t size = 0;
    EXPECT_EQ(library().cusolverMgGetrf_bufferSize(on.handle, 6, 6, matrix.data(), 1, 1, matrix.description, nullptr,
                                                   CUDA_R_32F, &size),
              tile == 512 ? kRight : kWrong);
    EXPECT_EQ(library().cusolverMgPotrf_bufferSize(on.handle, kLower, 6, matrix.data(), 1, 1, matrix.description,
                                                   CUDA_R_32F, &size),
              kRight);
  }
}

TEST(CallsOfSeveral, NullPointers) {
  const Several on({0, 1});
  Spread<double> matrix(on, identity(6, 6), 3);
  Workspaces<double> work(on, 200);
  int info = -77;
  const auto factor = [&](void** a, void** w, std::int64_t size, int* result) {
    return library().cusolverMgPotrf(on.handle, kLower, 6, a, 1, 1, matrix.description, CUDA_R_64F, w, size, result);
  };
  EXPECT_EQ(factor(nullptr, work.data(), work.size, &info), kWrong);
  EXPECT_EQ(factor(matrix.data(), nullptr, work.size, &info), kWrong);
  EXPECT_EQ(factor(matrix.data(), work.data(), -1, &info), kWrong);
  EXPECT_EQ(factor(matrix.data(), work.data(), work.size, nullptr), kWrong);
  void* parts[] = {matrix.data()[0], nullptr};
  EXPECT_EQ(factor(parts, work.data(), work.size, &info), kWrong);
  EXPECT_EQ(info, -77);
  EXPECT_EQ(factor(matrix.data(), work.data(), work.size, &info), kRight);
  EXPECT_EQ(info, 0);
  double values[6] = {};
  EXPECT_EQ(
      library().cusolverMgSyevd(on.handle, CUSOLVER_EIG_MODE_VECTOR, kUpper, 6, matrix.data(), 1, 1, matrix.description,
                                values, CUDA_R_64F, CUDA_R_64F, work.data(), work.size, &info),
      kWrong);
  EXPECT_EQ(
      library().cusolverMgSyevd(on.handle, CUSOLVER_EIG_MODE_VECTOR, kLower, 6, matrix.data(), 1, 1, matrix.description,
                                nullptr, CUDA_R_64F, CUDA_R_64F, work.data(), work.size, &info),
      kWrong);
}

}  // namespace
}  // namespace nvmlkit::library_test
