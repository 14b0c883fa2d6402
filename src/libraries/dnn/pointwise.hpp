// Functions of one to three numbers, for each element.
#pragma once

#include <limits>

#include "libraries/dnn/array.hpp"

namespace nvmlkit::dnn {

// With the numbers of cudnnPointwiseMode_t.
enum class Mode : int {
  add = 0,
  mul = 1,
  min = 2,
  max = 3,
  sqrt = 4,
  add_square = 5,
  div = 6,
  mod = 7,
  pow = 8,
  sub = 9,
  abs = 10,
  ceil = 11,
  cos = 12,
  exp = 13,
  floor = 14,
  log = 15,
  neg = 16,
  rsqrt = 17,
  sin = 18,
  tan = 19,
  erf = 20,
  identity = 21,
  reciprocal = 22,
  atan2 = 23,
  relu = 100,
  tanh = 101,
  sigmoid = 102,
  elu = 103,
  gelu = 104,
  softplus = 105,
  swish = 106,
  gelu_tanh = 107,
  relu_back = 200,
  tanh_back = 201,
  sigmoid_back = 202,
  elu_back = 203,
  gelu_back = 204,
  softplus_back = 205,
  swish_back = 206,
  gelu_tanh_back = 207,
  equal = 300,
  not_equal = 301,
  greater = 302,
  greater_equal = 303,
  less = 304,
  less_equal = 305,
  logical_and = 400,
  logical_or = 401,
  logical_not = 402,
  index = 501,
  select = 601,
};

struct Pointwise {
  Mode mode = Mode::identity;
  double lower = 0, upper = std::numeric_limits<double>::infinity(), slope = 0;  // of relu
  double elu_alpha = 1, softplus_beta = 1, swish_beta = 1;
  int axis = -1;  // of index
};

// Numbers that a mode takes; 0: there is no such mode.
int arity(Mode mode);
inline bool is_backward(Mode mode) { return static_cast<int>(mode) / 100 == 2; }

// One element. A backward mode takes the gradient of the output, and the input of the forward one.
template <class T>
T apply(const Pointwise& p, T a, T b, T c);

// All elements. Inputs of size 1 are repeated. `c` is read by `select` alone.
template <class T>
Array<T> apply(const Pointwise& p, const Array<T>& a, const Array<T>* b, const Array<T>* c, const Sizes& sizes);

}  // namespace nvmlkit::dnn
