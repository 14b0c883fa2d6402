// Rotations that are made and applied, batches of matrices and vectors, groups of products.
#include <cmath>

#include "cublas_support.hpp"

namespace nvmlkit::library_test {
namespace {

class Rotations : public CublasTest {};

TEST_F(Rotations, TurnTheSecondNumberToZero) {
  for (int turn = 0; turn < 20; ++turn) {
    const double a = random.number(), b = random.number();
    double r = a, z = b, c = 0, s = 0;
    ASSERT_EQ(lib.cublasDrotg_v2(handle, &r, &z, &c, &s), CUBLAS_STATUS_SUCCESS);
    EXPECT_NEAR(c * a + s * b, r, 1e-15);
    EXPECT_NEAR(c * b - s * a, 0, 1e-15);
    EXPECT_EQ(std::signbit(r), std::signbit(std::abs(a) > std::abs(b) ? a : b));
    const DoubleComplex p = number_of<DoubleComplex>(random), q = number_of<DoubleComplex>(random);
    DoubleComplex u = p, v = q, sine;
    ASSERT_EQ(lib.cublasZrotg_v2(handle, &u, &v, &c, &sine), CUBLAS_STATUS_SUCCESS);
    EXPECT_NEAR(std::abs(c * p + sine * q - u), 0, 1e-15);
    EXPECT_NEAR(std::abs(c * q - std::conj(sine) * p), 0, 1e-15);
  }
}

// The modified rotation keeps d1 * x1^2 + d2 * y1^2, and leaves nothing of y1.
TEST_F(Rotations, ModifiedOnesDoSoWithScales) {
  for (int turn = 0; turn < 40; ++turn) {
    const double scale = turn % 4 == 0 ? 1e-9 : turn % 4 == 1 ? 1e9 : 1;
    const double d1 = std::abs(random.number()) * scale, d2 = std::abs(random.number()), x = random.number(),
                 y = random.number();
    double e1 = d1, e2 = d2, first = x, h[5] = {};
    ASSERT_EQ(lib.cublasDrotmg_v2(handle, &e1, &e2, &first, &y, h), CUBLAS_STATUS_SUCCESS);
    OnDevice<double> dx({x}), dy({y});
    ASSERT_EQ(lib.cublasDrotm_v2(handle, 1, dx.data(), 1, dy.data(), 1, h), CUBLAS_STATUS_SUCCESS);
    EXPECT_NEAR(dx.get()[0], first, 1e-12 * std::abs(first));
    EXPECT_NEAR(dy.get()[0], 0, 1e-12);
    const double whole = d1 * x * x + d2 * y * y;
    EXPECT_NEAR(e1 * first * first, whole, 1e-12 * whole);
  }
}

// Of any types: what they are made of, rounded, gives what they are.
TEST_F(Rotations, OfAnyTypes) {
  for (int turn = 0; turn < 20; ++turn) {
    const Half a = number_of<Half>(random), b = number_of<Half>(random);
    const double x = Half::wide(a), y = Half::wide(b);
    Half r = a, z = b;
    float c = 0, s = 0;
    ASSERT_EQ(lib.cublasRotgEx(handle, &r, &z, CUDA_R_16F, &c, &s, CUDA_R_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
    EXPECT_NEAR(static_cast<double>(c) * y - static_cast<double>(s) * x, 0, 1e-6);
    EXPECT_NEAR(std::abs(static_cast<double>(Half::wide(r))), std::hypot(x, y), 1e-3);
    const auto p = number_of<DoubleComplex>(random), q = number_of<DoubleComplex>(random);
    DoubleComplex u = p, v = q, cosine, sine;
    ASSERT_EQ(lib.cublasRotgEx(handle, &u, &v, CUDA_C_64F, &cosine, &sine, CUDA_C_64F, CUDA_C_64F),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_NEAR(std::abs(cosine * q - std::conj(sine) * p), 0, 1e-15);
    EXPECT_NEAR(std::abs(cosine * p + sine * q - u), 0, 1e-15);
    EXPECT_EQ(cosine.imag(), 0);
  }
  int number = 0;
  EXPECT_EQ(lib.cublasRotgEx(handle, &number, &number, CUDA_R_32F, &number, &number, CUDA_C_32F, CUDA_R_32F),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(lib.cublasRotgEx(handle, nullptr, &number, CUDA_R_32F, &number, &number, CUDA_R_32F, CUDA_R_32F),
            CUBLAS_STATUS_INVALID_VALUE);
}

// Modified ones in float, of vectors of 16 bits with steps; the numbers lie on the device.
TEST_F(Rotations, ModifiedOnesOfAnyTypes) {
  ASSERT_EQ(lib.cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  for (int turn = 0; turn < 20; ++turn) {
    const double d1 = std::abs(random.number()), d2 = std::abs(random.number()), x = random.number();
    const Bfloat16 y = number_of<Bfloat16>(random);
    OnDevice<double> on_d1({d1}), on_d2({d2});
    OnDevice<float> on_x({static_cast<float>(x)}), h(std::vector<float>(5));
    OnDevice<Bfloat16> on_y({y});
    ASSERT_EQ(lib.cublasRotmgEx(handle, on_d1.data(), CUDA_R_64F, on_d2.data(), CUDA_R_64F, on_x.data(), CUDA_R_32F,
                                on_y.data(), CUDA_R_16BF, h.data(), CUDA_R_32F, CUDA_R_32F),
              CUBLAS_STATUS_SUCCESS);
    constexpr int kCount = 3;
    std::vector<Half> left = numbers_of<Half>(random, kCount);
    std::vector<float> right = numbers_of<float>(random, 2 * kCount);
    left[1] = Half::of(x), right[2] = static_cast<float>(Bfloat16::wide(y));
    OnDevice<Half> first(left);
    OnDevice<float> second(right);
    ASSERT_EQ(lib.cublasRotmEx(handle, kCount, first.data(), CUDA_R_16F, 1, second.data(), CUDA_R_32F, 2, h.data(),
                               CUDA_R_32F, CUDA_R_32F),
              CUBLAS_STATUS_SUCCESS);
    const auto turned = second.get();
    EXPECT_NEAR(turned[2], 0, 2e-3 * std::max(1.0, std::abs(static_cast<double>(h.get()[2]))));
    EXPECT_NEAR(Half::wide(first.get()[1]), on_x.get()[0], 4e-3 * std::max(1.0, std::abs(x)));
    for (const std::size_t gap : {1, 3, 5}) EXPECT_EQ(turned[gap], right[gap]);
    // As the function of floats does it.
    std::vector<float> wide;
    for (const Half value : left) wide.push_back(static_cast<float>(Half::wide(value)));
    OnDevice<float> plain(wide), beside(right);
    ASSERT_EQ(lib.cublasSrotm_v2(handle, kCount, plain.data(), 1, beside.data(), 2, h.data()), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(turned, beside.get());
  }
  ASSERT_EQ(lib.cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Rotations, BatchesOfAMatrixAndAVector) {
  constexpr int kRows = 5, kColumns = 4, kCount = 3;
  const auto a = numbers_of<Half>(random, kRows * kColumns * kCount), x = numbers_of<Half>(random, kRows * kCount);
  const float alpha = 0.5f, beta = 0;
  OnDevice<Half> da(a), dx(x);
  OnDevice<float> dy(std::vector<float>(kColumns * kCount, std::nanf("")));
  ASSERT_EQ(
      lib.cublasHSSgemvStridedBatched(handle, CUBLAS_OP_T, kRows, kColumns, &alpha, da.data(), kRows, kRows * kColumns,
                                      dx.data(), 1, kRows, &beta, dy.data(), 1, kColumns, kCount),
      CUBLAS_STATUS_SUCCESS);
  const auto result = dy.get();
  std::vector<const double*> pointers;
  for (int k = 0; k < kCount; ++k)
    for (int j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int i = 0; i < kRows; ++i)
        sum += Half::wide(a[static_cast<std::size_t>(i + j * kRows + k * kRows * kColumns)]) *
               Half::wide(x[static_cast<std::size_t>(i + k * kRows)]);
      EXPECT_NEAR(result[static_cast<std::size_t>(j + k * kColumns)], 0.5 * sum, 1e-6);
    }
}

TEST_F(Rotations, GroupsOfProducts) {
  const int m[] = {3, 5}, n[] = {4, 2}, k[] = {2, 6}, sizes[] = {2, 1};
  const cublasOperation_t t[] = {CUBLAS_OP_N, CUBLAS_OP_N};
  const double alpha[] = {1, 2}, beta[] = {0, 0};
  std::vector<OnDevice<double>*> a, b, c;
  std::vector<const double*> at_a, at_b;
  std::vector<double*> at_c;
  for (const int group : {0, 0, 1}) {
    a.push_back(new OnDevice<double>(numbers_of<double>(random, m[group] * k[group])));
    b.push_back(new OnDevice<double>(numbers_of<double>(random, k[group] * n[group])));
    c.push_back(new OnDevice<double>(std::vector<double>(static_cast<std::size_t>(m[group] * n[group]))));
    at_a.push_back(a.back()->data()), at_b.push_back(b.back()->data()), at_c.push_back(c.back()->data());
  }
  OnDevice<const double*> da(at_a), db(at_b);
  OnDevice<double*> dc(at_c);
  ASSERT_EQ(lib.cublasDgemmGroupedBatched(handle, t, t, m, n, k, alpha, da.data(), m, db.data(), k, beta, dc.data(), m,
                                          2, sizes),
            CUBLAS_STATUS_SUCCESS);
  for (std::size_t which = 0; which < 3; ++which) {
    const std::size_t g = which == 2;
    const auto p = a[which]->get(), q = b[which]->get(), r = c[which]->get();
    for (int i = 0; i < m[g]; ++i)
      for (int j = 0; j < n[g]; ++j) {
        double sum = 0;
        for (int l = 0; l < k[g]; ++l)
          sum += p[static_cast<std::size_t>(i + l * m[g])] * q[static_cast<std::size_t>(l + j * k[g])];
        EXPECT_NEAR(r[static_cast<std::size_t>(i + j * m[g])], alpha[g] * sum, 1e-13);
      }
    delete a[which], delete b[which], delete c[which];
  }
}

// The interface of cublas.h: no handle, scalars and results by value, the first error kept.
TEST_F(Rotations, TheFirstInterface) {
  EXPECT_EQ(lib.cublasShutdown(), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(lib.cublasInit(), CUBLAS_STATUS_SUCCESS);
  const std::vector<Complex> x{{1, 2}, {3, -4}};
  OnDevice<Complex> dx(x);
  const std::vector<double> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  OnDevice<double> da(a), db(b), dc(std::vector<double>(4));
  lib.cublasDgemm('n', 'T', 2, 2, 2, 2.0, da.data(), 2, db.data(), 2, 0.0, dc.data(), 2);
  EXPECT_EQ(dc.get(), (std::vector<double>{52, 76, 60, 88}));
  EXPECT_EQ(lib.cublasDdot(4, da.data(), 1, db.data(), 1), 70);
  EXPECT_EQ(lib.cublasIcamax(2, dx.data(), 1), 2);
  EXPECT_EQ(lib.cublasCdotc(2, dx.data(), 1, dx.data(), 1), Complex(30, 0));
  lib.cublasCsscal(2, 2.0f, dx.data(), 1);
  EXPECT_EQ(dx.get()[1], Complex(6, -8));
  EXPECT_EQ(lib.cublasGetError(), CUBLAS_STATUS_SUCCESS);
  lib.cublasDgemm('x', 'n', 2, 2, 2, 2.0, da.data(), 2, db.data(), 2, 0.0, dc.data(), 2);
  EXPECT_EQ(lib.cublasGetError(), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasGetError(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasShutdown(), CUBLAS_STATUS_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::library_test
