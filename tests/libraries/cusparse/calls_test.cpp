// Handles, wrong arguments, device pointers, streams, memory that is not there.
#include <string>

#include "formats.hpp"

namespace nvmlkit::library_test {
namespace {

TEST(Calls, HandlesThatAreNone) {
  alignas(16) std::uint64_t rubbish[16] = {1, 2, 3};
  int version = 0;
  auto* const handle = reinterpret_cast<Handle*>(rubbish);
  EXPECT_EQ(library().cusparseDestroy(handle), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(library().cusparseSetStream(handle, nullptr), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(library().cusparseGetVersion(handle, &version), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(library().cusparseDestroy(nullptr), kFine);
  EXPECT_EQ(library().cusparseSetStream(nullptr, nullptr), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(library().cusparseGetVersion(nullptr, &version), kWrong);
  // The generic interface checks its handle as an argument, as NVIDIA's library of CUDA 13 does.
  EXPECT_EQ(library().cusparseAxpby(nullptr, nullptr, nullptr, nullptr, nullptr), kWrong);
  EXPECT_EQ(library().cusparseCreate(nullptr), kWrong);
  EXPECT_EQ(library().cusparseGetVersion(sparse(), nullptr), kWrong);
  ASSERT_EQ(library().cusparseGetVersion(sparse(), &version), kFine);
  EXPECT_EQ(version / 1000, 12);
}

TEST(Calls, NullPointersHaveALine) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(library().cusparseCreateDnVec(nullptr, 4, nullptr, CUDA_R_32F), kWrong);
  EXPECT_EQ(library().cusparseGetProperty(MAJOR_VERSION, nullptr), kWrong);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      " ** On entry to cusparseCreateDnVec() parameter number 1 (dnVecDescr) had an illegal value: NULL pointer\n\n"
      " ** On entry to cusparseGetProperty() parameter number 2 (value) had an illegal value: NULL pointer\n\n");
}

TEST(Calls, NamesOfErrors) {
  EXPECT_STREQ(library().cusparseGetErrorName(CUSPARSE_STATUS_INVALID_VALUE), "CUSPARSE_STATUS_INVALID_VALUE");
  EXPECT_STREQ(library().cusparseGetErrorString(kFine), "success");
  EXPECT_STREQ(library().cusparseGetErrorName(static_cast<cusparseStatus_t>(99)), "unrecognized error code");
}

TEST(Calls, ObjectsThatAreNone) {
  alignas(16) std::uint64_t rubbish[32] = {1, 2, 3};
  EXPECT_EQ(library().cusparseDestroySpMat(nullptr), kFine);
  EXPECT_EQ(library().cusparseDestroyDnMat(reinterpret_cast<DenseMatrix*>(rubbish)), kWrong);
  EXPECT_EQ(library().cusparseSpGEMM_destroyDescr(nullptr), kFine);
  EXPECT_EQ(library().cusparseDestroyMatDescr(nullptr), kFine);
  DenseMatrix* dense = nullptr;
  int number = 0;
  EXPECT_EQ(library().cusparseCreateDnMat(&dense, 4, 4, 3, &number, CUDA_R_32F, CUSPARSE_ORDER_COL), kWrong);
  EXPECT_EQ(library().cusparseCreateDnMat(&dense, -1, 4, 4, &number, CUDA_R_32F, CUSPARSE_ORDER_COL), kWrong);
  EXPECT_EQ(library().cusparseCreateDnMat(&dense, 4, 4, 4, &number, CUDA_R_32F, static_cast<cusparseOrder_t>(3)),
            kWrong);
  EXPECT_EQ(library().cusparseCreateDnMat(nullptr, 4, 4, 4, &number, CUDA_R_32F, CUSPARSE_ORDER_COL), kWrong);
  SparseMatrix* matrix = nullptr;
  EXPECT_EQ(library().cusparseCreateCsr(&matrix, 4, 4, 1, &number, &number, &number, CUSPARSE_INDEX_64I,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(library().cusparseCreateCsr(&matrix, 4, 4, -1, &number, &number, &number, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            kWrong);
  EXPECT_EQ(dense, nullptr);
  EXPECT_EQ(matrix, nullptr);
}

// Programs create descriptions first, and give them memory when they know its size.
TEST(Calls, MemoryThatComesLater) {
  DenseVector* vector = nullptr;
  SparseMatrix* matrix = nullptr;
  ASSERT_EQ(library().cusparseCreateDnVec(&vector, 3, nullptr, CUDA_R_32F), kFine);
  ASSERT_EQ(library().cusparseCreateCsr(&matrix, 3, 3, 3, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            kFine);
  const float one = 1, zero = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(library().cusparseSpMV_bufferSize(sparse(), kNone, &one, matrix, vector, &zero, vector, CUDA_R_32F,
                                              CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
            kFine);
  const OnDevice<int> offsets(std::vector<int>{0, 1, 2, 3}), indices(std::vector<int>{2, 0, 1});
  const OnDevice<float> values(std::vector<float>{1, 2, 3}), x(std::vector<float>{10, 20, 30}),
      y(std::vector<float>(3));
  EXPECT_EQ(library().cusparseCsrSetPointers(matrix, offsets.as<void>(), indices.as<void>(), values.as<void>()), kFine);
  EXPECT_EQ(library().cusparseDnVecSetValues(vector, x.as<void>()), kFine);
  DenseVector* result = nullptr;
  ASSERT_EQ(library().cusparseCreateDnVec(&result, 3, y.as<void>(), CUDA_R_32F), kFine);
  EXPECT_EQ(library().cusparseSpMV(sparse(), kNone, &one, matrix, vector, &zero, result, CUDA_R_32F,
                                   CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
            kFine);
  EXPECT_EQ(y.read(), (std::vector<float>{30, 20, 60}));
  library().cusparseDestroyDnVec(vector);
  library().cusparseDestroyDnVec(result);
  library().cusparseDestroySpMat(matrix);
}

TEST(Calls, ShapesThatDoNotFit) {
  Random random(1);
  const OnDeviceSparse<float> a(sparse_numbers<float>(random, 6, 12), {});
  const OnDeviceVector<float> right(Numbers(12, 1)), wrong(Numbers(6, 1));
  const float one = 1;
  const auto spmv = [&](cusparseOperation_t op, const float* alpha, auto& x, auto& y, cudaDataType type = CUDA_R_32F) {
    return library().cusparseSpMV(sparse(), op, alpha, a.matrix, x.vector, &one, y.vector, type,
                                  CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  };
  EXPECT_EQ(spmv(kNone, &one, wrong, right), kWrong);
  EXPECT_EQ(spmv(kNone, nullptr, right, wrong), kWrong);
  EXPECT_EQ(spmv(static_cast<cusparseOperation_t>(3), &one, right, wrong), kWrong);
  EXPECT_EQ(spmv(kNone, &one, right, wrong, static_cast<cudaDataType>(99)), CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(spmv(kNone, &one, right, wrong), kFine);
  EXPECT_EQ(spmv(kTurned, &one, wrong, right), kFine);
  EXPECT_EQ(wrong.get().largest(), 0);
}

TEST(Calls, ScalarsOfTheDevice) {
  Random random(2);
  const auto a = sparse_numbers<double>(random, 6, 6), x = dense_numbers<double>(random, 6, 1);
  const OnDeviceSparse<double> matrix(a, {});
  const OnDeviceVector<double> from(x), to(x);
  const OnDevice<double> scalars(std::vector<double>{2, 3});
  ASSERT_EQ(library().cusparseSetPointerMode(sparse(), CUSPARSE_POINTER_MODE_DEVICE), kFine);
  EXPECT_EQ(library().cusparseSpMV(sparse(), kNone, scalars.as(), matrix.matrix, from.vector, scalars.as() + 1,
                                   to.vector, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
            kFine);
  ASSERT_EQ(library().cusparseSetPointerMode(sparse(), CUSPARSE_POINTER_MODE_HOST), kFine);
  EXPECT_EQ(library().cusparseSetPointerMode(sparse(), static_cast<cusparsePointerMode_t>(2)), kWrong);
  EXPECT_LE(distance(to.get(), a * x + a * x + x + x + x), 1e-13);
}

TEST(Calls, Attributes) {
  Random random(3);
  const OnDeviceSparse<float> a(sparse_numbers<float>(random, 6, 6), {});
  std::uint32_t value = 1;
  EXPECT_EQ(library().cusparseSpMatSetAttribute(a.matrix, CUSPARSE_SPMAT_FILL_MODE, &value, 4), kFine);
  value = 9;
  EXPECT_EQ(library().cusparseSpMatGetAttribute(a.matrix, CUSPARSE_SPMAT_FILL_MODE, &value, 4), kFine);
  EXPECT_EQ(value, 1u);
  EXPECT_EQ(library().cusparseSpMatSetAttribute(a.matrix, CUSPARSE_SPMAT_FILL_MODE, &value, 8), kWrong);
}

// What a program writes is checked where it is read. The context fails, as after a kernel that fails; nothing crashes.
// In a process of its own: a context that failed stays so.
[[noreturn]] void run_with_a_wrong_index() {
  Random random(4);
  const OnDeviceSparse<float> a(sparse_numbers<float>(random, 6, 6, 100), Form{});
  const int rubbish = 1000;
  gpu().put(reinterpret_cast<cuda::CUdeviceptr>(a.indices.as<int>()), &rubbish, sizeof rubbish);
  const OnDeviceVector<float> x(Numbers(6, 1)), y(Numbers(6, 1));
  const float one = 1;
  library().cusparseSpMV(sparse(), kNone, &one, a.matrix, x.vector, &one, y.vector, CUDA_R_32F,
                         CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  std::_Exit(gpu().wait() == cuda::CUDA_ERROR_LAUNCH_FAILED ? 7 : 1);
}
TEST(CallsDeathTest, IndicesOutOfRange) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_with_a_wrong_index(), testing::ExitedWithCode(7), "");
}

TEST(Calls, WhatIsNotSimulated) {
  Random random(1);
  const auto numbers = sparse_numbers<float>(random, 6, 6);
  const OnDeviceSparse<float> a(numbers, {});
  const OnDeviceDense<float> b(numbers, CUSPARSE_ORDER_ROW, 0), c(numbers, CUSPARSE_ORDER_ROW, 0);
  const std::int32_t one = 1;
  testing::internal::CaptureStderr();
  EXPECT_EQ(library().cusparseSpMM(sparse(), kNone, kNone, &one, a.matrix, b.matrix, &one, c.matrix, CUDA_R_8I,
                                   CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
            CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "nvmlkit: cusparseSpMM of this compute type is not simulated\n");
}

}  // namespace
}  // namespace nvmlkit::library_test
