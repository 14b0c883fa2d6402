// libcublas: handles, wrong arguments, streams, graphs, errors of the GPU.
#include <cmath>
#include <limits>

#include "cublas_support.hpp"

namespace nvmlkit::library_test {
namespace {

using cuda::CUDA_SUCCESS;

TEST_F(CublasTest, KeepsWhatIsSet) {
  cublasPointerMode_t mode{};
  EXPECT_EQ(lib.cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasGetPointerMode_v2(handle, &mode), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUBLAS_POINTER_MODE_DEVICE);
  EXPECT_EQ(lib.cublasSetPointerMode_v2(handle, static_cast<cublasPointerMode_t>(7)), CUBLAS_STATUS_INVALID_VALUE);
  cublasMath_t math{};
  EXPECT_EQ(lib.cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasGetMathMode(handle, &math), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(math, CUBLAS_TF32_TENSOR_OP_MATH);
  EXPECT_EQ(lib.cublasGetMathMode(handle, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasSetWorkspace_v2(handle, reinterpret_cast<void*>(8), 64), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_STREQ(lib.cublasGetStatusName(CUBLAS_STATUS_EXECUTION_FAILED), "CUBLAS_STATUS_EXECUTION_FAILED");
}

TEST_F(CublasTest, KeepsHowProductsMayBeEmulated) {
  cublasEmulationStrategy_t strategy{};
  cudaEmulationSpecialValuesSupport special{};
  cudaEmulationMantissaControl control{};
  int most = -1, offset = -1, bits = 0, *where = &bits;
  EXPECT_EQ(lib.cublasGetEmulationStrategy(handle, &strategy), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(strategy, CUBLAS_EMULATION_STRATEGY_DEFAULT);
  EXPECT_EQ(lib.cublasGetEmulationSpecialValuesSupport(handle, &special), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(special, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT);
  EXPECT_EQ(lib.cublasGetFixedPointEmulationMantissaBitCountPointer(handle, &where), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(where, nullptr);
  EXPECT_EQ(lib.cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSetEmulationStrategy(handle, static_cast<cublasEmulationStrategy_t>(7)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasSetEmulationSpecialValuesSupport(handle, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSetFixedPointEmulationMantissaControl(handle, CUDA_EMULATION_MANTISSA_CONTROL_FIXED),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSetFixedPointEmulationMaxMantissaBitCount(handle, 55), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSetFixedPointEmulationMaxMantissaBitCount(handle, -1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasSetFixedPointEmulationMantissaBitOffset(handle, -3), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSetFixedPointEmulationMantissaBitCountPointer(handle, &bits), CUBLAS_STATUS_SUCCESS);
  lib.cublasGetEmulationStrategy(handle, &strategy);
  lib.cublasGetEmulationSpecialValuesSupport(handle, &special);
  lib.cublasGetFixedPointEmulationMantissaControl(handle, &control);
  lib.cublasGetFixedPointEmulationMaxMantissaBitCount(handle, &most);
  lib.cublasGetFixedPointEmulationMantissaBitOffset(handle, &offset);
  lib.cublasGetFixedPointEmulationMantissaBitCountPointer(handle, &where);
  EXPECT_EQ(strategy, CUBLAS_EMULATION_STRATEGY_EAGER);
  EXPECT_EQ(special, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE);
  EXPECT_EQ(control, CUDA_EMULATION_MANTISSA_CONTROL_FIXED);
  EXPECT_EQ(most, 55);
  EXPECT_EQ(offset, -3);
  EXPECT_EQ(where, &bits);
  EXPECT_EQ(lib.cublasGetEmulationStrategy(handle, nullptr), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasTest, RefusesWrongHandlesAndArguments) {
  const float one = 1, zero = 0;
  OnDevice<float> a({1, 2, 3, 4}), c({0, 0, 0, 0});
  const auto gemm = [&](Handle* h, cublasOperation_t t, int m, int lda, const float* alpha) {
    return lib.cublasSgemm_v2(h, t, CUBLAS_OP_N, m, 2, 2, alpha, a.data(), lda, a.data(), 2, &zero, c.data(), 2);
  };
  EXPECT_EQ(gemm(nullptr, CUBLAS_OP_N, 2, 2, &one), CUBLAS_STATUS_NOT_INITIALIZED);
  std::vector<char> garbage(sizeof(Handle), 'x');
  EXPECT_EQ(gemm(reinterpret_cast<Handle*>(garbage.data()), CUBLAS_OP_N, 2, 2, &one), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(gemm(handle, static_cast<cublasOperation_t>(9), 2, 2, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(handle, CUBLAS_OP_N, -1, 2, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(handle, CUBLAS_OP_N, 2, 1, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(handle, CUBLAS_OP_N, 2, 2, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(handle, CUBLAS_OP_N, 2, 2, &one), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasCreate_v2(nullptr), CUBLAS_STATUS_INVALID_VALUE);
}

// As NVIDIA's library 13.1 on an H100: nothing to do comes before what is wrong, and the version needs no handle.
TEST_F(CublasTest, EmptyCallsSucceed) {
  EXPECT_EQ(lib.cublasSaxpy_v2(handle, 0, nullptr, nullptr, 0, nullptr, 0), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasCsrot_v2(handle, 0, nullptr, 0, nullptr, 0, nullptr, nullptr), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSgemv_v2(handle, CUBLAS_OP_N, 0, 0, nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr, 0),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSgemvStridedBatched(handle, CUBLAS_OP_N, 0, 0, nullptr, nullptr, 0, 0, nullptr, 0, 0, nullptr,
                                          nullptr, 0, 0, 0),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSgemv_v2(nullptr, CUBLAS_OP_N, 0, 0, nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr, 0),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasSgemv_v2(nullptr, CUBLAS_OP_N, 1, 1, nullptr, nullptr, 1, nullptr, 1, nullptr, nullptr, 1),
            CUBLAS_STATUS_NOT_INITIALIZED);
  int version = 0;
  EXPECT_EQ(lib.cublasGetVersion_v2(nullptr, &version), CUBLAS_STATUS_SUCCESS);
  EXPECT_GE(version, 120000);
  EXPECT_EQ(lib.cublasGetVersion_v2(handle, nullptr), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasTest, AnswersForWhatIsNotSimulated) {
  ASSERT_GT(std::size(kCublasUnsupported), 0u);
  for (const char* const name : kCublasUnsupported)
    EXPECT_EQ(lib.find<cublasStatus_t (*)(Handle*)>(name)(handle), CUBLAS_STATUS_NOT_SUPPORTED) << name;
}

// Sums that a program reads from the host are there when the call returns, of the device when the stream is through.
TEST_F(CublasTest, AnswersInBothPointerModes) {
  const auto x = numbers_of<float>(random, 100);
  double expected = 0;
  for (const float v : x) expected += double(v) * v;
  OnDevice<float> a(x), out({0});
  float result = 0;
  ASSERT_EQ(lib.cublasSdot_v2(handle, 100, a.data(), 1, a.data(), 1, &result), CUBLAS_STATUS_SUCCESS);
  EXPECT_NEAR(result, expected, 1e-4);
  lib.cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE);
  ASSERT_EQ(lib.cublasSdot_v2(handle, 100, a.data(), 1, a.data(), 1, out.data()), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(out.get()[0], result);
  // The factor is read when the stream comes to it.
  OnDevice<float> factor({3}), y(x);
  ASSERT_EQ(lib.cublasSscal_v2(handle, 100, factor.data(), y.data(), 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(y.get()[5], 3 * x[5]);
}

TEST_F(CublasTest, WorksInTheOrderOfItsStream) {
  cuda::CUstream stream = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&stream, 1u), CUDA_SUCCESS);
  ASSERT_EQ(lib.cublasSetStream_v2(handle, stream), CUBLAS_STATUS_SUCCESS);
  OnDevice<float> x(std::vector<float>(64, 2.0f)), y(std::vector<float>(64, 1.0f));
  static bool is_open;
  is_open = false;
  // The work behind a host function waits for it.
  ASSERT_EQ(driver().cuLaunchHostFunc(
                stream, [](void*) { is_open = true; }, nullptr),
            CUDA_SUCCESS);
  const float three = 3;
  ASSERT_EQ(lib.cublasSaxpy_v2(handle, 64, &three, x.data(), 1, y.data(), 1), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(lib.cublasSaxpy_v2(handle, 64, &three, y.data(), 1, x.data(), 1), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(driver().cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_TRUE(is_open);
  EXPECT_EQ(x.get()[63], 2 + 3 * (1 + 3 * 2));
  lib.cublasSetStream_v2(handle, nullptr);
  driver().cuStreamDestroy_v2(stream);
}

TEST_F(CublasTest, IsKeptInGraphs) {
  cuda::CUstream stream = nullptr;
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec ready = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&stream, 1u), CUDA_SUCCESS);
  lib.cublasSetStream_v2(handle, stream);
  OnDevice<float> a({1, 2, 3, 4}), b({1, 0, 0, 1}), c({0, 0, 0, 0});
  {
    const float one = 1, zero = 0;  // read when the call is captured
    ASSERT_EQ(driver().cuStreamBeginCapture_v2(stream, cuda::CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    ASSERT_EQ(lib.cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a.data(), 2, b.data(), 2, &zero,
                                 c.data(), 2),
              CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(driver().cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  }
  cuda::CUgraphNode node = nullptr;
  std::size_t count = 1;
  ASSERT_EQ(driver().cuGraphGetNodes(graph, &node, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  cuda::CUgraphNodeType type{};
  ASSERT_EQ(driver().cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, cuda::CU_GRAPH_NODE_TYPE_KERNEL);
  EXPECT_EQ(c.get(), std::vector<float>(4, 0.0f));
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&ready, graph, 0ull), CUDA_SUCCESS);
  for (const float v : {5.0f, 6.0f}) {
    a.set({v, 2, 3, 4});
    ASSERT_EQ(driver().cuGraphLaunch(ready, stream), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(c.get(), (std::vector<float>{v, 2, 3, 4}));
  }
  lib.cublasSetStream_v2(handle, nullptr);
  driver().cuStreamDestroy_v2(stream);
}

// beta = 0: what lies in the result is not read. alpha = 0: neither are the inputs.
TEST_F(CublasTest, DoesNotReadWhatFactorsExclude) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), one = 1, zero = 0;
  OnDevice<float> a({1, 2, 3, 4}), bad(std::vector<float>(4, nan)), c(std::vector<float>(4, nan));
  const auto gemm = [&](const float* alpha, const float* from) {
    return lib.cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, alpha, from, 2, from, 2, &zero, c.data(), 2);
  };
  ASSERT_EQ(gemm(&one, a.data()), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(c.get(), (std::vector<float>{7, 10, 15, 22}));
  ASSERT_EQ(gemm(&zero, bad.data()), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(c.get(), std::vector<float>(4, 0.0f));
}

// Factors of matrices without numbers have rows as pivots; others fail as an address that is none.
TEST_F(CublasTest, PivotsAreRows) {
  constexpr int kSize = 7;
  OnDevice<double> a(std::vector<double>(kSize * kSize, std::nan(""))), c(std::vector<double>(kSize * kSize));
  OnDevice<double*> from({a.data()}), to({c.data()});
  OnDevice<int> pivots(std::vector<int>(kSize, 5)), states({-1});
  const auto inverse = [&] {
    return lib.cublasDgetriBatched(handle, kSize, from.data(), kSize, pivots.data(), to.data(), kSize, states.data(),
                                   1);
  };
  ASSERT_EQ(lib.cublasDgetrfBatched(handle, kSize, from.data(), kSize, pivots.data(), states.data(), 1),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(inverse(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(std::isnan(c.get()[0]));
  pivots.set({1, 2, 3, 4, 5, 6, kSize + 1});
  ASSERT_EQ(inverse(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
}

// Last: the context is of no use behind it, until it is made again.
TEST_F(CublasTest, FreedMemoryIsAnIllegalAddress) {
  const float one = 1, zero = 0;
  float* gone = nullptr;
  OnDevice<float> c(std::vector<float>(4));  // not where the other one was
  {
    OnDevice<float> a(std::vector<float>(1 << 20));
    gone = a.data();
  }
  const auto gemm = [&] {
    return lib.cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, gone, 2, gone, 2, &zero, c.data(), 2);
  };
  ASSERT_EQ(gemm(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(gemm(), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(driver().cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::library_test
