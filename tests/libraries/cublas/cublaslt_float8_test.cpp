// libcublasLt: products of 8-bit floats, against sums in double precision.
#include "cublaslt_scales.hpp"

namespace nvmlkit::library_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

float wide_of_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
std::uint16_t bfloat(double value) {  // of few bits: exact
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

// A matrix of bytes in columns.
struct Matrix {
  cudaDataType type;
  std::int64_t rows, columns, ld;
  Bytes bytes;
  MatrixLayout* layout = nullptr;

  Matrix(Random& random, cudaDataType t, std::int64_t m, std::int64_t n)
      : type(t), rows(m), columns(n), ld(up(m, 16) + 16 * random.below(2)) {
    for (std::int64_t i = 0; i < ld * n; ++i) bytes.push_back(static_cast<std::uint8_t>(any_bits(random, type)));
    lt_library().cublasLtMatrixLayoutCreate(&layout, type, std::uint64_t(m), std::uint64_t(n), ld);
  }
  ~Matrix() { lt_library().cublasLtMatrixLayoutDestroy(layout); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  double operator()(std::int64_t i, std::int64_t j) const {
    return value_of(type, bytes[static_cast<std::size_t>(i + j * ld)]);
  }
};

class CublasLtFloat8 : public ScalesTest {
 protected:
  void check(cudaDataType type_a, cudaDataType type_b, cudaDataType type_d);
  void set_scale(cublasLtMatmulDescAttributes_t which, const OnDevice<float>& scale) {
    set(which, static_cast<const void*>(scale.data()));
  }
};

// D = relu(alpha * scales * A * B + beta * C + bias) * scale; the largest number before the scale.
void CublasLtFloat8::check(cudaDataType type_a, cudaDataType type_b, cudaDataType type_d) {
  for (int turn = 0; turn < 12; ++turn) {
    const auto m = 16 * (1 + random.below(3)), n = 16 * (1 + random.below(3)), k = 16 * (1 + random.below(4));
    const bool any_turn = capability() >= 100 && capability() < 120;
    const bool turns_a = !any_turn || random.below(2), turns_b = any_turn && random.below(2);
    const Matrix a(random, type_a, turns_a ? k : m, turns_a ? m : k),
        b(random, type_b, turns_b ? n : k, turns_b ? k : n), d(random, type_d, m, n);
    std::vector<std::uint16_t> c, bias;
    for (std::int64_t i = 0; i < m * n; ++i) c.push_back(bfloat(static_cast<double>(random.below(64)) - 32));
    for (std::int64_t i = 0; i < m; ++i) bias.push_back(bfloat(static_cast<double>(random.below(64)) - 32));
    const OnDevice<std::uint8_t> on_a(a.bytes), on_b(b.bytes), on_d(d.bytes);
    const OnDevice<std::uint16_t> on_c(c), on_bias(bias);
    const OnDevice<float> scale_a({0.5f}), scale_b({0.25f}), scale_c({0.5f}), scale_d({2.0f}), amax({-1.0f});
    MatrixLayout* of_c = nullptr;
    lib.cublasLtMatrixLayoutCreate(&of_c, CUDA_R_16BF, std::uint64_t(m), std::uint64_t(n), m);
    set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{turns_a});
    set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{turns_b});
    set_scale(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale_a);
    set_scale(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale_b);
    set_scale(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, scale_c);
    set_scale(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scale_d);
    set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, static_cast<void*>(amax.data()));
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(on_bias.data()));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_RELU_BIAS));
    const float alpha = 0.125f, beta = turn % 2 ? 1.0f : 0.0f;
    ASSERT_EQ(lib.cublasLtMatmul(handle, description, &alpha, on_a.data(), a.layout, on_b.data(), b.layout, &beta,
                                 on_c.data(), of_c, on_d.data(), d.layout, nullptr, nullptr, 0, nullptr),
              CUBLAS_STATUS_SUCCESS);
    lib.cublasLtMatrixLayoutDestroy(of_c);
    const auto found = on_d.get();
    const double largest = type_d == kE4 ? 448 : 57344;
    double most = 0;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        double sum = 0, size = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          const double term = (turns_a ? a(l, i) : a(i, l)) * (turns_b ? b(j, l) : b(l, j)) / 64;
          sum += term;
          size += std::abs(term);
        }
        sum += static_cast<double>(0.5f * beta * wide_of_bfloat(c[static_cast<std::size_t>(i + j * m)])) +
               static_cast<double>(wide_of_bfloat(bias[static_cast<std::size_t>(i)]));
        sum = std::max(sum, 0.0);
        most = std::max(most, sum);
        const double expected = std::min(2 * sum, largest),
                     is = value_of(type_d, found[static_cast<std::size_t>(i + j * d.ld)]);
        ASSERT_LE(std::abs(is - expected), expected / (type_d == kE4 ? 16 : 8) + 1e-6 * size + 0.001)
            << "turn " << turn;
      }
    EXPECT_NEAR(amax.get()[0], most, 1e-5 * (1 + most));
  }
}

