// Matrices on the side of the test, in double, and the arithmetic of the properties that are tested.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

namespace nvmlkit::library_test {

using Number = std::complex<double>;

struct Dense {
  int rows = 0, columns = 0;
  std::vector<Number> numbers;

  Dense(int m, int n) : rows(m), columns(n), numbers(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}
  Number& operator()(int i, int j) {
    return numbers[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(rows)];
  }
  Number operator()(int i, int j) const { return const_cast<Dense&>(*this)(i, j); }

  // The elements that keep(i, j) wants; 0 elsewhere.
  template <class Keep>
  Dense only(Keep keep) const {
    Dense out(rows, columns);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i)
        if (keep(i, j)) out(i, j) = (*this)(i, j);
    return out;
  }
  Dense upper() const {
    return only([](int i, int j) { return i <= j; });
  }
  Dense lower() const {
    return only([](int i, int j) { return i >= j; });
  }
  Dense part(int m, int n) const {
    Dense out(m, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) out(i, j) = (*this)(i, j);
    return out;
  }
  Dense transposed() const {
    Dense out(columns, rows);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i) out(j, i) = (*this)(i, j);
    return out;
  }
  Dense conjugated() const {
    Dense out = *this;
    for (Number& x : out.numbers) x = std::conj(x);
    return out;
  }
  Dense adjoint() const { return transposed().conjugated(); }
  double largest() const {
    double out = 0;
    for (const Number& x : numbers) out = std::abs(x) <= out ? out : std::abs(x);  // NaN is the largest
    return out;
  }
};

inline Dense operator*(const Dense& a, const Dense& b) {
  Dense out(a.rows, b.columns);
  for (int j = 0; j < b.columns; ++j)
    for (int k = 0; k < a.columns; ++k)
      for (int i = 0; i < a.rows; ++i) out(i, j) += a(i, k) * b(k, j);
  return out;
}
inline Dense operator+(Dense a, const Dense& b) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) a.numbers[i] += b.numbers[i];
  return a;
}
inline Dense operator-(Dense a, const Dense& b) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) a.numbers[i] -= b.numbers[i];
  return a;
}
inline Dense identity(int m, int n) {
  Dense out(m, n);
  for (int i = 0; i < std::min(m, n); ++i) out(i, i) = 1;
  return out;
}
template <class Values>
Dense diagonal(const Values& values, int m, int n) {
  Dense out(m, n);
  for (int i = 0; i < std::min(m, n); ++i) out(i, i) = static_cast<double>(values[static_cast<std::size_t>(i)]);
  return out;
}
// The largest difference of elements. Sizes differ: infinite.
inline double distance(const Dense& a, const Dense& b) {
  if (a.rows != b.rows || a.columns != b.columns) return HUGE_VAL;
  return (a - b).largest();
}

class Random {
 public:
  explicit Random(unsigned seed) : source_(seed) {}

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(source_); }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(source_); }
  template <class T>
  Dense matrix(int m, int n) {
    Dense out(m, n);
    for (Number& x : out.numbers) x = {number(), std::is_floating_point_v<T> ? 0 : number()};
    return out;
  }
  template <class T>
  Dense hermitian(int n) {
    const auto a = matrix<T>(n, n);
    return a + a.adjoint();
  }
  template <class T>
  Dense symmetric(int n) {
    const auto a = matrix<T>(n, n);
    return a + a.transposed();
  }
  template <class T>
  Dense positive(int n) {
    const auto a = matrix<T>(n, n);
    return a * a.adjoint() + identity(n, n);
  }
  // Far from singular.
  template <class T>
  Dense regular(int n) {
    auto a = matrix<T>(n, n);
    for (int i = 0; i < n; ++i) a(i, (i + 1) % std::max(n, 1)) += 2.0 * n;
    return a;
  }

 private:
  std::mt19937 source_;
};

}  // namespace nvmlkit::library_test
