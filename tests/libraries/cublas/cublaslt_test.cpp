// libcublasLt: products with epilogues, descriptions that programs keep, what is refused.
#include <cmath>

#include "cublaslt_support.hpp"

namespace nvmlkit::library_test {
namespace {

float gelu(float x) { return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x))); }

class CublasLt : public testing::Test {
 protected:
  static constexpr int kRows = 9, kColumns = 5, kDepth = 6;

  void SetUp() override {
    need_context();
    ASSERT_EQ(lib.cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(lib.cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
    lib.cublasLtMatrixLayoutCreate(&layout_a, CUDA_R_32F, kRows, kDepth, kRows);
    lib.cublasLtMatrixLayoutCreate(&layout_b, CUDA_R_32F, kDepth, kColumns, kDepth);
    lib.cublasLtMatrixLayoutCreate(&layout_d, CUDA_R_32F, kRows, kColumns, kRows);
    for (auto* const list : {&a, &b, &bias})
      for (auto& v : *list) v = static_cast<float>(random.number());
    for (int j = 0; j < kColumns; ++j)
      for (int i = 0; i < kRows; ++i)
        for (int l = 0; l < kDepth; ++l)
          product[static_cast<std::size_t>(i + j * kRows)] +=
              a[static_cast<std::size_t>(i + l * kRows)] * b[static_cast<std::size_t>(l + j * kDepth)];
  }
  void TearDown() override {
    lib.cublasLtMatrixLayoutDestroy(layout_a);
    lib.cublasLtMatrixLayoutDestroy(layout_b);
    lib.cublasLtMatrixLayoutDestroy(layout_d);
    lib.cublasLtMatmulDescDestroy(description);
    lib.cublasLtDestroy(handle);
  }
  template <class T>
  void set(cublasLtMatmulDescAttributes_t which, T value) {
    ASSERT_EQ(lib.cublasLtMatmulDescSetAttribute(description, which, &value, sizeof value), CUBLAS_STATUS_SUCCESS);
  }
  cublasStatus_t multiply(const OnDevice<float>& to) {
    const float one = 1, zero = 0;
    const OnDevice<float> da(a), db(b);
    const auto status = lib.cublasLtMatmul(handle, description, &one, da.data(), layout_a, db.data(), layout_b, &zero,
                                           to.data(), layout_d, to.data(), layout_d, nullptr, nullptr, 0, nullptr);
    EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
    return status;
  }

  const Cublaslt& lib = lt_library();
  Handle* handle = nullptr;
  MatmulDescription* description = nullptr;
  MatrixLayout *layout_a = nullptr, *layout_b = nullptr, *layout_d = nullptr;
  Random random;
  std::vector<float> a = std::vector<float>(kRows * kDepth), b = std::vector<float>(kDepth * kColumns),
                     bias = std::vector<float>(kRows), product = std::vector<float>(kRows * kColumns);
};

TEST_F(CublasLt, AddsABiasAndActivates) {
  const OnDevice<float> to(std::vector<float>(kRows * kColumns)), on_device(bias);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, on_device.data());
  struct Case {
    cublasLtEpilogue_t epilogue;
    float (*function)(float);
  };
  for (const auto& c : {Case{CUBLASLT_EPILOGUE_BIAS, [](float x) { return x; }},
                        Case{CUBLASLT_EPILOGUE_RELU_BIAS, [](float x) { return x > 0 ? x : 0; }},
                        Case{CUBLASLT_EPILOGUE_GELU_BIAS, gelu}}) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{c.epilogue});
    ASSERT_EQ(multiply(to), CUBLAS_STATUS_SUCCESS);
    const auto result = to.get();
    for (std::size_t i = 0; i < result.size(); ++i)
      EXPECT_NEAR(result[i], c.function(product[i] + bias[i % kRows]), 1e-5) << c.epilogue;
  }
}

