#include "libraries/dnn/pointwise.hpp"

#include <cmath>
#include <numbers>

namespace nvmlkit::dnn {
namespace {

constexpr double kTanhFactor = 0.044715;

template <class T>
T logistic(T x) {
  return T{1} / (T{1} + std::exp(-x));
}
template <class T>
T normal_sum(T x) {  // below x
  return T(0.5) * (T{1} + std::erf(x / std::numbers::sqrt2_v<T>));
}
template <class T>
T tanh_of_gelu(T x) {
  return std::tanh(std::sqrt(T{2} / std::numbers::pi_v<T>) * (x + T(kTanhFactor) * x * x * x));
}

template <class T>
T binary(Mode mode, T a, T b) {
  switch (mode) {
    case Mode::add:
      return a + b;
    case Mode::mul:
      return a * b;
    case Mode::min:
      return std::isnan(a) || a < b ? a : b;
    case Mode::max:
      return std::isnan(a) || a > b ? a : b;
    case Mode::add_square:
      return a + b * b;
    case Mode::div:
      return a / b;
    case Mode::mod:
      return std::fmod(a, b);
    case Mode::pow:
      return std::pow(a, b);
    case Mode::sub:
      return a - b;
    case Mode::atan2:
      return std::atan2(a, b);
    case Mode::equal:
      return a == b;
    case Mode::not_equal:
      return a != b;
    case Mode::greater:
      return a > b;
    case Mode::greater_equal:
      return a >= b;
    case Mode::less:
      return a < b;
    case Mode::less_equal:
      return a <= b;
    case Mode::logical_and:
      return a != T{0} && b != T{0};
    default:  // logical_or
      return a != T{0} || b != T{0};
  }
}

template <class T>
T unary(const Pointwise& p, T a) {
  switch (p.mode) {
    case Mode::sqrt:
      return std::sqrt(a);
    case Mode::abs:
      return std::abs(a);
    case Mode::ceil:
      return std::ceil(a);
    case Mode::cos:
      return std::cos(a);
    case Mode::exp:
      return std::exp(a);
    case Mode::floor:
      return std::floor(a);
    case Mode::log:
      return std::log(a);
    case Mode::neg:
      return -a;
    case Mode::rsqrt:
      return T{1} / std::sqrt(a);
    case Mode::sin:
      return std::sin(a);
    case Mode::tan:
      return std::tan(a);
    case Mode::erf:
      return std::erf(a);
    case Mode::reciprocal:
      return T{1} / a;
    case Mode::logical_not:
      return a == T{0};
    default:
      return a;
  }
}

template <class T>
T activation(const Pointwise& p, T x) {
  const T lower = static_cast<T>(p.lower);
  switch (p.mode) {
    case Mode::relu:
      if (x < lower) return lower + static_cast<T>(p.slope) * (x - lower);
      return x > static_cast<T>(p.upper) ? static_cast<T>(p.upper) : x;
    case Mode::tanh:
      return std::tanh(x);
    case Mode::sigmoid:
      return logistic(x);
    case Mode::elu:
      return x > T{0} ? x : static_cast<T>(p.elu_alpha) * std::expm1(x);
    case Mode::gelu:
      return x * normal_sum(x);
    case Mode::softplus: {
      const T beta = static_cast<T>(p.softplus_beta);
      return (std::max(T{0}, beta * x) + std::log1p(std::exp(-std::abs(beta * x)))) / beta;
    }
    case Mode::swish:
      return x * logistic(static_cast<T>(p.swish_beta) * x);
    default:  // gelu_tanh
      return T(0.5) * x * (T{1} + tanh_of_gelu(x));
  }
}

// The slope at x.
template <class T>
T slope(const Pointwise& p, T x) {
  switch (p.mode) {
    case Mode::relu_back:
      if (x > static_cast<T>(p.lower)) return x < static_cast<T>(p.upper) ? T{1} : T{0};
      return static_cast<T>(p.slope);
    case Mode::tanh_back:
      return T{1} - std::tanh(x) * std::tanh(x);
    case Mode::sigmoid_back:
      return logistic(x) * (T{1} - logistic(x));
    case Mode::elu_back:
      return x > T{0} ? T{1} : static_cast<T>(p.elu_alpha) * std::exp(x);
    case Mode::gelu_back:
      return normal_sum(x) + x * std::exp(-x * x / T{2}) / std::sqrt(T{2} * std::numbers::pi_v<T>);
    case Mode::softplus_back:
      return logistic(static_cast<T>(p.softplus_beta) * x);
    case Mode::swish_back: {
      const T beta = static_cast<T>(p.swish_beta), s = logistic(beta * x);
      return s + beta * x * s * (T{1} - s);
    }
    default: {  // gelu_tanh_back
      const T t = tanh_of_gelu(x),
              inner = std::sqrt(T{2} / std::numbers::pi_v<T>) * (T{1} + T{3} * T(kTanhFactor) * x * x);
      return T(0.5) * (T{1} + t) + T(0.5) * x * (T{1} - t * t) * inner;
    }
  }
}

// Numbers of the places along an axis.
template <class T>
Array<T> places(const Sizes& sizes, int axis) {
  Array<T> out(sizes);
  std::int64_t inner = 1;
  for (std::size_t k = static_cast<std::size_t>(axis) + 1; k < sizes.size(); ++k) inner *= sizes[k];
  const auto size = sizes[static_cast<std::size_t>(axis)];
  for (std::int64_t k = 0, n = out.count(); k < n; ++k) out.edit()[k] = static_cast<T>(k / inner % size);
  return out;
}

}  // namespace

int arity(Mode mode) {
  const int n = static_cast<int>(mode);
  if (mode == Mode::select) return 3;
  if (mode == Mode::logical_not || mode == Mode::index || (n >= 100 && n <= 107)) return 1;
  if ((n >= 200 && n <= 207) || (n >= 300 && n <= 305) || n == 400 || n == 401) return 2;
  if (n < 0 || n > 23) return 0;
  const bool is_unary = mode == Mode::sqrt || (n >= 10 && n <= 22);
  return is_unary ? 1 : 2;
}

template <class T>
T apply(const Pointwise& p, T a, T b, T c) {
  const int n = static_cast<int>(p.mode);
  if (p.mode == Mode::select) return c != T{0} ? a : b;
  if (n / 100 == 1) return activation(p, a);
  if (n / 100 == 2) return a * slope(p, b);
  return arity(p.mode) == 2 ? binary(p.mode, a, b) : unary(p, a);
}

template <class T>
Array<T> apply(const Pointwise& p, const Array<T>& a, const Array<T>* b, const Array<T>* c, const Sizes& sizes) {
  if (p.mode == Mode::index) return places<T>(sizes, p.axis);
  const Array<T> wide_a = broadcast(a, sizes);
  const Array<T> wide_b = b ? broadcast(*b, sizes) : wide_a;
  const Array<T> wide_c = c ? broadcast(*c, sizes) : wide_a;
  Array<T> out(sizes);
  const T *const x = wide_a.data(), *const y = wide_b.data(), *const z = wide_c.data();
  T* const to = out.edit();
  const std::int64_t count = out.count();
  if (p.mode == Mode::add) {
    for (std::int64_t k = 0; k < count; ++k) to[k] = x[k] + y[k];
  } else if (p.mode == Mode::mul) {
    for (std::int64_t k = 0; k < count; ++k) to[k] = x[k] * y[k];
  } else {
    for (std::int64_t k = 0; k < count; ++k) to[k] = apply(p, x[k], y[k], z[k]);
  }
  return out;
}

#define NVMLKIT_DNN_FOR(T)                     \
  template T apply(const Pointwise&, T, T, T); \
  template Array<T> apply(const Pointwise&, const Array<T>&, const Array<T>*, const Array<T>*, const Sizes&)
NVMLKIT_DNN_FOR(float);
NVMLKIT_DNN_FOR(double);
#undef NVMLKIT_DNN_FOR

}  // namespace nvmlkit::dnn
