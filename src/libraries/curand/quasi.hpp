// Quasirandom results: all of one dimension, then all of the next.
#pragma once

#include "libraries/curand/numbers.hpp"
#include "libraries/curand/poisson.hpp"

namespace nvmlkit::curand {

template <class T>
void fill_quasi(const Request& request, const Poisson& poisson, T* out, Size count);

// The number below which a normal number is with a probability, which is not 0 or 1.
double inverse_normal(double probability);

}  // namespace nvmlkit::curand
