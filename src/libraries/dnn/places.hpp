// Elements at other places: padding, and the patches of which a convolution makes its sums.
#pragma once

#include "libraries/dnn/convolution.hpp"

namespace nvmlkit::dnn {

// Of the given sizes, with x behind `before` elements of each dimension and zeros around. Below 0: x is cut.
template <class T>
Array<T> padded(const Array<T>& x, const Sizes& before, const Sizes& sizes);

// A row for each element of a channel of the output: what the filter meets there, channel by channel.
template <class T>
Array<T> patches(const Convolution& c, const Array<T>& x, const Sizes& w, const Sizes& y);

}  // namespace nvmlkit::dnn
