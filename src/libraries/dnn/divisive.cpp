#include "libraries/dnn/divisive.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace nvmlkit::dnn {
namespace {

// Depth, height, width; two dimensions have the depth 1.
struct Plane {
  std::int64_t depth, height, width;
  int dimensions;

  explicit Plane(const Sizes& sizes)
      : depth(sizes.size() > 4 ? sizes[2] : 1),
        height(sizes[sizes.size() - 2]),
        width(sizes.back()),
        dimensions(static_cast<int>(sizes.size()) - 2) {}
  std::int64_t count() const { return depth * height * width; }
};

struct Reach {
  std::int64_t first, end;
  Reach(std::int64_t at, std::int64_t size, int n)
      : first(std::max<std::int64_t>(0, at - (n - 1) / 2)), end(std::min(size, at - (n - 1) / 2 + n)) {}
};

// visit(j) for each place around place i.
template <class Visit>
void each_around(const Plane& p, std::int64_t i, int n, Visit visit) {
  const Reach d(i / (p.height * p.width), p.depth, n), h(i / p.width % p.height, p.height, n),
      w(i % p.width, p.width, n);
  for (auto a = d.first; a < d.end; ++a)
    for (auto b = h.first; b < h.end; ++b)
      for (auto c = w.first; c < w.end; ++c) visit((a * p.height + b) * p.width + c);
}

double weight_of(const Plane& p, const Divisive& how) { return how.alpha / std::pow(how.n, p.dimensions); }

// Of the element at `first + i`.
template <class T>
double divisor(const Array<T>& x, const Array<T>& means, const Plane& p, std::int64_t first, std::int64_t i,
               const Divisive& how) {
  double sum = 0;
  const double mean = means[first + i];
  each_around(p, i, how.n, [&](std::int64_t j) { sum += std::pow(x[first + j] - mean, 2); });
  return how.k + weight_of(p, how) * sum;
}

}  // namespace

template <class T>
Array<T> divided(const Array<T>& x, const Array<T>& means, const Divisive& how) {
  Array<T> out(x.sizes());
  const Plane p(x.sizes());
  for (std::int64_t first = 0; first < x.count(); first += p.count()) {
    for (std::int64_t i = 0; i < p.count(); ++i)
      out.edit()[first + i] = static_cast<T>(x[first + i] * std::pow(divisor(x, means, p, first, i, how), -how.beta));
  }
  return out;
}

// An element also stands in the sums of those around it.
template <class T>
DivisiveGradients<T> divided_back(const Array<T>& x, const Array<T>& means, const Array<T>& dy, const Divisive& how) {
  DivisiveGradients<T> out{Array<T>(x.sizes()), Array<T>(x.sizes())};
  const Plane p(x.sizes());
  std::vector<double> slopes(static_cast<std::size_t>(p.count()));
  for (std::int64_t first = 0; first < x.count(); first += p.count()) {
    std::fill(slopes.begin(), slopes.end(), 0.0);
    for (std::int64_t i = 0; i < p.count(); ++i) {
      const double by = divisor(x, means, p, first, i, how), slope = dy[first + i], mean = means[first + i];
      const double of_sum = -2 * how.beta * weight_of(p, how) * slope * x[first + i] * std::pow(by, -how.beta - 1);
      double of_mean = 0;
      slopes[static_cast<std::size_t>(i)] += slope * std::pow(by, -how.beta);
      each_around(p, i, how.n, [&](std::int64_t j) {
        const double step = of_sum * (x[first + j] - mean);
        slopes[static_cast<std::size_t>(j)] += step;
        of_mean -= step;
      });
      out.means.edit()[first + i] = static_cast<T>(of_mean);
    }
    for (std::int64_t i = 0; i < p.count(); ++i)
      out.x.edit()[first + i] = static_cast<T>(slopes[static_cast<std::size_t>(i)]);
  }
  return out;
}

#define NVMLKIT_DNN_FOR(T)                                                      \
  template Array<T> divided(const Array<T>&, const Array<T>&, const Divisive&); \
  template DivisiveGradients<T> divided_back(const Array<T>&, const Array<T>&, const Array<T>&, const Divisive&)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