// nn.Linear of float64: biases and sums have the digits of double.
TEST_F(CublasLt, AddsABiasToDoubles) {
  constexpr int kSize = 3;
  MatmulDescription* doubles = nullptr;
  MatrixLayout* square = nullptr;
  ASSERT_EQ(lib.cublasLtMatmulDescCreate(&doubles, CUBLAS_COMPUTE_64F, CUDA_R_64F), CUBLAS_STATUS_SUCCESS);
  lib.cublasLtMatrixLayoutCreate(&square, CUDA_R_64F, kSize, kSize, kSize);
  const OnDevice<double> left({1, 2, 3, 4, 5, 6, 7, 8, 9}), right({1, 0, 0, 0, 1, 0, 0, 0, -1}),
      to(std::vector<double>(9));
  const OnDevice<double> addend({1e-12, 2e-12, 3e-12});
  const auto pointer = addend.data();
  const std::uint32_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
  lib.cublasLtMatmulDescSetAttribute(doubles, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &pointer, sizeof pointer);
  lib.cublasLtMatmulDescSetAttribute(doubles, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  const double one = 1, zero = 0;
  EXPECT_EQ(lib.cublasLtMatmul(handle, doubles, &one, left.data(), square, right.data(), square, &zero, to.data(),
                               square, to.data(), square, nullptr, nullptr, 0, nullptr),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
  EXPECT_EQ(to.get(), (std::vector<double>{1 + 1e-12, 2 + 2e-12, 3 + 3e-12, 4 + 1e-12, 5 + 2e-12, 6 + 3e-12, 0, 0, 0}));
  lib.cublasLtMatrixLayoutDestroy(square);
  lib.cublasLtMatmulDescDestroy(doubles);
}

// What RELU_AUX keeps is what DRELU lets through; BGRAD adds the columns up.
TEST_F(CublasLt, KeepsAMaskForTheWayBack) {
  const OnDevice<float> to(std::vector<float>(kRows * kColumns)), sums(bias);
  const OnDevice<unsigned char> mask(std::vector<unsigned char>(16 * kColumns));
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask.data());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{128});
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_RELU_AUX});
  ASSERT_EQ(multiply(to), CUBLAS_STATUS_SUCCESS);
  const auto active = to.get();
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums.data());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_DRELU_BGRAD});
  ASSERT_EQ(multiply(to), CUBLAS_STATUS_SUCCESS);
  const auto result = to.get(), gradient = sums.get();
  for (std::size_t i = 0; i < kRows; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < kColumns; ++j) {
      const auto at = i + j * kRows;
      EXPECT_NEAR(active[at], product[at] > 0 ? product[at] : 0, 1e-5);
      EXPECT_NEAR(result[at], product[at] > 0 ? product[at] : 0, 1e-5);
      sum += product[at] > 0 ? product[at] : 0;
    }
    EXPECT_NEAR(gradient[i], sum, 1e-5);
  }
}

TEST_F(CublasLt, OffersAnAlgorithmForWhatItDoes) {
  HeuristicResult results[3];
  int count = -1;
  Preference* preference = nullptr;
  ASSERT_EQ(lib.cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasLtMatmulAlgoGetHeuristic(handle, description, layout_a, layout_b, layout_d, layout_d, preference,
                                               3, results, &count),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(results[0].state, CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasLtMatmulAlgoGetHeuristic(handle, description, layout_a, layout_a, layout_d, layout_d, preference,
                                               3, results, &count),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(count, 0);
  const std::int32_t tiles = CUBLASLT_ORDER_COL32;
  lib.cublasLtMatrixLayoutSetAttribute(layout_a, CUBLASLT_MATRIX_LAYOUT_ORDER, &tiles, sizeof tiles);
  EXPECT_EQ(lib.cublasLtMatmulAlgoGetHeuristic(handle, description, layout_a, layout_b, layout_d, layout_d, preference,
                                               3, results, &count),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(lib.cublasLtMatmulPreferenceDestroy(preference), CUBLAS_STATUS_SUCCESS);
}

// Matrices whose rows lie behind each other.
TEST_F(CublasLt, TakesRows) {
  const std::int32_t rows = CUBLASLT_ORDER_ROW;
  const std::int64_t ld = kDepth;
  std::vector<float> turned(a.size());
  for (int i = 0; i < kRows; ++i)
    for (int l = 0; l < kDepth; ++l)
      turned[static_cast<std::size_t>(l + i * kDepth)] = a[static_cast<std::size_t>(i + l * kRows)];
  a = turned;
  lib.cublasLtMatrixLayoutSetAttribute(layout_a, CUBLASLT_MATRIX_LAYOUT_ORDER, &rows, sizeof rows);
  lib.cublasLtMatrixLayoutSetAttribute(layout_a, CUBLASLT_MATRIX_LAYOUT_LD, &ld, sizeof ld);
  const OnDevice<float> to(std::vector<float>(kRows * kColumns));
  ASSERT_EQ(multiply(to), CUBLAS_STATUS_SUCCESS);
  const auto result = to.get();
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], product[i], 1e-5);
}

TEST_F(CublasLt, AttributesComeBack) {
  const std::uint64_t value = 77;
  std::uint64_t back = 0;
  std::size_t size = 0;
  ASSERT_EQ(lib.cublasLtMatrixLayoutSetAttribute(layout_a, CUBLASLT_MATRIX_LAYOUT_ROWS, &value, sizeof value),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasLtMatrixLayoutGetAttribute(layout_a, CUBLASLT_MATRIX_LAYOUT_ROWS, &back, sizeof back, &size),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(back, value);
  EXPECT_EQ(size, sizeof back);
  for (const std::size_t wrong : {0, 2, 16})
    EXPECT_EQ(lib.cublasLtMatrixLayoutSetAttribute(layout_a, CUBLASLT_MATRIX_LAYOUT_ROWS, &value, wrong),
              CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasLtMatrixLayoutSetAttribute(layout_a, static_cast<cublasLtMatrixLayoutAttribute_t>(99), &value, 8),
            CUBLAS_STATUS_INVALID_VALUE);
}

}  // namespace
}  // namespace nvmlkit::library_test
