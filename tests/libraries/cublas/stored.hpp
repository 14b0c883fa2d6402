// Matrices, matrices of which a triangle lies in memory, and vectors with steps, of random sizes.
#pragma once

#include <cmath>

#include "cublas_support.hpp"

namespace nvmlkit::library_test {

enum class Kind { full, band, packed };

// A random matrix of which one triangle lies in memory.
struct Stored {
  Kind kind;
  bool is_upper, conjugates;
  std::int64_t n, k, ld;
  std::vector<DoubleComplex> memory;

  Stored(Random& random, Kind kind_, bool hermitian, bool complex)
      : kind(kind_), is_upper(random.below(2) == 0), conjugates(hermitian), n(1 + random.below(9)) {
    k = kind == Kind::band ? random.below(n) : n;
    ld = (kind == Kind::band ? k + 1 : n) + random.below(3);
    memory.resize(static_cast<std::size_t>(kind == Kind::packed ? n * (n + 1) / 2 : ld * n));
    for (auto& v : memory) v = {random.number(), complex ? random.number() : 0};
  }
  bool has(std::int64_t i, std::int64_t j) const { return (is_upper ? i <= j : i >= j) && std::abs(i - j) <= k; }
  std::size_t at(std::int64_t i, std::int64_t j) const {
    if (kind == Kind::full) return static_cast<std::size_t>(i + j * ld);
    if (kind == Kind::band) return static_cast<std::size_t>((is_upper ? k + i - j : i - j) + j * ld);
    std::size_t before = 0;  // one column behind the other
    for (std::int64_t c = 0; c < j; ++c) before += static_cast<std::size_t>(is_upper ? c + 1 : n - c);
    return before + static_cast<std::size_t>(is_upper ? i : i - j);
  }
  // Of the symmetric or Hermitian matrix that the triangle stands for.
  DoubleComplex element(std::int64_t i, std::int64_t j) const {
    if (std::abs(i - j) > k) return 0;
    if (!has(i, j)) return conjugates ? std::conj(memory[at(j, i)]) : memory[at(j, i)];
    const auto v = memory[at(i, j)];
    return conjugates && i == j ? v.real() : v;
  }
  // Of the triangle itself.
  DoubleComplex of_triangle(std::int64_t i, std::int64_t j, bool is_unit) const {
    if (!has(i, j)) return 0;
    return is_unit && i == j ? 1 : memory[at(i, j)];
  }
  cublasFillMode_t fill() const { return is_upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; }
};

template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, Complex> || std::is_same_v<T, DoubleComplex>;
template <class T>
using RealOf = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, Complex>, float, double>;
template <class T>
T narrow(DoubleComplex v) {
  if constexpr (kIsComplex<T>)
    return T(v);
  else
    return static_cast<T>(v.real());
}
template <class T>
std::vector<T> narrow(const std::vector<DoubleComplex>& from) {
  std::vector<T> out;
  for (const auto v : from) out.push_back(narrow<T>(v));
  return out;
}
template <class T>
inline constexpr double kTolerance = sizeof(T) == sizeof(float) || std::is_same_v<T, Complex> ? 2e-5 : 1e-13;

// A vector with a step, which may be negative.
struct Steps {
  std::int64_t n, step;
  std::vector<DoubleComplex> memory;

  Steps(Random& random, std::int64_t count, bool complex) : n(count), step(1 + random.below(3)) {
    if (random.below(2) == 0) step = -step;
    memory.resize(static_cast<std::size_t>(1 + (n - 1) * std::abs(step)));
    for (auto& v : memory) v = {random.number(), complex ? random.number() : 0};
  }
  std::size_t at(std::int64_t k) const { return static_cast<std::size_t>(step < 0 ? (k - n + 1) * step : k * step); }
  DoubleComplex operator[](std::int64_t k) const { return memory[at(k)]; }
};

// A matrix of which op() has these rows and columns, and numbers between its columns.
struct General {
  cublasOperation_t t;
  std::int64_t rows, columns, ld;
  std::vector<DoubleComplex> memory;

  General(Random& random, cublasOperation_t turned, std::int64_t m, std::int64_t n, bool complex)
      : t(turned), rows(t == CUBLAS_OP_N ? m : n), columns(t == CUBLAS_OP_N ? n : m), ld(rows + random.below(3)) {
    memory.resize(static_cast<std::size_t>(ld * columns));
    for (auto& v : memory) v = {random.number(), complex ? random.number() : 0};
  }
  std::size_t at(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(i + j * ld); }
  DoubleComplex operator()(std::int64_t i, std::int64_t j) const {
    const auto v = memory[t == CUBLAS_OP_N ? at(i, j) : at(j, i)];
    return t == CUBLAS_OP_C ? std::conj(v) : v;
  }
};

// The function of a scalar: trsv<T>() is cublasStrsv_v2 for float.
#define NVMLKIT_BLAS(name, s, d, c, z)             \
  template <class T>                               \
  auto name() {                                    \
    if constexpr (std::is_same_v<T, float>)        \
      return blas_library().cublas##s;             \
    else if constexpr (std::is_same_v<T, double>)  \
      return blas_library().cublas##d;             \
    else if constexpr (std::is_same_v<T, Complex>) \
      return blas_library().cublas##c;             \
    else                                           \
      return blas_library().cublas##z;             \
  }
using Scalars = testing::Types<float, double, Complex, DoubleComplex>;

// All that lies in memory, also between the elements.
template <class T>
void expect_near(const std::vector<T>& found, const std::vector<DoubleComplex>& wanted, double tolerance, int turn) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_LE(std::abs(wide(found[k]) - wanted[k]), tolerance * (1 + std::abs(wanted[k])))
        << "turn " << turn << ", place " << k;
}

}  // namespace nvmlkit::library_test
