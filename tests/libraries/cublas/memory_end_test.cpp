// Vectors that end where their memory ends: the results are those of the same vectors elsewhere.
#include "memory_end.hpp"

#include "cublas_support.hpp"

namespace nvmlkit::library_test {
namespace {

class VectorEnd : public CublasTest {
 protected:
  // f(n, x, increment, y): of x, or into y.
  template <class T, class Function>
  void check(Function f) {
    for (const int n : {1, 2, 3, 6, 20, 70})
      for (const int increment : {1, 2, 600, -1, -3}) {
        const auto x = numbers_of<T>(random, std::int64_t{n - 1} * std::abs(increment) + 1);
        const std::vector<T> zeros(static_cast<std::size_t>(n));
        const OnDevice<T> y(zeros), y_at_end(zeros);
        const AtMemoryEnd<T> at_end(x), elsewhere(x, 1);
        ASSERT_EQ(f(n, elsewhere.data(), increment, y.data()), CUBLAS_STATUS_SUCCESS);
        ASSERT_EQ(f(n, at_end.data(), increment, y_at_end.data()), CUBLAS_STATUS_SUCCESS);
        EXPECT_EQ(at_end.read(), elsewhere.read()) << n << " by " << increment;
        EXPECT_EQ(y_at_end.get(), y.get()) << n << " by " << increment;
      }
  }
  template <class T, class Gemv, class Hemv, class Trsv>
  void check_all(Gemv gemv, Hemv hemv, Trsv trsv) {
    constexpr int kMost = 70;
    auto numbers = numbers_of<T>(random, kMost * kMost);
    for (int i = 0; i < kMost; ++i) numbers[static_cast<std::size_t>(i * (kMost + 1))] += T(2 * kMost);
    const OnDevice<T> a(numbers);
    const T one{1}, zero{};
    for (const auto t : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
      check<T>([&](int n, const T* x, int increment, T* y) {
        return gemv(handle, t, n, n, &one, a.data(), kMost, x, increment, &zero, y, 1);
      });
      for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
        check<T>([&](int n, T* x, int increment, T*) {
          return trsv(handle, uplo, t, CUBLAS_DIAG_NON_UNIT, n, a.data(), kMost, x, increment);
        });
    }
    for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
      check<T>([&](int n, const T* x, int increment, T* y) {
        return hemv(handle, uplo, n, &one, a.data(), kMost, x, increment, &zero, y, 1);
      });
  }
};

TEST_F(VectorEnd, OfFloats) { check_all<float>(lib.cublasSgemv_v2, lib.cublasSsymv_v2, lib.cublasStrsv_v2); }
TEST_F(VectorEnd, OfDoubles) { check_all<double>(lib.cublasDgemv_v2, lib.cublasDsymv_v2, lib.cublasDtrsv_v2); }
TEST_F(VectorEnd, OfComplexFloats) {
  check_all<Complex>(lib.cublasCgemv_v2, lib.cublasChemv_v2, lib.cublasCtrsv_v2);
  check_all<Complex>(lib.cublasCgemv_v2, lib.cublasCsymv_v2, lib.cublasCtrmv_v2);
}
TEST_F(VectorEnd, OfComplexDoubles) {
  check_all<DoubleComplex>(lib.cublasZgemv_v2, lib.cublasZhemv_v2, lib.cublasZtrsv_v2);
  check_all<DoubleComplex>(lib.cublasZgemv_v2, lib.cublasZsymv_v2, lib.cublasZtrmv_v2);
}

}  // namespace
}  // namespace nvmlkit::library_test
