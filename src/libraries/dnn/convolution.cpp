#include "libraries/dnn/convolution.hpp"

#include <algorithm>

#include "libraries/blas/routines.hpp"

namespace nvmlkit::dnn {
namespace columns {

constexpr std::int64_t kMost = 1 << 20;  // elements of a block of columns

// Sizes of a convolution in three dimensions; those that are not there have the size 1.
struct Shape {
  std::int64_t batch, channels, filters, groups;  // channels and filters of one group
  std::array<std::int64_t, 3> x{1, 1, 1}, w{1, 1, 1}, y{1, 1, 1};
  std::array<std::int64_t, 3> pad{0, 0, 0}, stride{1, 1, 1}, dilation{1, 1, 1};
  bool flips;

  std::int64_t x_count() const { return x[0] * x[1] * x[2]; }
  std::int64_t y_count() const { return y[0] * y[1] * y[2]; }
  std::int64_t depth() const { return channels * w[0] * w[1] * w[2]; }
  // Rows of outputs, of the last dimension, that are computed at once.
  std::int64_t rows_of_block() const {
    return std::clamp<std::int64_t>(kMost / std::max<std::int64_t>(1, depth() * y[2]), 1, y[0] * y[1]);
  }
};

}  // namespace columns

namespace {

using columns::Shape;

std::int64_t size_in_space(const Convolution& c, std::int64_t x, std::int64_t w, std::size_t k) {
  const auto room = x + c.before[k] + c.after[k] - (c.dilation[k] * (w - 1) + 1);
  return room < 0 ? 0 : room / c.stride[k] + 1;
}

Shape shape_of(const Convolution& c, const Sizes& x, const Sizes& w, const Sizes& y) {
  Shape out{.batch = x[0], .channels = w[1], .filters = 0, .groups = x[1] / w[1], .flips = c.flips};
  out.filters = w[0] / out.groups;
  const std::size_t space = x.size() - 2;
  for (std::size_t k = 0; k < space; ++k) {
    const std::size_t at = 3 - space + k;
    out.x[at] = x[k + 2], out.w[at] = w[k + 2], out.y[at] = y[k + 2];
    out.pad[at] = c.before[k], out.stride[at] = c.stride[k], out.dilation[at] = c.dilation[k];
  }
  return out;
}

// Each place of the filter with the rows of outputs first to last: work(column row, channel, x row or -1, x of the
// first).
template <class Work>
void each_row(const Shape& s, std::int64_t first, std::int64_t last, Work work) {
  std::int64_t column = 0;
  for (std::int64_t c = 0; c < s.channels; ++c)
    for (std::int64_t a = 0; a < s.w[0]; ++a)
      for (std::int64_t b = 0; b < s.w[1]; ++b)
        for (std::int64_t d = 0; d < s.w[2]; ++d, ++column) {
          const auto at = [&](std::size_t k, std::int64_t i) {
            return (s.flips ? s.w[k] - 1 - i : i) * s.dilation[k] - s.pad[k];
          };
          const std::int64_t a0 = at(0, a), b0 = at(1, b), d0 = at(2, d);
          for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t i = a0 + row / s.y[1] * s.stride[0], j = b0 + row % s.y[1] * s.stride[1];
            const bool is_there = i >= 0 && i < s.x[0] && j >= 0 && j < s.x[1];
            work(column, c, is_there ? i * s.x[1] + j : -1, row - first, d0);
          }
        }
}

// Outputs of a row that read within the row of the input.
std::pair<std::int64_t, std::int64_t> inside(const Shape& s, std::int64_t d0) {
  const auto up = [&](std::int64_t v) { return v <= 0 ? 0 : (v + s.stride[2] - 1) / s.stride[2]; };
  const std::int64_t from = std::min(up(-d0), s.y[2]);
  return {from, std::clamp(up(s.x[2] - d0), from, s.y[2])};
}

template <class T>
void fill_columns(const Shape& s, const T* x, std::int64_t first, std::int64_t last, T* columns) {
  const std::int64_t width = (last - first) * s.y[2];
  each_row(
      s, first, last, [&](std::int64_t column, std::int64_t c, std::int64_t x_row, std::int64_t row, std::int64_t d0) {
        T* const to = columns + column * width + row * s.y[2];
        const auto [from, until] = x_row < 0 ? std::pair<std::int64_t, std::int64_t>{s.y[2], s.y[2]} : inside(s, d0);
        std::fill(to, to + from, T{0});
        const T* const source = x + c * s.x_count() + x_row * s.x[2] + d0;
        for (std::int64_t k = from; k < until; ++k) to[k] = source[k * s.stride[2]];
        std::fill(to + until, to + s.y[2], T{0});
      });
}

template <class T>
void add_columns(const Shape& s, const T* columns, std::int64_t first, std::int64_t last, T* x) {
  const std::int64_t width = (last - first) * s.y[2];
  each_row(s, first, last,
           [&](std::int64_t column, std::int64_t c, std::int64_t x_row, std::int64_t row, std::int64_t d0) {
             if (x_row < 0) return;
             const T* const from = columns + column * width + row * s.y[2];
             T* const to = x + c * s.x_count() + x_row * s.x[2] + d0;
             const auto [begin, end] = inside(s, d0);
             for (std::int64_t k = begin; k < end; ++k) to[k * s.stride[2]] += from[k];
           });
}

// work(x of the group, y of the group, w of the group, first row, last row), for each image, group and block.
template <class Work>
void each_block(const Shape& s, const Tick& tick, Work work) {
  const std::int64_t rows = s.y[0] * s.y[1], step = s.rows_of_block();
  for (std::int64_t n = 0; n < s.batch; ++n) {
    tick();
    for (std::int64_t g = 0; g < s.groups; ++g)
      for (std::int64_t first = 0; first < rows; first += step)
        work((n * s.groups + g) * s.channels * s.x_count(), (n * s.groups + g) * s.filters * s.y_count(),
             g * s.filters * s.depth(), first, std::min(rows, first + step));
  }
}

template <class T>
std::vector<T> room_for_block(const Shape& s) {
  return std::vector<T>(static_cast<std::size_t>(s.depth() * s.rows_of_block() * s.y[2]));
}

Convolution exact(Convolution c) {
  c.rounds = false;
  return c;
}

int whole(std::int64_t v) { return static_cast<int>(v); }

}  // namespace

