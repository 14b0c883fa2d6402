#include "libraries/dnn/sampling.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace nvmlkit::dnn {
namespace {

// The window of one output, cut to the input: work(element of the image's channel).
template <class Work>
void each_in_window(const Pool& p, const Sizes& x, const Sizes& at, Work work) {
  const std::size_t space = p.window.size();
  Sizes first(space), last(space), now(space);
  for (std::size_t k = 0; k < space; ++k) {
    first[k] = std::max<std::int64_t>(0, at[k] * p.stride[k] - p.pad[k]);
    last[k] = std::min(x[k + 2], at[k] * p.stride[k] - p.pad[k] + p.window[k]);
    if (first[k] >= last[k]) return;
  }
  now = first;
  for (;;) {
    std::int64_t place = 0;
    for (std::size_t k = 0; k < space; ++k) place = place * x[k + 2] + now[k];
    work(place);
    std::size_t k = space;
    while (k > 0 && ++now[k - 1] == last[k - 1]) now[k - 1] = first[k - 1], --k;
    if (k == 0) return;
  }
}

// work(channel of all images, output of the channel, its place)
template <class Work>
void each_output(const Sizes& y, Work work) {
  const Sizes space(y.begin() + 2, y.end());
  const std::int64_t count = product(space);
  for (std::int64_t c = 0; c < y[0] * y[1]; ++c)
    for (std::int64_t k = 0; k < count; ++k) {
      Sizes at(space.size());
      std::int64_t left = k;
      for (std::size_t d = space.size(); d-- > 0; left /= space[d]) at[d] = left % space[d];
      work(c, c * count + k, at);
    }
}

struct PoolWindow {
  std::int64_t best = -1, count = 0;
  double sum = 0;
};

template <class T>
PoolWindow look(const Pool& p, const T* x, const Sizes& sizes, const Sizes& at) {
  PoolWindow out;
  each_in_window(p, sizes, at, [&](std::int64_t k) {
    ++out.count;
    out.sum += static_cast<double>(x[k]);
    if (out.best < 0 || x[k] > x[out.best] || (p.keeps_nan && std::isnan(x[k]))) out.best = k;
  });
  return out;
}

double divisor_of(const Pool& p, const PoolWindow& w) {
  return static_cast<double>(p.kind == Pool::Kind::average ? product(p.window) : w.count);
}

// A place between four elements of a plane.
struct Corners {
  std::array<std::int64_t, 4> place{};  // -1: outside
  std::array<double, 4> weight{}, by_x{}, by_y{};

  Corners(double gx, double gy, std::int64_t height, std::int64_t width) {
    const double scale_x = static_cast<double>(width - 1) / 2, scale_y = static_cast<double>(height - 1) / 2;
    const double x = (gx + 1) * scale_x, y = (gy + 1) * scale_y, left = std::floor(x), top = std::floor(y);
    for (std::size_t k = 0; k < 4; ++k) {
      const double is_right = k % 2 ? 1 : 0, is_below = k / 2 ? 1 : 0;
      const double near_x = is_right != 0 ? x - left : 1 - (x - left), near_y = is_below != 0 ? y - top : 1 - (y - top);
      const double column = left + is_right, row = top + is_below;
      const bool is_there =
          column >= 0 && column < static_cast<double>(width) && row >= 0 && row < static_cast<double>(height);
      place[k] = is_there ? static_cast<std::int64_t>(row) * width + static_cast<std::int64_t>(column) : -1;
      weight[k] = near_x * near_y;
      by_x[k] = (is_right != 0 ? 1 : -1) * near_y * scale_x, by_y[k] = (is_below != 0 ? 1 : -1) * near_x * scale_y;
    }
  }
};

double point(std::int64_t k, std::int64_t count) {
  return count > 1 ? -1 + 2 * static_cast<double>(k) / static_cast<double>(count - 1) : 0;
}

// work(image, place of the grid, corners in the input)
template <class T, class Work>
void each_point(const Array<T>& x, const Array<T>& grid, Work work) {
  const std::int64_t points = grid.size(1) * grid.size(2);
  for (std::int64_t n = 0; n < grid.size(0); ++n)
    for (std::int64_t k = 0; k < points; ++k) {
      const T* const at = grid.data() + (n * points + k) * 2;
      work(n, k, Corners(static_cast<double>(at[0]), static_cast<double>(at[1]), x.size(2), x.size(3)));
    }
}

}  // namespace

Sizes Pool::output(const Sizes& x) const {
  Sizes out{x[0], x[1]};
  for (std::size_t k = 0; k < window.size(); ++k) out.push_back(1 + (x[k + 2] + 2 * pad[k] - window[k]) / stride[k]);
  return out;
}

