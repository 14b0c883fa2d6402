// The functions of cublas.h, with letters and scalars by value, against those with a handle.
#include <array>
#include <cstdio>

#include "cublas_support.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
using RealOf = decltype(std::abs(T{}));

template <class T, class S, class D, class C, class Z>
auto of_type(S s, D d, C c, Z z) {
  if constexpr (std::is_same_v<T, float>)
    return s;
  else if constexpr (std::is_same_v<T, double>)
    return d;
  else if constexpr (std::is_same_v<T, Complex>)
    return c;
  else
    return z;
}
#define NVMLKIT_ANY(name) of_type<T>(lib.cublasS##name, lib.cublasD##name, lib.cublasC##name, lib.cublasZ##name)
#define NVMLKIT_REAL(name) of_type<T>(lib.cublasS##name, lib.cublasD##name, 0, 0)
#define NVMLKIT_COMPLEX(name) of_type<T>(0, 0, lib.cublasC##name, lib.cublasZ##name)

// Matrices and vectors of the device, the same ones before each call.
template <class T>
class FirstInterface : public CublasTest {
 protected:
  static constexpr int kN = 7, kBand = 2, kLd = 9;

  void SetUp() override {
    CublasTest::SetUp();
    ASSERT_EQ(lib.cublasInit(), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(lib.cublasShutdown(), CUBLAS_STATUS_SUCCESS);
    CublasTest::TearDown();
  }
  // What the call makes of c, x and y.
  template <class Call>
  std::vector<T> after(Call call) {
    c_.set(old_c_), x_.set(old_x_), y_.set(old_y_);
    call();
    std::vector<T> out;
    for (const auto* from : {&c_, &x_, &y_}) {
      const auto part = from->get();
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }
  template <class First, class Second>
  void same(const char* name, First first, Second second) {
    const auto got = after(first);
    EXPECT_EQ(lib.cublasGetError(), CUBLAS_STATUS_SUCCESS) << name;
    EXPECT_TRUE(got == after([&] { EXPECT_EQ(second(), CUBLAS_STATUS_SUCCESS) << name; })) << name;
    EXPECT_FALSE(got == after([] {})) << name << " changes nothing";
  }

  void of_all() {
    same(
        "gbmv", [&] { return NVMLKIT_ANY(gbmv)('t', kN, kN, 1, 2, alpha, a, kLd, x, 2, beta, y, 1); },
        [&] { return NVMLKIT_ANY(gbmv_v2)(handle, CUBLAS_OP_T, kN, kN, 1, 2, &alpha, a, kLd, x, 2, &beta, y, 1); });
    same(
        "trmv", [&] { return NVMLKIT_ANY(trmv)(uplo, 'N', 'u', kN, a, kLd, x, 2); },
        [&] { return NVMLKIT_ANY(trmv_v2)(handle, fill, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, kN, a, kLd, x, 2); });
    same(
        "tbmv", [&] { return NVMLKIT_ANY(tbmv)(uplo, 'c', 'N', kN, kBand, a, kLd, x, 1); },
        [&] { return NVMLKIT_ANY(tbmv_v2)(handle, fill, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, kN, kBand, a, kLd, x, 1); });
    same(
        "tbsv", [&] { return NVMLKIT_ANY(tbsv)(uplo, 'n', 'U', kN, kBand, a, kLd, x, 1); },
        [&] { return NVMLKIT_ANY(tbsv_v2)(handle, fill, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, kN, kBand, a, kLd, x, 1); });
    same(
        "tpmv", [&] { return NVMLKIT_ANY(tpmv)(uplo, 'T', 'N', kN, a, x, 1); },
        [&] { return NVMLKIT_ANY(tpmv_v2)(handle, fill, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, kN, a, x, 1); });
    same(
        "tpsv", [&] { return NVMLKIT_ANY(tpsv)(uplo, 'T', 'U', kN, a, x, 2); },
        [&] { return NVMLKIT_ANY(tpsv_v2)(handle, fill, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, kN, a, x, 2); });
    same(
        "syr2k", [&] { return NVMLKIT_ANY(syr2k)(uplo, 'T', kN, kBand, alpha, a, kLd, b, kLd, beta, c, kLd); },
        [&] {
          return NVMLKIT_ANY(syr2k_v2)(handle, fill, CUBLAS_OP_T, kN, kBand, &alpha, a, kLd, b, kLd, &beta, c, kLd);
        });
    same(
        "rot", [&] { return NVMLKIT_ANY(rot)(kN, x, 1, y, 2, real_alpha, beta); },
        [&] { return NVMLKIT_ANY(rot_v2)(handle, kN, x, 1, y, 2, &real_alpha, &beta); });
  }
  void of_reals() {
    same(
        "symv", [&] { return NVMLKIT_REAL(symv)(uplo, kN, alpha, a, kLd, x, 1, beta, y, 2); },
        [&] { return NVMLKIT_REAL(symv_v2)(handle, fill, kN, &alpha, a, kLd, x, 1, &beta, y, 2); });
    same(
        "sbmv", [&] { return NVMLKIT_REAL(sbmv)(uplo, kN, kBand, alpha, a, kLd, x, 1, beta, y, 2); },
        [&] { return NVMLKIT_REAL(sbmv_v2)(handle, fill, kN, kBand, &alpha, a, kLd, x, 1, &beta, y, 2); });
    same(
        "spmv", [&] { return NVMLKIT_REAL(spmv)(uplo, kN, alpha, a, x, 1, beta, y, 2); },
        [&] { return NVMLKIT_REAL(spmv_v2)(handle, fill, kN, &alpha, a, x, 1, &beta, y, 2); });
    same(
        "syr", [&] { return NVMLKIT_REAL(syr)(uplo, kN, alpha, x, 1, c, kLd); },
        [&] { return NVMLKIT_REAL(syr_v2)(handle, fill, kN, &alpha, x, 1, c, kLd); });
    same(
        "spr", [&] { return NVMLKIT_REAL(spr)(uplo, kN, alpha, x, 2, c); },
        [&] { return NVMLKIT_REAL(spr_v2)(handle, fill, kN, &alpha, x, 2, c); });
    same(
        "syr2", [&] { return NVMLKIT_REAL(syr2)(uplo, kN, alpha, x, 1, y, 2, c, kLd); },
        [&] { return NVMLKIT_REAL(syr2_v2)(handle, fill, kN, &alpha, x, 1, y, 2, c, kLd); });
    same(
        "spr2", [&] { return NVMLKIT_REAL(spr2)(uplo, kN, alpha, x, 1, y, 1, c); },
        [&] { return NVMLKIT_REAL(spr2_v2)(handle, fill, kN, &alpha, x, 1, y, 1, c); });
    std::array<T, 5> first{-1, 2, 3, 4, 5};
    same(
        "rotm", [&] { return NVMLKIT_REAL(rotm)(kN, x, 1, y, 2, first.data()); },
        [&] { return NVMLKIT_REAL(rotm_v2)(handle, kN, x, 1, y, 2, first.data()); });
    T d1 = 2, d2 = 3, x1 = 4, y1 = 5, e1 = 2, e2 = 3, z1 = 4;
    auto second = first;
    NVMLKIT_REAL(rotmg)(&d1, &d2, &x1, &y1, first.data());
    EXPECT_EQ(NVMLKIT_REAL(rotmg_v2)(handle, &e1, &e2, &z1, &y1, second.data()), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(first, second);
    EXPECT_EQ(x1, z1);
    T p = 3, q = 4, cosine = 0, sine = 0;
    NVMLKIT_REAL(rotg)(&p, &q, &cosine, &sine);
    EXPECT_EQ(p, 5);
    EXPECT_NEAR(static_cast<double>(sine), 0.8, 1e-6);
  }
  void of_complex_numbers() {
    same(
        "geru", [&] { return NVMLKIT_COMPLEX(geru)(kN, kN, alpha, x, 1, y, 2, c, kLd); },
        [&] { return NVMLKIT_COMPLEX(geru_v2)(handle, kN, kN, &alpha, x, 1, y, 2, c, kLd); });
    same(
        "gerc", [&] { return NVMLKIT_COMPLEX(gerc)(kN, kN, alpha, x, 1, y, 2, c, kLd); },
        [&] { return NVMLKIT_COMPLEX(gerc_v2)(handle, kN, kN, &alpha, x, 1, y, 2, c, kLd); });
    same(
        "hemv", [&] { return NVMLKIT_COMPLEX(hemv)(uplo, kN, alpha, a, kLd, x, 1, beta, y, 2); },
        [&] { return NVMLKIT_COMPLEX(hemv_v2)(handle, fill, kN, &alpha, a, kLd, x, 1, &beta, y, 2); });
    same(
        "hbmv", [&] { return NVMLKIT_COMPLEX(hbmv)(uplo, kN, kBand, alpha, a, kLd, x, 1, beta, y, 2); },
        [&] { return NVMLKIT_COMPLEX(hbmv_v2)(handle, fill, kN, kBand, &alpha, a, kLd, x, 1, &beta, y, 2); });
    same(
        "hpmv", [&] { return NVMLKIT_COMPLEX(hpmv)(uplo, kN, alpha, a, x, 1, beta, y, 2); },
        [&] { return NVMLKIT_COMPLEX(hpmv_v2)(handle, fill, kN, &alpha, a, x, 1, &beta, y, 2); });
    same(
        "her", [&] { return NVMLKIT_COMPLEX(her)(uplo, kN, real_alpha, x, 1, c, kLd); },
        [&] { return NVMLKIT_COMPLEX(her_v2)(handle, fill, kN, &real_alpha, x, 1, c, kLd); });
    same(
        "hpr", [&] { return NVMLKIT_COMPLEX(hpr)(uplo, kN, real_alpha, x, 1, c); },
        [&] { return NVMLKIT_COMPLEX(hpr_v2)(handle, fill, kN, &real_alpha, x, 1, c); });
    same(
        "her2", [&] { return NVMLKIT_COMPLEX(her2)(uplo, kN, alpha, x, 1, y, 2, c, kLd); },
        [&] { return NVMLKIT_COMPLEX(her2_v2)(handle, fill, kN, &alpha, x, 1, y, 2, c, kLd); });
    same(
        "hpr2", [&] { return NVMLKIT_COMPLEX(hpr2)(uplo, kN, alpha, x, 1, y, 2, c); },
        [&] { return NVMLKIT_COMPLEX(hpr2_v2)(handle, fill, kN, &alpha, x, 1, y, 2, c); });
    same(
        "hemm", [&] { return NVMLKIT_COMPLEX(hemm)('r', uplo, kN, kN, alpha, a, kLd, b, kLd, beta, c, kLd); },
        [&] {
          return NVMLKIT_COMPLEX(hemm_v2)(handle, CUBLAS_SIDE_RIGHT, fill, kN, kN, &alpha, a, kLd, b, kLd, &beta, c,
                                          kLd);
        });
    same(
        "herk", [&] { return NVMLKIT_COMPLEX(herk)(uplo, 'C', kN, kBand, real_alpha, a, kLd, real_beta, c, kLd); },
        [&] {
          return NVMLKIT_COMPLEX(herk_v2)(handle, fill, CUBLAS_OP_C, kN, kBand, &real_alpha, a, kLd, &real_beta, c,
                                          kLd);
        });
    same(
        "her2k", [&] { return NVMLKIT_COMPLEX(her2k)(uplo, 'N', kN, kBand, alpha, a, kLd, b, kLd, real_beta, c, kLd); },
        [&] {
          return NVMLKIT_COMPLEX(her2k_v2)(handle, fill, CUBLAS_OP_N, kN, kBand, &alpha, a, kLd, b, kLd, &real_beta, c,
                                           kLd);
        });
    T p{3, 1}, q{4, -2}, sine{}, r = p, t = q, other_sine{};
    RealOf<T> cosine = 0, other_cosine = 0;
    NVMLKIT_COMPLEX(rotg)(&p, q, &cosine, &sine);
    EXPECT_EQ(NVMLKIT_COMPLEX(rotg_v2)(handle, &r, &t, &other_cosine, &other_sine), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(p, r);
    EXPECT_EQ(cosine, other_cosine);
    EXPECT_EQ(sine, other_sine);
  }

  std::vector<T> some(std::int64_t count) {
    auto out = numbers_of<T>(random, count);
    for (std::size_t k = 0; k < out.size(); k += kLd + 1) out[k] += T(4);  // solves stay small
    return out;
  }
  // Before the memory below.
  const bool has_context_ = [] {
    need_context();
    return true;
  }();
  std::vector<T> old_c_ = some(kLd * kLd), old_x_ = some(2 * kN), old_y_ = some(2 * kN);
  OnDevice<T> a_{some(kLd * kLd)}, b_{some(kLd * kLd)}, c_{old_c_}, x_{old_x_}, y_{old_y_};
  T *const a = a_.data(), *const b = b_.data(), *const c = c_.data(), *const x = x_.data(), *const y = y_.data();
  const T alpha = number_of<T>(random), beta = number_of<T>(random);
  const RealOf<T> real_alpha = std::real(alpha), real_beta = std::real(beta);
  const bool is_upper = random.below(2) == 0;
  const char uplo = is_upper ? 'U' : 'l';
  const cublasFillMode_t fill = is_upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
};

using BlasScalars = testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(FirstInterface, BlasScalars);

TYPED_TEST(FirstInterface, IsTheSecondOneWithLettersAndValues) {
  this->of_all();
  if constexpr (std::is_floating_point_v<TypeParam>)
    this->of_reals();
  else
    this->of_complex_numbers();
}

TEST(FirstInterfaceCalls, MemoryVersionErrors) {
  const auto& lib = blas_library();
  need_context();
  // As NVIDIA's library answers without a GPU.
  EXPECT_EQ(lib.cublasShutdown(), CUBLAS_STATUS_SUCCESS);
  int version = 0;
  EXPECT_EQ(lib.cublasGetVersion(&version), CUBLAS_STATUS_SUCCESS);
  EXPECT_GE(version, 120000);
  EXPECT_EQ(lib.cublasGetVersion(nullptr), CUBLAS_STATUS_INVALID_VALUE);
  void* memory = &version;
  EXPECT_EQ(lib.cublasAlloc(0, 4, &memory), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(lib.cublasAlloc(4, -1, &memory), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(lib.cublasFree(nullptr), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(lib.cublasAlloc(100, 8, &memory), CUBLAS_STATUS_SUCCESS);
  const std::vector<double> numbers(100, 2);
  EXPECT_EQ(driver().cuMemcpyHtoD_v2(reinterpret_cast<cuda::CUdeviceptr>(memory), numbers.data(), 800),
            cuda::CUDA_SUCCESS);
  EXPECT_EQ(lib.cublasFree(memory), CUBLAS_STATUS_SUCCESS);
  // Nothing was initialized: each call keeps that.
  lib.cublasSsyr('u', 3, 1, nullptr, 1, nullptr, 3);
  EXPECT_EQ(lib.cublasGetError(), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(lib.cublasGetError(), CUBLAS_STATUS_SUCCESS);
  testing::internal::CaptureStdout();
  lib.cublasXerbla("cublasSgemm", 3);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            " ** On entry to cublasSgemm parameter number 3 had an illegal value\n");
}

}  // namespace
}  // namespace nvmlkit::library_test
