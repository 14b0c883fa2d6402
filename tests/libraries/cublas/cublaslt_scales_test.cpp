// libcublasLt: products of matrices with scales of rows and blocks, against sums in double precision.
#include "cublaslt_scales.hpp"

namespace nvmlkit::library_test {
namespace {

class CublasLtScales : public ScalesTest {
 protected:
  // Of floats: alpha * A * B + beta * C.
  void check_wide(cudaDataType type_a, cublasLtMatmulMatrixScale_t mode_a, cudaDataType type_b,
                  cublasLtMatmulMatrixScale_t mode_b);
  void check_narrow(cudaDataType type, cublasLtMatmulMatrixScale_t mode, double largest);
};

// The numbers of both matrices, and sums of their products.
class Products {
 public:
  Products(const Scaled& a, const Scaled& b) : k_(a.k), a_(numbers(a)), b_(numbers(b)) {}
  double operator()(std::int64_t i, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t k = 0; k < k_; ++k) sum += of(a_, k, i) * of(b_, k, j);
    return sum;
  }
  // What a sum in float may be off.
  double slack(std::int64_t i, std::int64_t j) const {
    double sum = 1e-6;
    for (std::int64_t k = 0; k < k_; ++k) sum += std::abs(of(a_, k, i) * of(b_, k, j));
    return 1e-6 * sum;
  }

 private:
  static std::vector<double> numbers(const Scaled& from) {
    std::vector<double> out;
    for (std::int64_t j = 0; j < from.lines; ++j)
      for (std::int64_t i = 0; i < from.k; ++i) out.push_back(from(i, j));
    return out;
  }
  double of(const std::vector<double>& all, std::int64_t k, std::int64_t line) const {
    return all[static_cast<std::size_t>(line * k_ + k)];
  }

  std::int64_t k_;
  std::vector<double> a_, b_;
};

void CublasLtScales::check_wide(cudaDataType type_a, cublasLtMatmulMatrixScale_t mode_a, cudaDataType type_b,
                                cublasLtMatmulMatrixScale_t mode_b) {
  const bool any_turn = mode_a == kOf32 && capability() < 120;
  for (int turn = 0; turn < 6; ++turn) {
    const auto m = 16 * (1 + random.below(10)), n = 16 * (1 + random.below(10)), k = 32 * (1 + random.below(10));
    const bool across_a = any_turn && random.below(2), across_b = any_turn && random.below(2);
    const auto gap = 32 * random.below(2);
    const auto count = 1 + random.below(3);
    std::vector<Scaled> a, b;
    for (std::int64_t q = 0; q < count; ++q) {
      a.emplace_back(random, type_a, mode_a, k, m, gap, across_a);
      b.emplace_back(random, type_b, mode_b, k, n, gap, across_b);
    }
    const Placed on_a(a), on_b(b);
    std::vector<float> c(static_cast<std::size_t>(count * m * n));
    for (float& x : c) x = static_cast<float>(random.number());
    const OnDevice<float> on_c(c), on_d(c), scale_c({0.25f});
    MatrixLayout* result = nullptr;
    lib.cublasLtMatrixLayoutCreate(&result, CUDA_R_32F, std::uint64_t(m), std::uint64_t(n), m);
    const auto batch = static_cast<std::int32_t>(count);
    const std::int64_t stride = m * n;
    lib.cublasLtMatrixLayoutSetAttribute(result, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    lib.cublasLtMatrixLayoutSetAttribute(result, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
    set_inputs(on_a, mode_a, on_b, mode_b);
    set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{!across_a});
    set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{across_b});
    set(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, static_cast<const void*>(scale_c.data()));
    const float alpha = 0.5f, beta = turn % 2 ? 0.0f : 8.0f;
    ASSERT_EQ(
        lib.cublasLtMatmul(handle, description, &alpha, on_a.bytes.data(), on_a.layout, on_b.bytes.data(), on_b.layout,
                           &beta, on_c.data(), result, on_d.data(), result, nullptr, nullptr, 0, nullptr),
        CUBLAS_STATUS_SUCCESS);
    lib.cublasLtMatrixLayoutDestroy(result);
    const auto d = on_d.get();
    for (std::int64_t q = 0; q < count; ++q) {
      const Products product(a[static_cast<std::size_t>(q)], b[static_cast<std::size_t>(q)]);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
          const auto at = static_cast<std::size_t>(q * stride + j * m + i);
          const double expected = 0.5 * product(i, j) + static_cast<double>(0.25f * beta * c[at]);
          ASSERT_NEAR(d[at], expected, product.slack(i, j) + 1e-6 * std::abs(expected))
              << "turn " << turn << ", " << i << ", " << j;
        }
    }
  }
  set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{1});
  set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{0});
}

TEST_F(CublasLtScales, OfInputs) {
  int count = 0;
  for (const auto& pair : kPairs) {
    if (!has_mode(pair.mode_a)) continue;
    ++count;
    check_wide(pair.a, pair.mode_a, pair.b, pair.mode_b);
  }
  EXPECT_GT(count, 2);
}

