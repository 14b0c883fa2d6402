// Products of matrices over random shapes, against sums in double precision.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cublas_support.hpp"

namespace nvmlkit::library_test {
namespace {

struct Shape {
  cublasOperation_t ta, tb;
  int m, n, k, lda, ldb, ldc, count;
  long long sa, sb, sc;
};

Shape shape_of(Random& random, bool strided) {
  Shape s{};
  s.ta = static_cast<cublasOperation_t>(random.below(3));
  s.tb = static_cast<cublasOperation_t>(random.below(3));
  const auto size = [&] { return static_cast<int>(1 + random.below(40)); };
  s.m = size(), s.n = size(), s.k = size();
  s.lda = (s.ta == CUBLAS_OP_N ? s.m : s.k) + static_cast<int>(random.below(4));
  s.ldb = (s.tb == CUBLAS_OP_N ? s.k : s.n) + static_cast<int>(random.below(4));
  s.ldc = s.m + static_cast<int>(random.below(4));
  s.count = strided ? static_cast<int>(1 + random.below(4)) : 1;
  s.sa = static_cast<long long>(s.lda) * (s.ta == CUBLAS_OP_N ? s.k : s.m) + random.below(5);
  s.sb = static_cast<long long>(s.ldb) * (s.tb == CUBLAS_OP_N ? s.n : s.k) + random.below(5);
  s.sc = static_cast<long long>(s.ldc) * s.n + random.below(5);
  return s;
}

// The largest error, in units of what the sums are made of. Numbers between the columns stay.
template <class A, class C>
double error_of(const Shape& s, DoubleComplex alpha, DoubleComplex beta, const std::vector<A>& a,
                const std::vector<A>& b, const std::vector<C>& before, const std::vector<C>& after) {
  double worst = 0;
  for (int q = 0; q < s.count; ++q)
    for (int j = 0; j < s.n; ++j)
      for (int i = 0; i < s.ldc; ++i) {
        const auto at = static_cast<std::size_t>(q * s.sc + i + static_cast<long long>(j) * s.ldc);
        if (i >= s.m) {
          if (at < after.size()) worst = std::max(worst, wide(after[at]) == wide(before[at]) ? 0.0 : 1e9);
          continue;
        }
        DoubleComplex sum;
        for (int l = 0; l < s.k; ++l)
          sum += element(a, s.ta, s.lda, i, l, q * s.sa) * element(b, s.tb, s.ldb, l, j, q * s.sb);
        const auto expected = alpha * sum + (beta == DoubleComplex{} ? DoubleComplex{} : beta * wide(before[at]));
        worst = std::max(worst, std::abs(wide(after[at]) - expected) / (1 + std::abs(expected)));
      }
  return worst;
}

class Products : public CublasTest {
 protected:
  template <class T, class Gemm>
  void check(Gemm gemm, double tolerance) {
    for (int round = 0; round < 60; ++round) {
      const auto s = shape_of(random, true);
      const auto a = numbers_of<T>(random, s.sa * s.count), b = numbers_of<T>(random, s.sb * s.count);
      const auto c = numbers_of<T>(random, s.sc * s.count);
      const T alpha = number_of<T>(random), beta = round % 3 == 0 ? T{} : number_of<T>(random);
      OnDevice<T> da(a), db(b), dc(c);
      ASSERT_EQ(gemm(handle, s.ta, s.tb, s.m, s.n, s.k, &alpha, da.data(), s.lda, s.sa, db.data(), s.ldb, s.sb, &beta,
                     dc.data(), s.ldc, s.sc, s.count),
                CUBLAS_STATUS_SUCCESS);
      ASSERT_LT(error_of(s, wide(alpha), wide(beta), a, b, c, dc.get()), tolerance)
          << s.m << " x " << s.n << " x " << s.k << ", " << s.ta << s.tb;
    }
  }

  // cublasGemmStridedBatchedEx with inputs of A, results of C and scalars of S.
  template <class A, class C, class S>
  void check_mixed(cudaDataType type_a, cudaDataType type_c, cublasComputeType_t compute, double tolerance) {
    for (int round = 0; round < 30; ++round) {
      const auto s = shape_of(random, true);
      const auto a = numbers_of<A>(random, s.sa * s.count), b = numbers_of<A>(random, s.sb * s.count);
      const auto c = numbers_of<C>(random, s.sc * s.count);
      const S alpha = number_of<S>(random), beta = round % 3 == 0 ? S{} : number_of<S>(random);
      OnDevice<A> da(a), db(b);
      OnDevice<C> dc(c);
      ASSERT_EQ(lib.cublasGemmStridedBatchedEx(handle, s.ta, s.tb, s.m, s.n, s.k, &alpha, da.data(), type_a, s.lda,
                                               s.sa, db.data(), type_a, s.ldb, s.sb, &beta, dc.data(), type_c, s.ldc,
                                               s.sc, s.count, compute, CUBLAS_GEMM_DEFAULT),
                CUBLAS_STATUS_SUCCESS);
      ASSERT_LT(error_of(s, wide(alpha), wide(beta), a, b, c, dc.get()), tolerance);
    }
  }
};

TEST_F(Products, OfFloat) { check<float>(lib.cublasSgemmStridedBatched, 1e-5); }
TEST_F(Products, OfDouble) { check<double>(lib.cublasDgemmStridedBatched, 1e-13); }
TEST_F(Products, OfComplex) { check<Complex>(lib.cublasCgemmStridedBatched, 2e-5); }
TEST_F(Products, OfDoubleComplex) { check<DoubleComplex>(lib.cublasZgemmStridedBatched, 1e-13); }
TEST_F(Products, OfHalf) { check<Half>(lib.cublasHgemmStridedBatched, 2e-3); }
TEST_F(Products, OfMixedTypes) {
  check_mixed<Half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5);
  check_mixed<Half, Half, float>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2e-3);
  check_mixed<Bfloat16, Bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2e-2);
  check_mixed<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 2e-2);
}

