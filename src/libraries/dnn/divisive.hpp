// Divisive normalization: each element over a power of how far the elements around it lie from its mean.
#pragma once

#include "libraries/dnn/array.hpp"

namespace nvmlkit::dnn {

// x / (k + alpha / n^d * sum of (x_j - mean)^2)^beta in d dimensions of space. The sum is over n places of each of
// them, from (n - 1) / 2 before on, as far as they are there; the mean is that of the element in the middle.
struct Divisive {
  int n = 5;
  double alpha = 1e-4, beta = 0.75, k = 2;
};

template <class T>
Array<T> divided(const Array<T>& x, const Array<T>& means, const Divisive& how);

template <class T>
struct DivisiveGradients {
  Array<T> x, means;
};
template <class T>
DivisiveGradients<T> divided_back(const Array<T>& x, const Array<T>& means, const Array<T>& dy, const Divisive& how);

}  // namespace nvmlkit::dnn
