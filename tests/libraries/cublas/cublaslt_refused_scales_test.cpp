// libcublasLt: descriptions of products with scales that are refused.
#include "cublaslt_scales.hpp"

namespace nvmlkit::library_test {
namespace {

class CublasLtRefusedScales : public ScalesTest {
 protected:
  void SetUp() override {
    ScalesTest::SetUp();
    mode_ = capability() >= 100 ? kOf32 : kOf128;
    layout_a_ = layout(kE4, 128, 32, 128);
    layout_b_ = layout(kE4, 128, 16, 128);
    layout_d_ = layout(CUDA_R_16BF, 32, 16, 32);
    set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, mode_);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, mode_);
  }
  void TearDown() override {
    for (auto* each : made_) lib.cublasLtMatrixLayoutDestroy(each);
    ScalesTest::TearDown();
  }
  MatrixLayout* layout(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
    MatrixLayout* out = nullptr;
    EXPECT_EQ(lib.cublasLtMatrixLayoutCreate(&out, type, rows, columns, ld), CUBLAS_STATUS_SUCCESS);
    made_.push_back(out);
    return out;
  }
  cublasStatus_t ask() {
    HeuristicResult found{};
    int count = 0;
    return lib.cublasLtMatmulAlgoGetHeuristic(handle, description, layout_a_, layout_b_, layout_d_, layout_d_, nullptr,
                                              1, &found, &count);
  }
  cublasStatus_t multiply() {
    const float one = 1;
    const OnDevice<std::uint8_t> memory(std::vector<std::uint8_t>(1 << 14));
    void* const at = memory.data();
    return lib.cublasLtMatmul(handle, description, &one, at, layout_a_, at, layout_b_, &one, at, layout_d_, at,
                              layout_d_, nullptr, nullptr, 0, nullptr);
  }

  cublasLtMatmulMatrixScale_t mode_{};
  MatrixLayout *layout_a_ = nullptr, *layout_b_ = nullptr, *layout_d_ = nullptr;
  std::vector<MatrixLayout*> made_;
};

TEST_F(CublasLtRefusedScales, Pairs) {
  EXPECT_EQ(ask(), has_mode(mode_) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED);
  for (const auto mode_a : {kScalar, kOf16, kOf32, kOfRows, kOf128, kOfSquares})
    for (const auto mode_b : {kScalar, kOf16, kOf32, kOfRows, kOf128, kOfSquares}) {
      set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, mode_a);
      set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, mode_b);
      bool is_right = mode_a == kScalar && mode_b == kScalar && capability() >= 89;
      for (const auto& pair : kPairs)
        is_right |= pair.mode_a == mode_a && pair.mode_b == mode_b && pair.mode_a != kOf16 && has_mode(mode_a);
      EXPECT_EQ(ask(), is_right ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED) << mode_a << " and " << mode_b;
    }
}

TEST_F(CublasLtRefusedScales, OtherDescriptions) {
  const auto refused = CUBLAS_STATUS_NOT_SUPPORTED;
  // Blackwell's GPUs of data centers take them so, in other sizes.
  const auto of_turned = mode_ == kOf32 ? CUBLAS_STATUS_INVALID_VALUE : refused;
  set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{1});
  EXPECT_EQ(ask(), of_turned);
  set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{0});
  set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{0});
  EXPECT_EQ(ask(), of_turned);
  set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{1});
  set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, mode_);
  EXPECT_EQ(ask(), refused) << "scales of a result that is wide";
  set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, kScalar);
  set(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, mode_);
  EXPECT_EQ(ask(), refused);
  set(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, kScalar);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_DRELU));
  EXPECT_EQ(ask(), refused);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_DEFAULT));
  EXPECT_EQ(ask(), CUBLAS_STATUS_SUCCESS);
  auto *const right = layout_a_, *const right_d = layout_d_;
  layout_d_ = layout(CUDA_R_16BF, 36, 16, 40);
  EXPECT_EQ(ask(), refused) << "lines of 72 bytes";
  layout_d_ = right_d;
  const OnDevice<float> scale({1.0f});
  set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, static_cast<const void*>(scale.data()));
  EXPECT_EQ(ask(), CUBLAS_STATUS_INVALID_VALUE) << "a scale of a wide result";
  set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, static_cast<const void*>(nullptr));
  layout_a_ = layout(kE4, 128, 32, 136);
  EXPECT_EQ(ask(), refused) << "lines that do not begin at multiples of 16 bytes";
  layout_a_ = layout(CUDA_R_16BF, 128, 32, 128);
  EXPECT_EQ(ask(), refused);
  layout_a_ = layout(kE4, 160, 32, 160);
  EXPECT_EQ(ask(), CUBLAS_STATUS_INVALID_VALUE) << "sizes that do not fit";
  layout_a_ = layout(kE5, 128, 32, 128);
  layout_b_ = layout(kE5, 128, 16, 128);
  EXPECT_EQ(ask(), refused) << "both of 2 bits of fraction";
  layout_a_ = right;
}

TEST_F(CublasLtRefusedScales, ScalesThatAreNowhere) {
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE);
  const OnDevice<float> scales(std::vector<float>(1 << 12));
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(scales.data()));
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE);
  set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<const void*>(scales.data()));
  EXPECT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::library_test
