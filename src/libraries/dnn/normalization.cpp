#include "libraries/dnn/normalization.hpp"

#include <cmath>

#include "libraries/dnn/reduction.hpp"

namespace nvmlkit::dnn {
namespace {

// Each element with where its place of a smaller array is: work(element, place).
template <class Work>
void each_element(const Sizes& sizes, const Sizes& small, Work work) {
  Sizes strides = dense_strides(small);
  for (std::size_t k = 0; k < small.size(); ++k)
    if (small[k] == 1) strides[k] = 0;
  const Walk way = walk(sizes, dense_strides(sizes), strides);
  way.rows([&](std::int64_t a, std::int64_t b) {
    for (std::int64_t k = 0; k < way.sizes.back(); ++k) work(a + k * way.first.back(), b + k * way.second.back());
  });
}

}  // namespace

template <class T>
Moments<T> moments(const Array<T>& x, const Sizes& sizes) {
  Moments<T> out{Array<T>(sizes), Array<T>(sizes), x.count() / product(sizes)};
  const auto places = static_cast<std::size_t>(product(sizes));
  std::vector<double> sums(places), squares(places);
  each_element(x.sizes(), sizes, [&](std::int64_t k, std::int64_t at) { sums[static_cast<std::size_t>(at)] += x[k]; });
  for (auto& sum : sums) sum /= static_cast<double>(out.count);
  each_element(x.sizes(), sizes, [&](std::int64_t k, std::int64_t at) {
    const double v = x[k] - sums[static_cast<std::size_t>(at)];
    squares[static_cast<std::size_t>(at)] += v * v;
  });
  for (std::size_t k = 0; k < places; ++k) {
    out.mean.edit()[k] = static_cast<T>(sums[k]);
    out.variance.edit()[k] = static_cast<T>(squares[k] / static_cast<double>(out.count));
  }
  return out;
}

template <class T>
Array<T> inverse_deviation(const Array<T>& variance, double epsilon) {
  Array<T> out(variance.sizes());
  for (std::int64_t k = 0; k < out.count(); ++k)
    out.edit()[k] = static_cast<T>(1 / std::sqrt(static_cast<double>(variance[k]) + epsilon));
  return out;
}

template <class T>
Array<T> normalized(const Array<T>& x, const Array<T>& mean, const Array<T>& inverse, const Array<T>* scale,
                    const Array<T>* bias) {
  Array<T> out(x.sizes());
  T* const to = out.edit();
  each_element(x.sizes(), mean.sizes(),
               [&](std::int64_t k, std::int64_t at) { to[k] = (x[k] - mean[at]) * inverse[at]; });
  if (scale) each_element(x.sizes(), scale->sizes(), [&](std::int64_t k, std::int64_t at) { to[k] *= (*scale)[at]; });
  if (bias) each_element(x.sizes(), bias->sizes(), [&](std::int64_t k, std::int64_t at) { to[k] += (*bias)[at]; });
  return out;
}

template <class T>
NormalizationGradients<T> normalized_back(const Array<T>& x, const Array<T>& dy, const Array<T>& mean,
                                          const Array<T>& inverse, const Array<T>* scale, const Sizes& scale_sizes,
                                          bool has_mean) {
  const Array<T> hat = normalized<T>(x, mean, inverse, nullptr, nullptr);
  Array<T> products(x.sizes()), scaled(x.sizes());
  for (std::int64_t k = 0, n = x.count(); k < n; ++k) {
    products.edit()[k] = dy[k] * hat[k];
    scaled.edit()[k] = dy[k];
  }
  NormalizationGradients<T> out{Array<T>(x.sizes()), reduce(Reduction::add, products, scale_sizes),
                                reduce(Reduction::add, dy, scale_sizes)};
  if (scale)
    each_element(x.sizes(), scale->sizes(), [&](std::int64_t k, std::int64_t at) { scaled.edit()[k] *= (*scale)[at]; });
  for (std::int64_t k = 0, n = x.count(); k < n; ++k) products.edit()[k] = scaled[k] * hat[k];
  const Array<T> sums = reduce(Reduction::average, scaled, mean.sizes());
  const Array<T> along = reduce(Reduction::average, products, mean.sizes());
  each_element(x.sizes(), mean.sizes(), [&](std::int64_t k, std::int64_t at) {
    out.x.edit()[k] = inverse[at] * (scaled[k] - (has_mean ? sums[at] : T{0}) - hat[k] * along[at]);
  });
  return out;
}

#define NVMLKIT_DNN_FOR(T)                                                                                           \
  template Moments<T> moments(const Array<T>&, const Sizes&);                                                        \
  template Array<T> inverse_deviation(const Array<T>&, double);                                                      \
  template Array<T> normalized(const Array<T>&, const Array<T>&, const Array<T>&, const Array<T>*, const Array<T>*); \
  template NormalizationGradients<T> normalized_back(const Array<T>&, const Array<T>&, const Array<T>&,              \
                                                     const Array<T>&, const Array<T>*, const Sizes&, bool)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
