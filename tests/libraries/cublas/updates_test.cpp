// Updates of narrow complex numbers.
#include "cublas_support.hpp"

namespace nvmlkit::library_test {
namespace {

class Updates : public CublasTest {};

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
