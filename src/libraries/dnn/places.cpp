#include "libraries/dnn/places.hpp"

namespace nvmlkit::dnn {
namespace {

// visit(index, its place in the order of the sizes), the last dimension the fastest.
template <class Visit>
void each_place(const Sizes& sizes, Visit visit) {
  const std::int64_t count = product(sizes);
  Sizes at(sizes.size());
  for (std::int64_t place = 0; place < count; ++place) {
    visit(at, place);
    for (std::size_t k = sizes.size(); k-- > 0;) {
      if (++at[k] < sizes[k]) break;
      at[k] = 0;
    }
  }
}

}  // namespace

template <class T>
Array<T> padded(const Array<T>& x, const Sizes& before, const Sizes& sizes) {
  Array<T> out(sizes);
  each_place(sizes, [&](const Sizes& at, std::int64_t place) {
    std::int64_t from = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto here = at[k] - before[k];
      if (here < 0 || here >= x.size(k)) return;
      from = from * x.size(k) + here;
    }
    out.edit()[place] = x[from];
  });
  return out;
}

template <class T>
Array<T> patches(const Convolution& c, const Array<T>& x, const Sizes& w, const Sizes& y) {
  const Sizes of_output(y.begin() + 2, y.end()), window(w.begin() + 2, w.end());
  const auto channels = x.size(1), outputs = product(of_output), columns = product(window);
  Sizes image(x.sizes().begin() + 2, x.sizes().end());
  const auto elements = product(image);
  Array<T> out({x.size(0) * outputs, channels * columns});
  for (std::int64_t n = 0; n < x.size(0); ++n)
    each_place(of_output, [&](const Sizes& at, std::int64_t row) {
      each_place(window, [&](const Sizes& in_window, std::int64_t column) {
        std::int64_t from = 0;
        for (std::size_t k = 0; k < at.size(); ++k) {
          const auto step = c.flips ? window[k] - 1 - in_window[k] : in_window[k];
          const auto here = at[k] * c.stride[k] - c.before[k] + step * c.dilation[k];
          if (here < 0 || here >= image[k]) return;
          from = from * image[k] + here;
        }
        for (std::int64_t channel = 0; channel < channels; ++channel)
          out.edit()[((n * outputs + row) * channels + channel) * columns + column] =
              x[(n * channels + channel) * elements + from];
      });
    });
  return out;
}

template Array<float> padded(const Array<float>&, const Sizes&, const Sizes&);
template Array<double> padded(const Array<double>&, const Sizes&, const Sizes&);
template Array<float> patches(const Convolution&, const Array<float>&, const Sizes&, const Sizes&);
template Array<double> patches(const Convolution&, const Array<double>&, const Sizes&, const Sizes&);

}  // namespace nvmlkit::dnn
