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

std::int64_t place_of(const Sizes& at, const Sizes& sizes) {
  std::int64_t out = 0;
  for (std::size_t k = 0; k < at.size(); ++k) out = out * sizes[k] + at[k];
  return out;
}

bool is_within(const Sizes& at, const Sizes& sizes) {
  for (std::size_t k = 0; k < at.size(); ++k)
    if (at[k] < 0 || at[k] >= sizes[k]) return false;
  return true;
}

// Where an element of the array without folds, of `channels`, is in the folded one. `shift`: of each dimension.
Sizes in_folds(const Sizes& at, const Sizes& shift, const Sizes& folds, std::int64_t channels) {
  Sizes out = at;
  std::int64_t block = 0;
  for (std::size_t k = 2; k < at.size(); ++k) {
    const auto here = at[k] + shift[k], by = folds[k - 2];
    block = block * by + here % by;
    out[k] = here / by;
  }
  out[0] = at[0] + shift[0];
  out[1] = shift[1] + block * channels + at[1];
  return out;
}

}  // namespace

template <class T>
Array<T> folded(const Array<T>& x, const Folding& f, const Sizes& sizes) {
  Array<T> out(sizes);
  each_place(x.sizes(), [&](const Sizes& at, std::int64_t place) {
    for (std::size_t k = 2; k < at.size(); ++k) {
      const auto here = at[k] + f.before[k];
      if (here < 0 || here >= x.size(k) + f.before[k] + f.after[k]) return;
    }
    const auto to = in_folds(at, f.before, f.folds, x.size(1));
    if (is_within(to, sizes)) out.edit()[place_of(to, sizes)] = x[place];
  });
  return out;
}

template <class T>
Array<T> unfolded(const Array<T>& x, const Folding& f, const Sizes& sizes) {
  Array<T> out(sizes);
  Sizes shift;
  for (const auto before : f.before) shift.push_back(-before);
  each_place(sizes, [&](const Sizes& at, std::int64_t place) {
    for (std::size_t k = 2; k < at.size(); ++k)
      if (at[k] + shift[k] < 0) return;
    const auto from = in_folds(at, shift, f.folds, sizes[1]);
    if (is_within(from, x.sizes())) out.edit()[place] = x[place_of(from, x.sizes())];
  });
  return out;
}

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
template Array<float> folded(const Array<float>&, const Folding&, const Sizes&);
template Array<double> folded(const Array<double>&, const Folding&, const Sizes&);
template Array<float> unfolded(const Array<float>&, const Folding&, const Sizes&);
template Array<double> unfolded(const Array<double>&, const Folding&, const Sizes&);
template Array<float> patches(const Convolution&, const Array<float>&, const Sizes&, const Sizes&);
template Array<double> patches(const Convolution&, const Array<double>&, const Sizes&, const Sizes&);

}  // namespace nvmlkit::dnn
