#include "libraries/dnn/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libraries/blas/routines.hpp"

namespace nvmlkit::dnn {
namespace {

double start_of(Reduction kind) {
  if (kind == Reduction::mul || kind == Reduction::mul_no_zeros) return 1;
  if (kind == Reduction::min) return std::numeric_limits<double>::infinity();
  return kind == Reduction::max ? -std::numeric_limits<double>::infinity() : 0;
}

double joined(Reduction kind, double sum, double v) {
  switch (kind) {
    case Reduction::mul:
      return sum * v;
    case Reduction::mul_no_zeros:
      return v == 0 ? sum : sum * v;
    case Reduction::min:
      return std::isnan(v) || v < sum ? v : sum;
    case Reduction::max:
      return std::isnan(v) || v > sum ? v : sum;
    case Reduction::amax:
      return std::isnan(v) || std::abs(v) > sum ? std::abs(v) : sum;
    case Reduction::norm1:
      return sum + std::abs(v);
    case Reduction::norm2:
      return sum + v * v;
    default:
      return sum + v;
  }
}

// Where the matrix of a batch lies that has fewer of them.
std::int64_t matrix_at(const Sizes& batch, const Sizes& own, std::int64_t k) {
  std::int64_t out = 0, scale = 1;
  for (std::size_t d = batch.size() - 2; d-- > 0;) {
    const std::int64_t i = k % batch[d];
    k /= batch[d];
    out += i * own[d] / batch[d] * scale;
    scale *= own[d];
  }
  return out;
}

}  // namespace

template <class T>
Array<T> reduce(Reduction kind, const Array<T>& from, const Sizes& sizes, std::vector<std::int64_t>* places) {
  Sizes strides = dense_strides(sizes), inner = from.sizes();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] == 1) strides[k] = 0;
    if (sizes[k] != 1) inner[k] = 1;
  }
  std::vector<double> sums(static_cast<std::size_t>(product(sizes)), start_of(kind));
  if (places) places->assign(sums.size(), 0);
  std::vector<std::int64_t> seen(places ? sums.size() : 0, 0);
  const Walk way = walk(from.sizes(), dense_strides(from.sizes()), strides);
  way.rows([&](std::int64_t a, std::int64_t b) {
    for (std::int64_t k = 0; k < way.sizes.back(); ++k) {
      const auto at = static_cast<std::size_t>(b + k * way.second.back());
      const double next = joined(kind, sums[at], static_cast<double>(from[a + k * way.first.back()]));
      if (places) {
        if (next != sums[at] || seen[at] == 0) (*places)[at] = seen[at];
        ++seen[at];
      }
      sums[at] = next;
    }
  });
  Array<T> out(sizes);
  const double count = static_cast<double>(product(inner));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (kind == Reduction::average) sums[k] /= count;
    if (kind == Reduction::norm2) sums[k] = std::sqrt(sums[k]);
    out.edit()[k] = static_cast<T>(sums[k]);
  }
  return out;
}

template <class T>
Array<T> matmul(const Array<T>& a, const Array<T>& b, const Sizes& sizes, const Tick& tick) {
  const std::size_t rank = sizes.size();
  const std::int64_t rows = sizes[rank - 2], columns = sizes[rank - 1], depth = a.size(rank - 1);
  Array<T> out(sizes);
  const std::int64_t matrix = rows * columns, count = matrix > 0 ? out.count() / matrix : 0;
  for (std::int64_t k = 0; k < count; ++k) {
    tick();
    const T* const x = a.data() + matrix_at(sizes, a.sizes(), k) * rows * depth;
    const T* const y = b.data() + matrix_at(sizes, b.sizes(), k) * depth * columns;
    blas::gemm('N', 'N', static_cast<int>(columns), static_cast<int>(rows), static_cast<int>(depth), T{1}, y,
               static_cast<int>(columns), x, static_cast<int>(depth), T{0}, out.edit() + k * matrix,
               static_cast<int>(columns));
  }
  return out;
}

template <class T>
void softmax(const Softmax& s, const T* x, T* y) {
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t i = 0; i < s.inner; ++i) {
      const T* const from = x + o * s.length * s.inner + i;
      T* const to = y + o * s.length * s.inner + i;
      double most = s.subtracts_max ? -std::numeric_limits<double>::infinity() : 0, sum = 0;
      if (s.subtracts_max)
        for (std::int64_t k = 0; k < s.length; ++k) most = std::max(most, static_cast<double>(from[k * s.inner]));
      for (std::int64_t k = 0; k < s.length; ++k) sum += std::exp(static_cast<double>(from[k * s.inner]) - most);
      for (std::int64_t k = 0; k < s.length; ++k) {
        const double v = static_cast<double>(from[k * s.inner]) - most;
        to[k * s.inner] = static_cast<T>(s.is_log ? v - std::log(sum) : std::exp(v) / sum);
      }
    }
}

template <class T>
void softmax_back(const Softmax& s, const T* y, const T* dy, T* dx) {
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t i = 0; i < s.inner; ++i) {
      const std::int64_t at = o * s.length * s.inner + i;
      double sum = 0;
      for (std::int64_t k = 0; k < s.length; ++k) {
        const double g = dy[at + k * s.inner];
        sum += s.is_log ? g : g * static_cast<double>(y[at + k * s.inner]);
      }
      for (std::int64_t k = 0; k < s.length; ++k) {
        const double v = y[at + k * s.inner], g = dy[at + k * s.inner];
        dx[at + k * s.inner] = static_cast<T>(s.is_log ? g - std::exp(v) * sum : v * (g - sum));
      }
    }
}

#define NVMLKIT_DNN_FOR(T)                                                                        \
  template Array<T> reduce(Reduction, const Array<T>&, const Sizes&, std::vector<std::int64_t>*); \
  template Array<T> matmul(const Array<T>&, const Array<T>&, const Sizes&, const Tick&);          \
  template void softmax(const Softmax&, const T*, T*);                                            \
  template void softmax_back(const Softmax&, const T*, const T*, T*)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
