#include "libraries/dnn/local_response.hpp"

#include <algorithm>
#include <cmath>

namespace nvmlkit::dnn {
namespace {

// work(first place of a row of channels, distance of two of them) for each row.
template <class Work>
void each_row(const Sizes& sizes, Work work) {
  const std::int64_t channels = sizes[1], images = sizes[0],
                     plane = product(sizes) / std::max<std::int64_t>(1, channels * images);
  for (std::int64_t i = 0; i < images; ++i)
    for (std::int64_t p = 0; p < plane; ++p) work(i * channels * plane + p, plane);
}

// k + alpha / n * the sum around each channel.
std::vector<double> scales_of(const std::vector<double>& x, const LocalResponse& how) {
  const auto count = static_cast<int>(x.size());
  const int before = (how.n - 1) / 2, behind = how.n - before - 1;
  std::vector<double> out;
  for (int c = 0; c < count; ++c) {
    double sum = 0;
    for (int j = std::max(0, c - before); j <= std::min(count - 1, c + behind); ++j)
      sum += x[static_cast<std::size_t>(j)] * x[static_cast<std::size_t>(j)];
    out.push_back(how.k + how.alpha / how.n * sum);
  }
  return out;
}
template <class T>
std::vector<double> row_of(const Array<T>& from, std::int64_t first, std::int64_t step) {
  std::vector<double> out;
  for (std::int64_t c = 0; c < from.size(1); ++c) out.push_back(from[first + c * step]);
  return out;
}

}  // namespace

template <class T>
Array<T> local_response(const Array<T>& x, const LocalResponse& how) {
  Array<T> out(x.sizes());
  each_row(x.sizes(), [&](std::int64_t first, std::int64_t step) {
    const auto row = row_of(x, first, step), scales = scales_of(row, how);
    for (std::size_t c = 0; c < row.size(); ++c)
      out.edit()[first + static_cast<std::int64_t>(c) * step] = static_cast<T>(row[c] * std::pow(scales[c], -how.beta));
  });
  return out;
}

// An element also stands in the sums of its neighbours.
template <class T>
Array<T> local_response_back(const Array<T>& x, const Array<T>& dy, const LocalResponse& how) {
  Array<T> out(x.sizes());
  const int before = (how.n - 1) / 2, behind = how.n - before - 1;
  each_row(x.sizes(), [&](std::int64_t first, std::int64_t step) {
    const auto row = row_of(x, first, step), slopes = row_of(dy, first, step), scales = scales_of(row, how);
    const auto count = static_cast<int>(row.size());
    for (int c = 0; c < count; ++c) {
      double sum = 0;
      for (int j = std::max(0, c - behind); j <= std::min(count - 1, c + before); ++j) {
        const auto at = static_cast<std::size_t>(j);
        sum += slopes[at] * row[at] * std::pow(scales[at], -how.beta - 1);
      }
      const auto at = static_cast<std::size_t>(c);
      out.edit()[first + c * step] = static_cast<T>(slopes[at] * std::pow(scales[at], -how.beta) -
                                                    2 * how.alpha / how.n * how.beta * row[at] * sum);
    }
  });
  return out;
}

#define NVMLKIT_DNN_FOR(T)                                                 \
  template Array<T> local_response(const Array<T>&, const LocalResponse&); \
  template Array<T> local_response_back(const Array<T>&, const Array<T>&, const LocalResponse&)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