template <class T>
Array<T> pool(const Pool& p, const Array<T>& x, const Sizes& y) {
  Array<T> out(y);
  const std::int64_t plane = x.count() / (x.size(0) * x.size(1));
  each_output(y, [&](std::int64_t c, std::int64_t to, const Sizes& at) {
    const T* const from = x.data() + c * plane;
    const PoolWindow w = look(p, from, x.sizes(), at);
    if (p.kind == Pool::Kind::max)
      out.edit()[to] = w.best < 0 ? -std::numeric_limits<T>::infinity() : from[w.best];
    else
      out.edit()[to] = static_cast<T>(w.count ? w.sum / divisor_of(p, w) : 0);
  });
  return out;
}

template <class T>
Array<T> pool_back(const Pool& p, const Array<T>& x, const Array<T>& dy) {
  Array<T> out(x.sizes());
  const std::int64_t plane = x.count() / (x.size(0) * x.size(1));
  each_output(dy.sizes(), [&](std::int64_t c, std::int64_t from, const Sizes& at) {
    T* const to = out.edit() + c * plane;
    const PoolWindow w = look(p, x.data() + c * plane, x.sizes(), at);
    if (w.count == 0) return;
    if (p.kind == Pool::Kind::max) {
      to[w.best] += dy[from];
      return;
    }
    const T share = static_cast<T>(static_cast<double>(dy[from]) / divisor_of(p, w));
    each_in_window(p, x.sizes(), at, [&](std::int64_t k) { to[k] += share; });
  });
  return out;
}

template <class T>
Array<T> affine_grid(const Array<T>& theta, std::int64_t height, std::int64_t width) {
  Array<T> out({theta.size(0), height, width, 2});
  T* to = out.edit();
  for (std::int64_t n = 0; n < theta.size(0); ++n)
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j)
        for (std::int64_t side = 0; side < 2; ++side) {
          const T* const row = theta.data() + n * 6 + side * 3;
          *to++ = static_cast<T>(row[0] * point(j, width) + row[1] * point(i, height) + row[2]);
        }
  return out;
}

template <class T>
Array<T> affine_grid_back(const Array<T>& dgrid) {
  const std::int64_t height = dgrid.size(1), width = dgrid.size(2);
  Array<T> out({dgrid.size(0), 2, 3});
  const T* from = dgrid.data();
  for (std::int64_t n = 0; n < dgrid.size(0); ++n)
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j)
        for (std::int64_t side = 0; side < 2; ++side, ++from) {
          T* const row = out.edit() + n * 6 + side * 3;
          row[0] += static_cast<T>(*from * point(j, width));
          row[1] += static_cast<T>(*from * point(i, height));
          row[2] += *from;
        }
  return out;
}

template <class T>
Array<T> sample(const Array<T>& x, const Array<T>& grid) {
  const std::int64_t plane = x.size(2) * x.size(3), points = grid.size(1) * grid.size(2), channels = x.size(1);
  Array<T> out({x.size(0), channels, grid.size(1), grid.size(2)});
  each_point(x, grid, [&](std::int64_t n, std::int64_t at, const Corners& corners) {
    for (std::int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k)
        if (corners.place[k] >= 0) sum += corners.weight[k] * x[(n * channels + c) * plane + corners.place[k]];
      out.edit()[(n * channels + c) * points + at] = static_cast<T>(sum);
    }
  });
  return out;
}

template <class T>
SampleGradients<T> sample_back(const Array<T>& x, const Array<T>& grid, const Array<T>& dy) {
  const std::int64_t plane = x.size(2) * x.size(3), points = grid.size(1) * grid.size(2), channels = x.size(1);
  SampleGradients<T> out{Array<T>(x.sizes()), Array<T>(grid.sizes())};
  each_point(x, grid, [&](std::int64_t n, std::int64_t at, const Corners& corners) {
    double to_x = 0, to_y = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
      const double down = dy[(n * channels + c) * points + at];
      for (std::size_t k = 0; k < 4; ++k) {
        if (corners.place[k] < 0) continue;
        const std::int64_t place = (n * channels + c) * plane + corners.place[k];
        out.x.edit()[place] += static_cast<T>(down * corners.weight[k]);
        to_x += down * corners.by_x[k] * x[place], to_y += down * corners.by_y[k] * x[place];
      }
    }
    out.grid.edit()[(n * points + at) * 2] = static_cast<T>(to_x);
    out.grid.edit()[(n * points + at) * 2 + 1] = static_cast<T>(to_y);
  });
  return out;
}

#define NVMLKIT_DNN_FOR(T)                                                    \
  template Array<T> pool(const Pool&, const Array<T>&, const Sizes&);         \
  template Array<T> pool_back(const Pool&, const Array<T>&, const Array<T>&); \
  template Array<T> affine_grid(const Array<T>&, std::int64_t, std::int64_t); \
  template Array<T> affine_grid_back(const Array<T>&);                        \
  template Array<T> sample(const Array<T>&, const Array<T>&);                 \
  template SampleGradients<T> sample_back(const Array<T>&, const Array<T>&, const Array<T>&)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
