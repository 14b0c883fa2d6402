// The transforms by their definition, in double.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

namespace nvmlkit::library_test {

using Number = std::complex<double>;
using Index = std::vector<std::int64_t>;

inline std::int64_t product(const Index& sizes) {
  std::int64_t out = 1;
  for (const auto size : sizes) out *= size;
  return out;
}

// Visits the indices of a box, the last dimension fastest.
inline void each_index(const Index& sizes, const std::function<void(const Index&)>& visit) {
  Index at(sizes.size(), 0);
  for (std::int64_t k = 0; k < product(sizes); ++k) {
    visit(at);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (++at[d] < sizes[d]) break;
      at[d] = 0;
    }
  }
}

// One dimension after the other, each by a sum over all of its elements. `sign`: of the exponent.
inline std::vector<Number> transformed(std::vector<Number> data, const Index& sizes, int sign) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const auto n = sizes[d];
    std::int64_t step = 1;
    for (std::size_t i = d + 1; i < sizes.size(); ++i) step *= sizes[i];
    const auto from = data;
    for (std::int64_t at = 0; at < product(sizes); ++at) {
      const auto k = at / step % n, base = at - k * step;
      Number sum = 0;
      for (std::int64_t j = 0; j < n; ++j)
        sum += from[static_cast<std::size_t>(base + j * step)] *
               std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
      data[static_cast<std::size_t>(at)] = sum;
    }
  }
  return data;
}

}  // namespace nvmlkit::library_test
