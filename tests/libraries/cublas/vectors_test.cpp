// Vectors of random lengths and steps, in each type, against the same sums in double precision.
#include <algorithm>

#include "stored.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_BLAS(axpy, Saxpy_v2, Daxpy_v2, Caxpy_v2, Zaxpy_v2)
NVMLKIT_BLAS(copy, Scopy_v2, Dcopy_v2, Ccopy_v2, Zcopy_v2)
NVMLKIT_BLAS(swap, Sswap_v2, Dswap_v2, Cswap_v2, Zswap_v2)
NVMLKIT_BLAS(dot, Sdot_v2, Ddot_v2, Cdotu_v2, Zdotu_v2)
NVMLKIT_BLAS(dotc, Sdot_v2, Ddot_v2, Cdotc_v2, Zdotc_v2)
NVMLKIT_BLAS(rot, Srot_v2, Drot_v2, Csrot_v2, Zdrot_v2)
NVMLKIT_BLAS(scal, Sscal_v2, Dscal_v2, Cscal_v2, Zscal_v2)
NVMLKIT_BLAS(real_scal, Sscal_v2, Dscal_v2, Csscal_v2, Zdscal_v2)
NVMLKIT_BLAS(nrm2, Snrm2_v2, Dnrm2_v2, Scnrm2_v2, Dznrm2_v2)
NVMLKIT_BLAS(asum, Sasum_v2, Dasum_v2, Scasum_v2, Dzasum_v2)
NVMLKIT_BLAS(iamax, Isamax_v2, Idamax_v2, Icamax_v2, Izamax_v2)
NVMLKIT_BLAS(iamin, Isamin_v2, Idamin_v2, Icamin_v2, Izamin_v2)

template <class T>
struct Vectors : CublasTest {};
TYPED_TEST_SUITE(Vectors, Scalars);

constexpr int kVectorTurns = 30;
constexpr std::int64_t kMost = 300;

TYPED_TEST(Vectors, Two) {
  using T = TypeParam;
  for (int turn = 0; turn < kVectorTurns; ++turn) {
    const auto n = 1 + this->random.below(kMost);
    const Steps x(this->random, n, kIsComplex<T>), y(this->random, n, kIsComplex<T>);
    const int count = int(n), incx = int(x.step), incy = int(y.step);
    const T alpha = number_of<T>(this->random);
    OnDevice<T> dx(narrow<T>(x.memory)), dy(narrow<T>(y.memory));
    auto wanted_x = x.memory, wanted_y = y.memory;
    DoubleComplex sum, of_conjugates;
    for (std::int64_t k = 0; k < n; ++k) {
      sum += x[k] * y[k], of_conjugates += std::conj(x[k]) * y[k];
      wanted_y[y.at(k)] = wide(alpha) * x[k] + y[k];
    }
    T found{}, found_of_conjugates{};
    ASSERT_EQ(dot<T>()(this->handle, count, dx.data(), incx, dy.data(), incy, &found), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(dotc<T>()(this->handle, count, dx.data(), incx, dy.data(), incy, &found_of_conjugates),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_NEAR(std::abs(wide(found) - sum), 0, 10 * kTolerance<T>) << n;
    EXPECT_NEAR(std::abs(wide(found_of_conjugates) - of_conjugates), 0, 10 * kTolerance<T>) << n;
    ASSERT_EQ(axpy<T>()(this->handle, count, &alpha, dx.data(), incx, dy.data(), incy), CUBLAS_STATUS_SUCCESS);
    expect_near(dy.get(), wanted_y, kTolerance<T>, turn);
    for (std::int64_t k = 0; k < n; ++k) std::swap(wanted_x[x.at(k)], wanted_y[y.at(k)]);
    ASSERT_EQ(swap<T>()(this->handle, count, dx.data(), incx, dy.data(), incy), CUBLAS_STATUS_SUCCESS);
    expect_near(dx.get(), wanted_x, kTolerance<T>, turn);
    expect_near(dy.get(), wanted_y, kTolerance<T>, turn);
    const auto c = static_cast<RealOf<T>>(this->random.number()), s = static_cast<RealOf<T>>(this->random.number());
    for (std::int64_t k = 0; k < n; ++k) {
      const auto a = wanted_x[x.at(k)], b = wanted_y[y.at(k)];
      wanted_x[x.at(k)] = double(c) * a + double(s) * b, wanted_y[y.at(k)] = double(c) * b - double(s) * a;
    }
    ASSERT_EQ(rot<T>()(this->handle, count, dx.data(), incx, dy.data(), incy, &c, &s), CUBLAS_STATUS_SUCCESS);
    expect_near(dx.get(), wanted_x, kTolerance<T>, turn);
    expect_near(dy.get(), wanted_y, kTolerance<T>, turn);
    for (std::int64_t k = 0; k < n; ++k) wanted_y[y.at(k)] = wanted_x[x.at(k)];
    ASSERT_EQ(copy<T>()(this->handle, count, dx.data(), incx, dy.data(), incy), CUBLAS_STATUS_SUCCESS);
    expect_near(dy.get(), wanted_y, kTolerance<T>, turn);
  }
}

TYPED_TEST(Vectors, One) {
  using T = TypeParam;
  const auto size_of = [](DoubleComplex v) { return std::abs(v.real()) + std::abs(v.imag()); };
  for (int turn = 0; turn < kVectorTurns; ++turn) {
    const auto n = 1 + this->random.below(kMost);
    const Steps x(this->random, n, kIsComplex<T>);
    const int count = int(n), step = int(std::abs(x.step));
    const auto memory = narrow<T>(x.memory);
    OnDevice<T> dx(memory);
    double squares = 0, sum = 0, least = 1e9, most = -1;
    int at_least = 0, at_most = 0;
    std::vector<DoubleComplex> wanted;
    for (const T v : memory) wanted.push_back(wide(v));
    const T alpha = number_of<T>(this->random);
    const auto real = static_cast<RealOf<T>>(this->random.number());
    for (int k = 0; k < count; ++k) {
      auto& v = wanted[static_cast<std::size_t>(k * step)];
      const double size = size_of(v);
      squares += std::norm(v), sum += size;
      if (size < least) least = size, at_least = k + 1;
      if (size > most) most = size, at_most = k + 1;
      v *= wide(alpha) * double(real);
    }
    RealOf<T> found{};
    ASSERT_EQ(nrm2<T>()(this->handle, count, dx.data(), step, &found), CUBLAS_STATUS_SUCCESS);
    EXPECT_NEAR(found, std::sqrt(squares), 10 * kTolerance<T>) << n;
    ASSERT_EQ(asum<T>()(this->handle, count, dx.data(), step, &found), CUBLAS_STATUS_SUCCESS);
    EXPECT_NEAR(found, sum, 10 * kTolerance<T> * (1 + sum)) << n;
    int index = -1;
    ASSERT_EQ(iamax<T>()(this->handle, count, dx.data(), step, &index), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(index, at_most) << n;
    ASSERT_EQ(iamin<T>()(this->handle, count, dx.data(), step, &index), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(index, at_least) << n;
    ASSERT_EQ(scal<T>()(this->handle, count, &alpha, dx.data(), step), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(real_scal<T>()(this->handle, count, &real, dx.data(), step), CUBLAS_STATUS_SUCCESS);
    expect_near(dx.get(), wanted, kTolerance<T>, turn);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
