// Sums and other reductions, products of matrices, softmax.
#pragma once

#include "libraries/dnn/convolution.hpp"

namespace nvmlkit::dnn {

// With the numbers of cudnnReduceTensorOp_t.
enum class Reduction : int {
  add = 0,
  mul = 1,
  min = 2,
  max = 3,
  amax = 4,
  average = 5,
  norm1 = 6,
  norm2 = 7,
  mul_no_zeros = 8
};

// `sizes` has the size 1, or that of the elements. `places`, if there, takes the place of a minimum or maximum within
// the reduced dimensions.
template <class T>
Array<T> reduce(Reduction kind, const Array<T>& from, const Sizes& sizes, std::vector<std::int64_t>* places = nullptr);

// Of the last two dimensions. A batch of size 1 is repeated; one that divides the other is shared by neighbors.
template <class T>
Array<T> matmul(const Array<T>& a, const Array<T>& b, const Sizes& sizes, const Tick& tick);

// Along the middle of [outer, length, inner].
struct Softmax {
  std::int64_t outer, length, inner;
  bool is_log = false, subtracts_max = true;
};
template <class T>
void softmax(const Softmax& s, const T* x, T* y);
template <class T>
void softmax_back(const Softmax& s, const T* y, const T* dy, T* dx);

}  // namespace nvmlkit::dnn
