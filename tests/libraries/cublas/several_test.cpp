// cublasXt: matrices of the host on several GPUs, against cuBLAS on one.
#include <array>

#include "cublas_support.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
class Xt : public CublasTest {
 protected:
  void SetUp() override {
    CublasTest::SetUp();
    ASSERT_EQ(lib.cublasXtCreate(&xt), CUBLAS_STATUS_SUCCESS);
    int devices[] = {0, 1, 2}, count = 0;
    ASSERT_EQ(lib.cublasXtGetNumBoards(3, devices, &count), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(count, 3);
    ASSERT_EQ(lib.cublasXtDeviceSelect(xt, 3, devices), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(lib.cublasXtDestroy(xt), CUBLAS_STATUS_SUCCESS);
    CublasTest::TearDown();
  }
  // Both results: cuBLAS's of matrices of the device, cublasXt's of matrices of the host.
  template <class OnDevice, class OnHost>
  void compare(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c, OnDevice on_device,
               OnHost on_host) {
    const auto copy = [](const std::vector<T>& from) {
      cuda::CUdeviceptr out = 0;
      EXPECT_EQ(driver().cuMemAlloc_v2(&out, (from.size() + 1) * sizeof(T)), cuda::CUDA_SUCCESS);
      EXPECT_EQ(driver().cuMemcpyHtoD_v2(out, from.data(), from.size() * sizeof(T)), cuda::CUDA_SUCCESS);
      return out;
    };
    const auto da = copy(a), db = copy(b), dc = copy(c);
    EXPECT_EQ(on_device(reinterpret_cast<T*>(da), reinterpret_cast<T*>(db), reinterpret_cast<T*>(dc)),
              CUBLAS_STATUS_SUCCESS);
    std::vector<T> expected(c.size()), own = c;
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(expected.data(), dc, c.size() * sizeof(T)), cuda::CUDA_SUCCESS);
    EXPECT_EQ(on_host(a.data(), b.data(), own.data()), CUBLAS_STATUS_SUCCESS);
    for (std::size_t i = 0; i < own.size(); ++i)
      ASSERT_LE(std::abs(wide(own[i]) - wide(expected[i])), 2e-5 * (1 + std::abs(wide(expected[i])))) << i;
    // Matrices of the device do as well.
    EXPECT_EQ(driver().cuMemcpyHtoD_v2(dc, c.data(), c.size() * sizeof(T)), cuda::CUDA_SUCCESS);
    EXPECT_EQ(on_host(reinterpret_cast<T*>(da), reinterpret_cast<T*>(db), reinterpret_cast<T*>(dc)),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(own.data(), dc, c.size() * sizeof(T)), cuda::CUDA_SUCCESS);
    for (std::size_t i = 0; i < own.size(); ++i)
      ASSERT_LE(std::abs(wide(own[i]) - wide(expected[i])), 2e-5 * (1 + std::abs(wide(expected[i])))) << i;
    for (const auto address : {da, db, dc}) driver().cuMemFree_v2(address);
  }
  std::vector<T> matrix(int ld, int columns) { return numbers_of<T>(random, std::int64_t{ld} * columns); }
  int size() { return static_cast<int>(1 + random.below(9)); }
  // A triangle that may be divided by.
  std::vector<T> triangle(int ld, int n) {
    auto out = matrix(ld, n);
    for (int i = 0; i < n; ++i) out[static_cast<std::size_t>(i + i * ld)] += static_cast<T>(2 * n);
    return out;
  }
  XtHandle* xt = nullptr;
  const T alpha = static_cast<T>(2), beta = static_cast<T>(-1);
};
using XtTypes = testing::Types<float, DoubleComplex>;
TYPED_TEST_SUITE(Xt, XtTypes);

#define NVMLKIT_BOTH(name)                                                       \
  [[maybe_unused]] const auto name = [&] {                                       \
    if constexpr (std::is_same_v<TypeParam, float>)                              \
      return std::pair(this->lib.cublasS##name##_v2, this->lib.cublasXtS##name); \
    else                                                                         \
      return std::pair(this->lib.cublasZ##name##_v2, this->lib.cublasXtZ##name); \
  }();

TYPED_TEST(Xt, Products) {
  NVMLKIT_BOTH(gemm)
  NVMLKIT_BOTH(symm)
  const auto one = this->handle;
  const auto several = this->xt;
  const auto *factor = &this->alpha, *kept = &this->beta;
  for (int round = 0; round < 24; ++round) {
    const int m = this->size(), n = this->size(), k = this->size();
    const auto ta = static_cast<cublasOperation_t>(this->random.below(3));
    const auto tb = static_cast<cublasOperation_t>(this->random.below(3));
    const int lda = (ta == CUBLAS_OP_N ? m : k) + 1, ldb = (tb == CUBLAS_OP_N ? k : n) + 2, ldc = m + 1;
    this->compare(
        this->matrix(lda, ta == CUBLAS_OP_N ? k : m), this->matrix(ldb, tb == CUBLAS_OP_N ? n : k),
        this->matrix(ldc, n),
        [&](auto* a, auto* b, auto* c) {
          return gemm.first(one, ta, tb, m, n, k, factor, a, lda, b, ldb, kept, c, ldc);
        },
        [&](auto* a, auto* b, auto* c) {
          return gemm.second(several, ta, tb, m, n, k, factor, a, lda, b, ldb, kept, c, ldc);
        });
    const auto side = static_cast<cublasSideMode_t>(this->random.below(2));
    const auto fill = static_cast<cublasFillMode_t>(this->random.below(2));
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    this->compare(
        this->matrix(order, order), this->matrix(m, n), this->matrix(m, n),
        [&](auto* a, auto* b, auto* c) {
          return symm.first(one, side, fill, m, n, factor, a, order, b, m, kept, c, m);
        },
        [&](auto* a, auto* b, auto* c) {
          return symm.second(several, side, fill, m, n, factor, a, order, b, m, kept, c, m);
        });
  }
}

TYPED_TEST(Xt, Triangles) {
  NVMLKIT_BOTH(trsm)
  NVMLKIT_BOTH(trmm)
  NVMLKIT_BOTH(syrk)
  NVMLKIT_BOTH(syr2k)
  const auto one = this->handle;
  const auto several = this->xt;
  const auto *factor = &this->alpha, *kept = &this->beta;
  for (int round = 0; round < 16; ++round) {
    const int m = this->size(), n = this->size();
    const auto side = static_cast<cublasSideMode_t>(this->random.below(2));
    const auto fill = static_cast<cublasFillMode_t>(this->random.below(2));
    const auto diagonal = static_cast<cublasDiagType_t>(0);
    const auto t = static_cast<cublasOperation_t>(this->random.below(2));
    const int order = side == CUBLAS_SIDE_LEFT ? m : n, ld = t == CUBLAS_OP_N ? n : m;
    this->compare(
        this->triangle(order + 1, order), {}, this->matrix(m, n),
        [&](auto* a, auto*, auto* c) {
          return trsm.first(one, side, fill, t, diagonal, m, n, factor, a, order + 1, c, m);
        },
        [&](auto* a, auto*, auto* c) {
          return trsm.second(several, side, fill, t, diagonal, m, n, factor, a, order + 1, c, m);
        });
    this->compare(
        this->triangle(order, order), this->matrix(m, n), this->matrix(m, n),
        [&](auto* a, auto* b, auto* c) {
          return trmm.first(one, side, fill, t, diagonal, m, n, factor, a, order, b, m, c, m);
        },
        [&](auto* a, auto* b, auto* c) {
          return trmm.second(several, side, fill, t, diagonal, m, n, factor, a, order, b, m, c, m);
        });
    this->compare(
        this->matrix(ld, t == CUBLAS_OP_N ? m : n), this->matrix(ld, t == CUBLAS_OP_N ? m : n), this->matrix(n, n),
        [&](auto* a, auto* b, auto* c) {
          const auto status = syrk.first(one, fill, t, n, m, factor, a, ld, kept, c, n);
          return status ? status : syr2k.first(one, fill, t, n, m, factor, a, ld, b, ld, kept, c, n);
        },
        [&](auto* a, auto* b, auto* c) {
          const auto status = syrk.second(several, fill, t, n, m, factor, a, ld, kept, c, n);
          return status ? status : syr2k.second(several, fill, t, n, m, factor, a, ld, b, ld, kept, c, n);
        });
  }
}
#undef NVMLKIT_BOTH

using XtOfFloats = Xt<float>;
TEST_F(XtOfFloats, PackedMatricesAreTheFullOnes) {
  const int n = 5, columns = 4;
  const auto packed = numbers_of<float>(random, n * (n + 1) / 2), b = numbers_of<float>(random, n * columns);
  std::vector<float> full(n * n), c(n * columns), expected = c;
  for (int j = 0, at = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i, ++at) full[static_cast<std::size_t>(i + j * n)] = packed[static_cast<std::size_t>(at)];
  const float zero = 0;
  ASSERT_EQ(lib.cublasXtSspmm(xt, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, n, columns, &alpha, packed.data(), b.data(),
                              n, &zero, c.data(), n),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(lib.cublasXtSsymm(xt, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, n, columns, &alpha, full.data(), n,
                              b.data(), n, &zero, expected.data(), n),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(c, expected);
}

TEST_F(XtOfFloats, WrongArguments) {
  const auto wrong = CUBLAS_STATUS_INVALID_VALUE;
  std::vector<float> a(16);
  const auto gemm = [&](XtHandle* h, std::size_t ld, const float* first) {
    return lib.cublasXtSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &alpha, first, ld, a.data(), 4, &beta, a.data(), 4);
  };
  EXPECT_EQ(gemm(nullptr, 4, a.data()), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(gemm(reinterpret_cast<XtHandle*>(handle), 4, a.data()), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(gemm(xt, 3, a.data()), wrong);
  EXPECT_EQ(gemm(xt, 4, nullptr), wrong);
  EXPECT_EQ(gemm(xt, 4, a.data()), CUBLAS_STATUS_SUCCESS);
  int none[] = {99}, dimension = 0;
  EXPECT_EQ(lib.cublasXtDeviceSelect(xt, 1, none), wrong);
  EXPECT_EQ(lib.cublasXtSetBlockDim(xt, 0), wrong);
  EXPECT_EQ(lib.cublasXtSetBlockDim(xt, 64), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lib.cublasXtGetBlockDim(xt, &dimension), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(dimension, 64);
  EXPECT_EQ(lib.cublasXtCreate(nullptr), wrong);
}

}  // namespace
}  // namespace nvmlkit::library_test
