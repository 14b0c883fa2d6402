// Local response normalization across channels: each element over a power of the squares around it.
#pragma once

#include "libraries/dnn/array.hpp"

namespace nvmlkit::dnn {

// x / (k + alpha / n * sum of squares)^beta, where the sum is over n channels from (n - 1) / 2 before on.
struct LocalResponse {
  int n = 5;
  double alpha = 1e-4, beta = 0.75, k = 2;
};

// The second size of x is that of the channels.
template <class T>
Array<T> local_response(const Array<T>& x, const LocalResponse& how);
template <class T>
Array<T> local_response_back(const Array<T>& x, const Array<T>& dy, const LocalResponse& how);

}  // namespace nvmlkit::dnn
