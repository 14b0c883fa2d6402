// Normalization: elements of a group share a mean and a variance.
#pragma once

#include "libraries/dnn/array.hpp"

namespace nvmlkit::dnn {

// Mean and variance of the elements that share a place of `sizes`, which has the size 1 or that of the elements.
template <class T>
struct Moments {
  Array<T> mean, variance;  // the variance of the elements themselves, not an estimate
  std::int64_t count;       // of elements that share a place
};
template <class T>
Moments<T> moments(const Array<T>& x, const Sizes& sizes);

// (x - mean) * inverse * scale + bias. Without scale: 1; without bias: 0.
template <class T>
Array<T> normalized(const Array<T>& x, const Array<T>& mean, const Array<T>& inverse, const Array<T>* scale,
                    const Array<T>* bias);
// 1 / sqrt(variance + epsilon)
template <class T>
Array<T> inverse_deviation(const Array<T>& variance, double epsilon);

template <class T>
struct NormalizationGradients {
  Array<T> x, scale, bias;
};
// Of moments that depend on x. `has_mean`: false for a normalization by the mean square alone.
template <class T>
NormalizationGradients<T> normalized_back(const Array<T>& x, const Array<T>& dy, const Array<T>& mean,
                                          const Array<T>& inverse, const Array<T>* scale, const Sizes& scale_sizes,
                                          bool has_mean = true);

}  // namespace nvmlkit::dnn