Sizes Convolution::output(const Sizes& x, const Sizes& w) const {
  Sizes out{x[0], w[0]};
  for (std::size_t k = 2; k < x.size(); ++k) out.push_back(size_in_space(*this, x[k], w[k], k - 2));
  return out;
}

bool Convolution::fits(const Sizes& x, const Sizes& w, const Sizes& y) const {
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size() || y.size() != x.size() || stride.size() + 2 < x.size())
    return false;
  if (w[1] <= 0 || x[1] % w[1] != 0 || x[1] == 0 || w[0] % (x[1] / w[1]) != 0) return false;
  return output(x, w) == y;
}

double Convolution::operations(const Sizes& w, const Sizes& y) const {
  return 2.0 * static_cast<double>(product(y)) * static_cast<double>(product(w)) / static_cast<double>(w[0]);
}

template <class T>
Array<T> convolve(const Convolution& c, const Array<T>& x, const Array<T>& w, const Sizes& y, const Tick& tick) {
  if (c.rounds) return convolve(exact(c), in_tf32(x), in_tf32(w), y, tick);
  const Shape s = shape_of(c, x.sizes(), w.sizes(), y);
  Array<T> out(y);
  auto block = room_for_block<T>(s);
  each_block(s, tick,
             [&](std::int64_t at_x, std::int64_t at_y, std::int64_t at_w, std::int64_t first, std::int64_t last) {
               fill_columns(s, x.data() + at_x, first, last, block.data());
               const int width = whole((last - first) * s.y[2]), depth = whole(s.depth());
               blas::gemm('N', 'N', width, whole(s.filters), depth, T{1}, block.data(), width, w.data() + at_w, depth,
                          T{0}, out.edit() + at_y + first * s.y[2], whole(s.y_count()));
             });
  return out;
}

template <class T>
Array<T> convolve_back_to_data(const Convolution& c, const Array<T>& dy, const Array<T>& w, const Sizes& x,
                               const Tick& tick) {
  if (c.rounds) return convolve_back_to_data(exact(c), in_tf32(dy), in_tf32(w), x, tick);
  const Shape s = shape_of(c, x, w.sizes(), dy.sizes());
  Array<T> out(x);
  auto block = room_for_block<T>(s);
  each_block(s, tick,
             [&](std::int64_t at_x, std::int64_t at_y, std::int64_t at_w, std::int64_t first, std::int64_t last) {
               const int width = whole((last - first) * s.y[2]), depth = whole(s.depth());
               blas::gemm('N', 'T', width, depth, whole(s.filters), T{1}, dy.data() + at_y + first * s.y[2],
                          whole(s.y_count()), w.data() + at_w, depth, T{0}, block.data(), width);
               add_columns(s, block.data(), first, last, out.edit() + at_x);
             });
  return out;
}

template <class T>
Array<T> convolve_back_to_filter(const Convolution& c, const Array<T>& x, const Array<T>& dy, const Sizes& w,
                                 const Tick& tick) {
  if (c.rounds) return convolve_back_to_filter(exact(c), in_tf32(x), in_tf32(dy), w, tick);
  const Shape s = shape_of(c, x.sizes(), w, dy.sizes());
  Array<T> out(w);
  auto block = room_for_block<T>(s);
  each_block(s, tick,
             [&](std::int64_t at_x, std::int64_t at_y, std::int64_t at_w, std::int64_t first, std::int64_t last) {
               fill_columns(s, x.data() + at_x, first, last, block.data());
               const int width = whole((last - first) * s.y[2]), depth = whole(s.depth());
               blas::gemm('T', 'N', depth, whole(s.filters), width, T{1}, block.data(), width,
                          dy.data() + at_y + first * s.y[2], whole(s.y_count()), T{1}, out.edit() + at_w, depth);
             });
  return out;
}

#define NVMLKIT_DNN_FOR(T)                                                                                      \
  template Array<T> convolve(const Convolution&, const Array<T>&, const Array<T>&, const Sizes&, const Tick&);  \
  template Array<T> convolve_back_to_data(const Convolution&, const Array<T>&, const Array<T>&, const Sizes&,   \
                                          const Tick&);                                                         \
  template Array<T> convolve_back_to_filter(const Convolution&, const Array<T>&, const Array<T>&, const Sizes&, \
                                            const Tick&)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