TEST_F(CublasLtFloat8, Products) {
  check(kE4, kE4, kE4);
  check(kE4, kE5, kE5);
  check(kE5, kE4, kE4);
}

// What a description is refused for, beside one that is right.
TEST_F(CublasLtFloat8, Refused) {
  const auto layout = [&](cudaDataType type, std::int64_t ld = 32) {
    MatrixLayout* out = nullptr;
    lib.cublasLtMatrixLayoutCreate(&out, type, 32u, 32u, ld);
    return out;
  };
  const auto ask = [&](MatrixLayout* a, MatrixLayout* b, MatrixLayout* c, MatrixLayout* d) {
    HeuristicResult found{};
    int count = 0;
    const auto status = lib.cublasLtMatmulAlgoGetHeuristic(handle, description, a, b, c, d, nullptr, 1, &found, &count);
    for (auto* each : {a, b, c, d}) lib.cublasLtMatrixLayoutDestroy(each);
    return status;
  };
  const auto right = capability() >= 89 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
  const auto wrong = CUBLAS_STATUS_NOT_SUPPORTED;
  const auto kBfloat = CUDA_R_16BF, kFloat = CUDA_R_32F;
  EXPECT_EQ(ask(layout(kE4), layout(kE4), layout(kFloat), layout(kFloat)), right);
  EXPECT_EQ(ask(layout(kE4), layout(kE5), layout(kBfloat), layout(kE5)), right);
  EXPECT_EQ(ask(layout(kE4), layout(kE4), layout(kBfloat), layout(kE5)), wrong) << "a result of other bits";
  EXPECT_EQ(ask(layout(kE5), layout(kE5), layout(kBfloat), layout(kBfloat)), wrong);
  EXPECT_EQ(ask(layout(kE4), layout(kBfloat), layout(kBfloat), layout(kBfloat)), wrong);
  EXPECT_EQ(ask(layout(kBfloat), layout(kBfloat), layout(kBfloat), layout(kE4)), wrong);
  EXPECT_EQ(ask(layout(kE4), layout(kE4), layout(kFloat), layout(kBfloat)), wrong);
  EXPECT_EQ(ask(layout(kE4, 40), layout(kE4), layout(kFloat), layout(kFloat)), wrong) << "lines of 40 bytes";
  const OnDevice<float> scale({1.0f});
  set_scale(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scale);
  EXPECT_EQ(ask(layout(kE4), layout(kE4), layout(kBfloat), layout(kE4)), right);
  const auto invalid = capability() >= 89 ? CUBLAS_STATUS_INVALID_VALUE : wrong;
  EXPECT_EQ(ask(layout(kE4), layout(kE4), layout(kFloat), layout(kFloat)), invalid) << "a scale of a wide result";
  set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, static_cast<const void*>(nullptr));
  set_scale(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, scale);
  EXPECT_EQ(ask(layout(kE4), layout(kE4), layout(kFloat), layout(kFloat)), right);
  EXPECT_EQ(ask(layout(kFloat), layout(kFloat), layout(kFloat), layout(kFloat)), CUBLAS_STATUS_INVALID_VALUE);
  set(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, static_cast<const void*>(nullptr));
  set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{0});
  EXPECT_EQ(ask(layout(kE4), layout(kE4), layout(kFloat), layout(kFloat)), capability() / 10 == 10 ? right : wrong);
}

}  // namespace
}  // namespace nvmlkit::library_test
