// Convolutions in one to three dimensions: columns of the input, then a product of matrices.
#pragma once

#include <array>
#include <functional>

#include "libraries/dnn/array.hpp"

namespace nvmlkit::dnn {

// Called between parts of long work.
using Tick = std::function<void()>;

struct Convolution {
  Sizes before, after, stride, dilation;  // of each dimension in space; padding before and after
  bool flips = false;                     // the filter, as the mathematical convolution has it
  bool rounds = false;                    // inputs of float to TF32

  // Of the output, with batch and channels. x is N, C, space; w is K, C of a group, space.
  Sizes output(const Sizes& x, const Sizes& w) const;
  // Whether the three belong together. The groups follow from the channels.
  bool fits(const Sizes& x, const Sizes& w, const Sizes& y) const;
  double operations(const Sizes& w, const Sizes& y) const;
};

template <class T>
Array<T> convolve(const Convolution& c, const Array<T>& x, const Array<T>& w, const Sizes& y, const Tick& tick);
template <class T>
Array<T> convolve_back_to_data(const Convolution& c, const Array<T>& dy, const Array<T>& w, const Sizes& x,
                               const Tick& tick);
template <class T>
Array<T> convolve_back_to_filter(const Convolution& c, const Array<T>& x, const Array<T>& dy, const Sizes& w,
                                 const Tick& tick);

}  // namespace nvmlkit::dnn
