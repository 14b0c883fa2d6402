// Elements at other places: padding, and the patches of which a convolution makes its sums.
#pragma once

#include "libraries/dnn/convolution.hpp"

namespace nvmlkit::dnn {

// Of the given sizes, with x behind `before` elements of each dimension and zeros around. Below 0: x is cut.
template <class T>
Array<T> padded(const Array<T>& x, const Sizes& before, const Sizes& sizes);

// Padding, then the space in blocks: each of the `folds` places of a block has channels of its own, behind those of the
// place before it. `before` and `after` are of all dimensions, `folds` of the space.
struct Folding {
  Sizes before, after, folds;
};
template <class T>
Array<T> folded(const Array<T>& x, const Folding& f, const Sizes& sizes);
// The way back: the space is made, then padded. Channels are cut and not padded.
template <class T>
Array<T> unfolded(const Array<T>& x, const Folding& f, const Sizes& sizes);

// A row for each element of a channel of the output: what the filter meets there, channel by channel.
template <class T>
Array<T> patches(const Convolution& c, const Array<T>& x, const Sizes& w, const Sizes& y);

}  // namespace nvmlkit::dnn
