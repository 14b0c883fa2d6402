// Updates by two matrices, diagonals, bands and packed triangles.
#include <cmath>

#include "cublas_support.hpp"

namespace nvmlkit::library_test {
namespace {

class Updates : public CublasTest {};

TEST_F(Updates, ByTwoMatrices) {
  constexpr int kSize = 6, kDepth = 4;
  const auto a = numbers_of<double>(random, kSize * kDepth), b = numbers_of<double>(random, kSize * kDepth);
  const auto c = numbers_of<double>(random, kSize * kSize);
  const double alpha = 2, beta = 0.5;
  OnDevice<double> da(a), db(b), dc(c);
  ASSERT_EQ(lib.cublasDsyr2k_v2(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, kSize, kDepth, &alpha, da.data(), kSize,
                                db.data(), kSize, &beta, dc.data(), kSize),
            CUBLAS_STATUS_SUCCESS);
  const auto result = dc.get();
  for (int j = 0; j < kSize; ++j)
    for (int i = 0; i < kSize; ++i) {
      const auto at = static_cast<std::size_t>(i + j * kSize);
      double sum = 0;
      for (int l = 0; l < kDepth; ++l) {
        const auto p = static_cast<std::size_t>(i + l * kSize), q = static_cast<std::size_t>(j + l * kSize);
        sum += a[p] * b[q] + b[p] * a[q];
      }
      EXPECT_NEAR(result[at], i >= j ? alpha * sum + beta * c[at] : c[at], 1e-12);
    }
}

TEST_F(Updates, ByADiagonal) {
  constexpr int kRows = 5, kColumns = 7;
  const auto a = numbers_of<float>(random, kRows * kColumns), x = numbers_of<float>(random, kColumns);
  OnDevice<float> da(a), dx(x), dc(a);
  for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
    ASSERT_EQ(lib.cublasSdgmm(handle, side, kRows, kColumns, da.data(), kRows, dx.data(), 1, dc.data(), kRows),
              CUBLAS_STATUS_SUCCESS);
    const auto result = dc.get();
    for (std::size_t i = 0; i < result.size(); ++i)
      EXPECT_EQ(result[i], a[i] * x[side == CUBLAS_SIDE_LEFT ? i % kRows : i / kRows]);
  }
}

TEST_F(Updates, OfABand) {
  constexpr int kSize = 8, kLower = 2, kUpper = 1, kLd = kLower + kUpper + 1;
  const auto a = numbers_of<double>(random, kLd * kSize), x = numbers_of<double>(random, kSize);
  const double one = 1, zero = 0;
  OnDevice<double> da(a), dx(x), dy(std::vector<double>(kSize, std::nan("")));
  ASSERT_EQ(lib.cublasDgbmv_v2(handle, CUBLAS_OP_N, kSize, kSize, kLower, kUpper, &one, da.data(), kLd, dx.data(), 1,
                               &zero, dy.data(), 1),
            CUBLAS_STATUS_SUCCESS);
  const auto result = dy.get();
  for (int i = 0; i < kSize; ++i) {
    double sum = 0;
    for (int j = std::max(0, i - kLower); j <= std::min(kSize - 1, i + kUpper); ++j)
      sum += a[static_cast<std::size_t>(kUpper + i - j + j * kLd)] * x[static_cast<std::size_t>(j)];
    EXPECT_NEAR(result[static_cast<std::size_t>(i)], sum, 1e-12);
  }
}

// What a triangle multiplies, it solves: as a band and packed.
TEST_F(Updates, TrianglesUndoTheirProducts) {
  constexpr int kSize = 9, kBand = 2;
  auto a = numbers_of<double>(random, kSize * (kSize + 1));
  for (auto& v : a) v += 3;
  const auto x = numbers_of<double>(random, kSize);
  for (const auto t : {CUBLAS_OP_N, CUBLAS_OP_T}) {
    OnDevice<double> da(a), dx(x);
    constexpr auto kUplo = CUBLAS_FILL_MODE_LOWER;
    constexpr auto kDiag = CUBLAS_DIAG_NON_UNIT;
    ASSERT_EQ(lib.cublasDtbmv_v2(handle, kUplo, t, kDiag, kSize, kBand, da.data(), kBand + 1, dx.data(), 1),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_NE(dx.get(), x);
    ASSERT_EQ(lib.cublasDtbsv_v2(handle, kUplo, t, kDiag, kSize, kBand, da.data(), kBand + 1, dx.data(), 1),
              CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(lib.cublasDtpmv_v2(handle, kUplo, t, kDiag, kSize, da.data(), dx.data(), 1), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(lib.cublasDtpsv_v2(handle, kUplo, t, kDiag, kSize, da.data(), dx.data(), 1), CUBLAS_STATUS_SUCCESS);
    const auto result = dx.get();
    for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(result[i], x[i], 1e-8);
  }
}

// Of complex float and of complex int8: the second product is that of the same numbers.
TEST_F(Updates, OfNarrowComplexNumbers) {
  constexpr int kSize = 6, kDepth = 4, kLd = 8;
  std::vector<std::int8_t> narrow(2 * kLd * kLd);
  for (auto& v : narrow) v = static_cast<std::int8_t>(random.below(21) - 10);
  std::vector<Complex> same;
  for (std::size_t k = 0; k < narrow.size(); k += 2) same.emplace_back(narrow[k], narrow[k + 1]);
  const auto c = numbers_of<Complex>(random, kLd * kSize);
  const Complex alpha{2, 1}, beta{0.5, -1};
  const float real_alpha = 2, real_beta = 0.5;
  OnDevice<std::int8_t> dn(narrow);
  OnDevice<Complex> da(same), dc(c), wanted(c);
  const auto both = [&](const char* name, auto update, auto expected) {
    for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
      for (const bool is_narrow : {false, true}) {
        dc.set(c), wanted.set(c);
        ASSERT_EQ(expected(uplo), CUBLAS_STATUS_SUCCESS) << name;
        ASSERT_EQ(is_narrow ? update(uplo, static_cast<const void*>(dn.data()), CUDA_C_8I, CUDA_C_32F)
                            : update(uplo, static_cast<const void*>(da.data()), CUDA_C_32F, CUDA_C_32F),
                  CUBLAS_STATUS_SUCCESS)
            << name;
        EXPECT_EQ(dc.get(), wanted.get()) << name << " " << is_narrow;
        EXPECT_NE(dc.get(), c) << name;
      }
    EXPECT_EQ(update(CUBLAS_FILL_MODE_LOWER, da.data(), CUDA_R_32F, CUDA_C_32F), CUBLAS_STATUS_NOT_SUPPORTED) << name;
    EXPECT_EQ(update(CUBLAS_FILL_MODE_LOWER, da.data(), CUDA_C_32F, CUDA_C_64F), CUBLAS_STATUS_NOT_SUPPORTED) << name;
  };
  const auto syrk = [&](cublasFillMode_t uplo) {
    return lib.cublasCsyrk_v2(handle, uplo, CUBLAS_OP_T, kSize, kDepth, &alpha, da.data(), kLd, &beta, wanted.data(),
                              kLd);
  };
  const auto herk = [&](cublasFillMode_t uplo) {
    return lib.cublasCherk_v2(handle, uplo, CUBLAS_OP_N, kSize, kDepth, &real_alpha, da.data(), kLd, &real_beta,
                              wanted.data(), kLd);
  };
  const auto syrk_by = [&](auto function) {
    return [&, function](cublasFillMode_t uplo, const void* a, cudaDataType type, cudaDataType out) {
      return function(handle, uplo, CUBLAS_OP_T, kSize, kDepth, &alpha, a, type, kLd, &beta, dc.data(), out, kLd);
    };
  };
  const auto herk_by = [&](auto function) {
    return [&, function](cublasFillMode_t uplo, const void* a, cudaDataType type, cudaDataType out) {
      return function(handle, uplo, CUBLAS_OP_N, kSize, kDepth, &real_alpha, a, type, kLd, &real_beta, dc.data(), out,
                      kLd);
    };
  };
  both("CsyrkEx", syrk_by(lib.cublasCsyrkEx), syrk);
  both("Csyrk3mEx", syrk_by(lib.cublasCsyrk3mEx), syrk);
  both("CherkEx", herk_by(lib.cublasCherkEx), herk);
  both("Cherk3mEx", herk_by(lib.cublasCherk3mEx), herk);
}

}  // namespace
}  // namespace nvmlkit::library_test
