// Windows and grids over images: pooling, and the bilinear sampler of spatial transformers.
#pragma once

#include "libraries/dnn/array.hpp"

namespace nvmlkit::dnn {

struct Pool {
  enum class Kind { max, average, average_inside };  // average_inside: padding does not count
  Kind kind = Kind::max;
  bool keeps_nan = false;
  Sizes window, pad, stride;  // of each dimension in space

  Sizes output(const Sizes& x) const;
};
template <class T>
Array<T> pool(const Pool& p, const Array<T>& x, const Sizes& y);
// A maximum gives its gradient to the first element that has it.
template <class T>
Array<T> pool_back(const Pool& p, const Array<T>& x, const Array<T>& dy);

// Points of the input for each place of the output, within -1 and 1: theta is [n, 2, 3], the grid [n, h, w, 2].
template <class T>
Array<T> affine_grid(const Array<T>& theta, std::int64_t height, std::int64_t width);
template <class T>
Array<T> affine_grid_back(const Array<T>& dgrid);

// Four neighbors by their distance; 0 outside. x is [n, c, h, w].
template <class T>
Array<T> sample(const Array<T>& x, const Array<T>& grid);
template <class T>
struct SampleGradients {
  Array<T> x, grid;
};
template <class T>
SampleGradients<T> sample_back(const Array<T>& x, const Array<T>& grid, const Array<T>& dy);

}  // namespace nvmlkit::dnn
