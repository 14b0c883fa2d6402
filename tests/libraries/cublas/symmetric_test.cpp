// Symmetric and Hermitian matrices with vectors, in each way that they lie in memory, against the full matrix.
#include <cmath>

#include "stored.hpp"

namespace nvmlkit::library_test {
namespace {

class Symmetric : public CublasTest {
 protected:
  // call(stored, alpha, a, x, incx, beta, y, incy) of the function.
  template <class T, class Function>
  void with_vector(Kind kind, bool hermitian, Function call) {
    for (int turn = 0; turn < 12; ++turn) {
      const Stored a(random, kind, hermitian, kIsComplex<T>);
      const Steps x(random, a.n, kIsComplex<T>), y(random, a.n, kIsComplex<T>);
      const T alpha = number_of<T>(random), beta = turn % 3 == 0 ? T{} : number_of<T>(random);
      OnDevice<T> da(narrow<T>(a.memory)), dx(narrow<T>(x.memory)), dy(narrow<T>(y.memory));
      ASSERT_EQ(
          call(a, &alpha, da.data(), dx.data(), static_cast<int>(x.step), &beta, dy.data(), static_cast<int>(y.step)),
          CUBLAS_STATUS_SUCCESS);
      const auto result = dy.get();
      for (std::int64_t i = 0; i < a.n; ++i) {
        DoubleComplex sum = wide(beta) * y[i];
        for (std::int64_t j = 0; j < a.n; ++j) sum += wide(alpha) * a.element(i, j) * x[j];
        EXPECT_NEAR(std::abs(wide(result[y.at(i)]) - sum), 0, kTolerance<T>) << "turn " << turn << ", row " << i;
      }
    }
  }
  // call(stored, x, incx, y, incy, a) adds to A what add(x, y, row, column) tells.
  template <class T, class Function, class Add>
  void update(Kind kind, bool hermitian, Function call, Add add) {
    for (int turn = 0; turn < 12; ++turn) {
      const Stored a(random, kind, hermitian, kIsComplex<T>);
      const Steps x(random, a.n, kIsComplex<T>), y(random, a.n, kIsComplex<T>);
      OnDevice<T> da(narrow<T>(a.memory)), dx(narrow<T>(x.memory)), dy(narrow<T>(y.memory));
      ASSERT_EQ(call(a, dx.data(), static_cast<int>(x.step), dy.data(), static_cast<int>(y.step), da.data()),
                CUBLAS_STATUS_SUCCESS);
      auto wanted = a.memory;
      for (std::int64_t j = 0; j < a.n; ++j)
        for (std::int64_t i = 0; i < a.n; ++i)
          if (a.has(i, j)) wanted[a.at(i, j)] = a.element(i, j) + add(x, y, i, j);
      const auto result = da.get();
      for (std::size_t k = 0; k < result.size(); ++k)
        EXPECT_NEAR(std::abs(wide(result[k]) - wanted[k]), 0, kTolerance<T>) << "turn " << turn << ", place " << k;
    }
  }
};

#define NVMLKIT_FULL(T, name)                                                                     \
  with_vector<T>(Kind::full, name##_is_hermitian, [&](const Stored& s, auto... rest) {            \
    return [&](const T* alpha, const T* a, const T* x, int incx, const T* beta, T* y, int incy) { \
      return lib.name(handle, s.fill(), int(s.n), alpha, a, int(s.ld), x, incx, beta, y, incy);   \
    }(rest...);                                                                                   \
  })
#define NVMLKIT_BAND(T, name)                                                                             \
  with_vector<T>(Kind::band, name##_is_hermitian, [&](const Stored& s, auto... rest) {                    \
    return [&](const T* alpha, const T* a, const T* x, int incx, const T* beta, T* y, int incy) {         \
      return lib.name(handle, s.fill(), int(s.n), int(s.k), alpha, a, int(s.ld), x, incx, beta, y, incy); \
    }(rest...);                                                                                           \
  })
