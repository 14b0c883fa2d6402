// libcublas of the tests, and a handle.
#pragma once

#include "device.hpp"
#include "generated/cublas_table.hpp"

namespace nvmlkit::library_test {

using namespace cublas;

inline const Cublas& blas_library() {
  static const Cublas the("libcublas.so.12");
  return the;
}

class CublasTest : public testing::Test {
 protected:
  void SetUp() override {
    need_context();
    ASSERT_EQ(lib.cublasCreate_v2(&handle), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    if (!handle) return;
    EXPECT_EQ(lib.cublasDestroy_v2(handle), CUBLAS_STATUS_SUCCESS);
  }
  const Cublas& lib = blas_library();
  Handle* handle = nullptr;
  Random random;
};

template <class T>
T number_of(Random& random) {
  return static_cast<T>(random.number());
}
template <>
inline Complex number_of<Complex>(Random& random) {
  return {static_cast<float>(random.number()), static_cast<float>(random.number())};
}
template <>
inline DoubleComplex number_of<DoubleComplex>(Random& random) {
  return {random.number(), random.number()};
}
template <>
inline Half number_of<Half>(Random& random) {
  return Half::of(random.number());
}
template <>
inline Bfloat16 number_of<Bfloat16>(Random& random) {
  return Bfloat16::of(random.number());
}

template <class T>
std::vector<T> numbers_of(Random& random, std::int64_t count) {
  std::vector<T> out(static_cast<std::size_t>(count));
  for (auto& v : out) v = number_of<T>(random);
  return out;
}

inline DoubleComplex wide(float v) { return v; }
inline DoubleComplex wide(double v) { return v; }
inline DoubleComplex wide(Complex v) { return DoubleComplex(v); }
inline DoubleComplex wide(DoubleComplex v) { return v; }
inline DoubleComplex wide(Half v) { return Half::wide(v); }
inline DoubleComplex wide(Bfloat16 v) { return Bfloat16::wide(v); }
inline DoubleComplex wide(std::int8_t v) { return v; }
inline DoubleComplex wide(std::int32_t v) { return v; }

// An element of op(A).
template <class T>
DoubleComplex element(const std::vector<T>& a, cublasOperation_t t, std::int64_t ld, std::int64_t i, std::int64_t j,
                      std::int64_t offset = 0) {
  const auto v = wide(a[static_cast<std::size_t>(offset + (t == CUBLAS_OP_N ? i + j * ld : j + i * ld))]);
  return t == CUBLAS_OP_C ? std::conj(v) : v;
}

}  // namespace nvmlkit::library_test
