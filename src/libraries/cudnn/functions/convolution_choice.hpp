// Which algorithm a convolution takes: all compute the same here, without a workspace. The one that is named first is
// the fastest on hardware.
#pragma once

#include <chrono>

#include "libraries/cudnn/functions/convolution_settings.hpp"
#include "libraries/cudnn/functions/convolutions.hpp"

namespace nvmlkit::cudnn::functions {

// The three descriptors of a convolution in the order of a function's arguments.
inline cudnnStatus_t check_three(const Tensor* x, const Filter* w, const Convolution* c, const Tensor* y) {
  return check_convolution(c, x, w, y);
}
inline cudnnStatus_t check_three(const Filter* w, const Tensor* y, const Convolution* c, const Tensor* x) {
  return check_convolution(c, x, w, y);
}
inline cudnnStatus_t check_three(const Tensor* x, const Tensor* y, const Convolution* c, const Filter* w) {
  return check_convolution(c, x, w, y);
}

template <class Algorithm>
cudnnStatus_t tell_choice(int requested, int* count, Performance<Algorithm>* results, const Convolution& c,
                          float time) {
  if (!count || !results || requested < 1) return bad("no place for the results");
  *count = 1;
  results[0] = {static_cast<Algorithm>(1), CUDNN_STATUS_SUCCESS, time, 0, CUDNN_DETERMINISTIC, c.math_type, {}};
  return CUDNN_STATUS_SUCCESS;
}

// By heuristics: no time is known.
template <class A, class B, class D, class Algorithm>
cudnnStatus_t choose(const Call&, const A* a, const B* b, const Convolution* c, const D* d, int requested, int* count,
                     Performance<Algorithm>* results) {
  if (const auto status = check_three(a, b, c, d); status != CUDNN_STATUS_SUCCESS) return status;
  return tell_choice(requested, count, results, *c, -1);
}

// By a run: the time that it took. Like the original, it overwrites the output.
template <class A, class B, class D, class Algorithm>
cudnnStatus_t find(const Call& call, const A* of_a, const void* a, const B* of_b, const void* b, const Convolution* c,
                   const D* of_d, void* d, int requested, int* count, Performance<Algorithm>* results, void*, size_t) {
  const float zero = 0, one = 1;
  const double wide_zero = 0, wide_one = 1;
  if (const auto status = check_three(of_a, of_b, c, of_d); status != CUDNN_STATUS_SUCCESS) return status;
  const bool is_double = of_d->layout.type == dnn::Type::f64;
  const void* const alpha = is_double ? static_cast<const void*>(&wide_one) : &one;
  const void* const beta = is_double ? static_cast<const void*>(&wide_zero) : &zero;
  const auto start = std::chrono::steady_clock::now();
  cudnnStatus_t status;
  if constexpr (std::is_same_v<Algorithm, cudnnConvolutionFwdAlgo_t>)
    status = convolve(call, alpha, of_a, a, of_b, b, c, Algorithm{}, nullptr, 0, beta, of_d, d);
  else if constexpr (std::is_same_v<Algorithm, cudnnConvolutionBwdDataAlgo_t>)
    status = convolve_to_data(call, alpha, of_a, a, of_b, b, c, Algorithm{}, nullptr, 0, beta, of_d, d);
  else
    status = convolve_to_filter(call, alpha, of_a, a, of_b, b, c, Algorithm{}, nullptr, 0, beta, of_d, d);
  if (status == CUDNN_STATUS_SUCCESS) status = call.wait();
  if (status != CUDNN_STATUS_SUCCESS) return status;
  const std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - start;
  return tell_choice(requested, count, results, *c, time.count());
}

template <class A, class B, class D, class Algorithm>
cudnnStatus_t size_of_workspace(const Call&, const A* a, const B* b, const Convolution* c, const D* d, Algorithm,
                                size_t* out) {
  if (const auto status = check_three(a, b, c, d); status != CUDNN_STATUS_SUCCESS) return status;
  if (!out) return bad("no place for the size");
  *out = 0;
  return CUDNN_STATUS_SUCCESS;
}

inline cudnnStatus_t count_algorithms(const Call&, int* count) {
  if (!count) return bad("no place for the count");
  *count = 1;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