#define NVMLKIT_PACKED(T, name)                                                                   \
  with_vector<T>(Kind::packed, name##_is_hermitian, [&](const Stored& s, auto... rest) {          \
    return [&](const T* alpha, const T* a, const T* x, int incx, const T* beta, T* y, int incy) { \
      return lib.name(handle, s.fill(), int(s.n), alpha, a, x, incx, beta, y, incy);              \
    }(rest...);                                                                                   \
  })

constexpr bool cublasSsymv_v2_is_hermitian = false, cublasCsymv_v2_is_hermitian = false,
               cublasZhemv_v2_is_hermitian = true, cublasDsbmv_v2_is_hermitian = false,
               cublasChbmv_v2_is_hermitian = true, cublasDspmv_v2_is_hermitian = false,
               cublasZhpmv_v2_is_hermitian = true;

TEST_F(Symmetric, TimesVectors) {
  NVMLKIT_FULL(float, cublasSsymv_v2);
  NVMLKIT_FULL(Complex, cublasCsymv_v2);
  NVMLKIT_FULL(DoubleComplex, cublasZhemv_v2);
  NVMLKIT_BAND(double, cublasDsbmv_v2);
  NVMLKIT_BAND(Complex, cublasChbmv_v2);
  NVMLKIT_PACKED(double, cublasDspmv_v2);
  NVMLKIT_PACKED(DoubleComplex, cublasZhpmv_v2);
}

TEST_F(Symmetric, Updates) {
  const double real = 0.75;
  const DoubleComplex complex(0.5, -1.5);
  const auto square = [&](const Steps& x, const Steps&, std::int64_t i, std::int64_t j) { return real * x[i] * x[j]; };
  update<double>(
      Kind::full, false,
      [&](const Stored& s, const double* x, int incx, const double*, int, double* a) {
        return lib.cublasDsyr_v2(handle, s.fill(), int(s.n), &real, x, incx, a, int(s.ld));
      },
      square);
  update<double>(
      Kind::packed, false,
      [&](const Stored& s, const double* x, int incx, const double*, int, double* a) {
        return lib.cublasDspr_v2(handle, s.fill(), int(s.n), &real, x, incx, a);
      },
      square);
  update<DoubleComplex>(
      Kind::full, true,
      [&](const Stored& s, const DoubleComplex* x, int incx, const DoubleComplex*, int, DoubleComplex* a) {
        return lib.cublasZher_v2(handle, s.fill(), int(s.n), &real, x, incx, a, int(s.ld));
      },
      [&](const Steps& x, const Steps&, std::int64_t i, std::int64_t j) { return real * x[i] * std::conj(x[j]); });
  const auto product = [&](const Steps& x, const Steps& y, std::int64_t i, std::int64_t j) {
    return complex * x[i] * std::conj(y[j]) + std::conj(complex) * y[i] * std::conj(x[j]);
  };
  update<DoubleComplex>(
      Kind::full, true,
      [&](const Stored& s, const DoubleComplex* x, int incx, const DoubleComplex* y, int incy, DoubleComplex* a) {
        return lib.cublasZher2_v2(handle, s.fill(), int(s.n), &complex, x, incx, y, incy, a, int(s.ld));
      },
      product);
  update<DoubleComplex>(
      Kind::packed, true,
      [&](const Stored& s, const DoubleComplex* x, int incx, const DoubleComplex* y, int incy, DoubleComplex* a) {
        return lib.cublasZhpr2_v2(handle, s.fill(), int(s.n), &complex, x, incx, y, incy, a);
      },
      product);
}

TEST_F(Symmetric, WrongArguments) {
  const double one = 1;
  OnDevice<double> a(std::vector<double>(16));
  const auto run = [&](int uplo, int n, int ld, int inc, const double* alpha) {
    return lib.cublasDsymv_v2(handle, static_cast<cublasFillMode_t>(uplo), n, alpha, a.data(), ld, a.data(), inc, &one,
                              a.data(), 1);
  };
  EXPECT_EQ(run(7, 4, 4, 1, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(run(0, -1, 4, 1, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(run(0, 4, 3, 1, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(run(0, 4, 4, 0, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(run(0, 4, 4, 1, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(run(0, 0, 1, 1, &one), CUBLAS_STATUS_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::library_test