// A narrow result with scales: each block has the scale that its largest number needs, and is near the product.
void CublasLtScales::check_narrow(cudaDataType type, cublasLtMatmulMatrixScale_t mode, double largest) {
  const std::int64_t m = 64, n = 1 + random.below(140), k = 96;
  const Scaled a(random, type, mode, k, m), b(random, type, mode, k, n);
  Scaled d(random, type, mode, m, n);
  const Placed on_a(a), on_b(b), on_d(d);
  const OnDevice<std::uint16_t> on_c(std::vector<std::uint16_t>(static_cast<std::size_t>(m * n)));
  MatrixLayout* of_c = nullptr;
  lib.cublasLtMatrixLayoutCreate(&of_c, CUDA_R_16BF, m, static_cast<std::uint64_t>(n), m);
  set_inputs(on_a, mode, on_b, mode);
  set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, mode);
  set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, on_d.scales);
  const OnDevice<float> of_all(std::vector<float>{0.25f});
  if (type == kE2) set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, static_cast<const void*>(of_all.data()));
  const double factor = type == kE2 ? 0.25 : 1;
  const float alpha = 0.01f, beta = 0;
  ASSERT_EQ(
      lib.cublasLtMatmul(handle, description, &alpha, on_a.bytes.data(), on_a.layout, on_b.bytes.data(), on_b.layout,
                         &beta, on_c.data(), of_c, on_d.bytes.data(), on_d.layout, nullptr, nullptr, 0, nullptr),
      CUBLAS_STATUS_SUCCESS);
  lib.cublasLtMatrixLayoutDestroy(of_c);
  d.bytes = on_d.bytes.get();
  d.small_scales = on_d.small_scales.get();
  const auto block = mode == kOf32 ? 32 : 16;
  const Products product(a, b);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t first = 0; first < m; first += block) {
      double most = 0;
      const auto expected = [&](std::int64_t i) { return factor * 0.01 * product(i, j); };
      for (auto i = first; i < first + block; ++i) most = std::max(most, std::abs(expected(i)));
      const double scale = d.scale(first, j), wanted = most / largest;
      // A power of two that is not less; or the nearest number, if it is one.
      if (mode == kOf32) {
        EXPECT_TRUE(scale >= wanted * 0.9999 && scale < 2 * wanted * 1.0001) << scale << " for " << wanted;
      } else if (wanted < 448 && wanted > 1.0 / 64) {
        EXPECT_LE(std::abs(scale - wanted), wanted / 15) << scale << " for " << wanted;
      }
      const double step = type == kE2 ? 1 : largest / 28;  // half of the largest one, in multiples of the scale
      for (auto i = first; i < first + block; ++i)
        EXPECT_NEAR(d(i, j), wanted < 448 ? expected(i) : d(i, j), 1.1 * step * scale) << i << ", " << j;
    }
}

TEST_F(CublasLtScales, OfResults) {
  if (capability() < 100) GTEST_SKIP() << "a GPU without such scales";
  check_narrow(kE4, kOf32, 448);
  check_narrow(kE2, kOf16, 6);
}

// The numbers of a block are exact if they are multiples of a power of two.
TEST_F(CublasLtScales, OfOneBlock) {
  if (capability() < 100) GTEST_SKIP() << "a GPU without such scales";
  Scaled a(random, kE2, kOf16, 32, 32), b(random, kE2, kOf16, 32, 1);
  std::fill(a.small_scales.begin(), a.small_scales.end(), std::uint8_t{0x38});  // 1
  std::fill(b.small_scales.begin(), b.small_scales.end(), std::uint8_t{0x38});
  std::fill(a.bytes.begin(), a.bytes.end(), std::uint8_t{0});
  std::fill(b.bytes.begin(), b.bytes.end(), std::uint8_t{0});
  const auto put = [](Scaled& to, std::int64_t i, std::int64_t j, unsigned bits) {
    const auto at = static_cast<std::size_t>(j * to.ld + i);
    to.bytes[at / 2] = static_cast<std::uint8_t>(to.bytes[at / 2] | bits << (at % 2 * 4));
  };
  put(b, 0, 0, 2);                                                               // 1
  for (std::int64_t i = 0; i < 16; ++i) put(a, 0, i, static_cast<unsigned>(i));  // each number of 4 bits
  const Scaled d(random, kE2, kOf16, 32, 1);
  const Placed on_a(a), on_b(b), on_d(d);
  const OnDevice<std::uint16_t> on_c(std::vector<std::uint16_t>(32));
  MatrixLayout* of_c = nullptr;
  lib.cublasLtMatrixLayoutCreate(&of_c, CUDA_R_16F, 32, 1, 32);
  set_inputs(on_a, kOf16, on_b, kOf16);
  set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, kOf16);
  set(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, on_d.scales);
  const float alpha = 1, beta = 0;
  ASSERT_EQ(
      lib.cublasLtMatmul(handle, description, &alpha, on_a.bytes.data(), on_a.layout, on_b.bytes.data(), on_b.layout,
                         &beta, on_c.data(), of_c, on_d.bytes.data(), on_d.layout, nullptr, nullptr, 0, nullptr),
      CUBLAS_STATUS_SUCCESS);
  lib.cublasLtMatrixLayoutDestroy(of_c);
  EXPECT_EQ(on_d.small_scales.get()[0], 0x38) << "6, the largest, divided by 6";
  EXPECT_EQ(on_d.small_scales.get()[1], 0) << "of a block of zeros";
  const auto bytes = on_d.bytes.get();
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(bytes[i / 2] >> (i % 2 * 4) & 15u, i == 8 ? 0u : i) << "sums have no -0";
}

}  // namespace
}  // namespace nvmlkit::library_test