// Exact, also where the sum of a float would not be.
TEST_F(Products, OfIntegersAreExact) {
  constexpr int kSize = 5, kDepth = 5000;
  std::vector<std::int8_t> a(kSize * kDepth), b(kSize * kDepth);
  for (auto* const list : {&a, &b})
    for (auto& v : *list) v = static_cast<std::int8_t>(100 + random.below(28));
  OnDevice<std::int8_t> da(a), db(b);
  OnDevice<std::int32_t> dc(std::vector<std::int32_t>(kSize * kSize));
  const std::int32_t one = 1, zero = 0;
  ASSERT_EQ(lib.cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, kSize, kSize, kDepth, &one, da.data(), CUDA_R_8I, kDepth,
                             db.data(), CUDA_R_8I, kDepth, &zero, dc.data(), CUDA_R_32I, kSize, CUBLAS_COMPUTE_32I,
                             CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  const auto c = dc.get();
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      std::int32_t sum = 0;
      for (int l = 0; l < kDepth; ++l)
        sum += a[static_cast<std::size_t>(i * kDepth + l)] * b[static_cast<std::size_t>(j * kDepth + l)];
      EXPECT_EQ(c[static_cast<std::size_t>(i + j * kSize)], sum);
    }
}

// TF32 rounds inputs to 10 bits of fraction: 1 + 2^-11 is 1, to even. NVIDIA_TF32_OVERRIDE=0 forbids it.
TEST_F(Products, Tf32RoundsInputs) {
  const float one = 1, zero = 0, odd = 1 + 1.0f / 2048;
  OnDevice<float> a({odd}), c({0});
  const auto gemm = [&] {
    lib.cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.data(), 1, a.data(), 1, &zero, c.data(), 1);
    return c.get()[0];
  };
  EXPECT_EQ(gemm(), odd * odd);
  lib.cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
  EXPECT_EQ(gemm(), std::getenv("NVIDIA_TF32_OVERRIDE") ? odd * odd : 1.0f);
}

// The inverse of a singular matrix of a batch has no finite numbers, and its state names the pivot.
TEST_F(Products, TheInverseOfASingularMatrixIsNotFinite) {
  constexpr int kSize = 2;
  OnDevice<double> a({2, 0, 0, 4, 1, 2, 2, 4, 0, 0, 0, 0}), c(std::vector<double>(12, -7));
  OnDevice<double*> all_a({a.data(), a.data() + 4, a.data() + 8}), all_c({c.data(), c.data() + 4, c.data() + 8});
  OnDevice<int> pivots(std::vector<int>(6)), states(std::vector<int>(3, -7));
  ASSERT_EQ(lib.cublasDgetrfBatched(handle, kSize, all_a.data(), kSize, pivots.data(), states.data(), 3),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(
      lib.cublasDgetriBatched(handle, kSize, all_a.data(), kSize, pivots.data(), all_c.data(), kSize, states.data(), 3),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(states.get(), (std::vector<int>{0, 2, 1}));
  const auto found = c.get();
  EXPECT_EQ(std::vector<double>(found.begin(), found.begin() + 4), (std::vector<double>{0.5, 0, 0, 0.25}));
  for (std::size_t i = 4; i < found.size(); ++i) EXPECT_FALSE(std::isfinite(found[i])) << i;
}

// As BLAS has it: nothing is added.
TEST_F(Products, ZeroTimesNanAddsNothing) {
  const std::vector<double> numbers = {1, 2, 3};
  OnDevice<double> nan(std::vector<double>(3, std::nan(""))), y(numbers), zero({0});
  ASSERT_EQ(lib.cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasDaxpy_v2(handle, 3, zero.data(), nan.data(), 1, y.data(), 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(y.get(), numbers);
  EXPECT_EQ(lib.cublasAxpyEx(handle, 3, zero.data(), CUDA_R_64F, nan.data(), CUDA_R_64F, 1, y.data(), CUDA_R_64F, 1,
                             CUDA_R_64F),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(y.get(), numbers);
  zero.set({1});
  EXPECT_EQ(lib.cublasDaxpy_v2(handle, 3, zero.data(), nan.data(), 1, y.data(), 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(std::isnan(y.get()[0]));
}

}  // namespace
}  // namespace nvmlkit::library_test
