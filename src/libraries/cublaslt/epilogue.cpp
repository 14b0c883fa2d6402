#include "libraries/cublaslt/epilogue.hpp"

#include <algorithm>
#include <cmath>

namespace nvmlkit::cublaslt {
namespace {

constexpr std::uint32_t kRelu = 2, kBias = 4, kDerivative = 8, kBiasGradient = 16, kGelu = 32, kDerivativeOfGelu = 64,
                        kAux = 128;

// The approximation by tanh.
template <class T>
constexpr T kRootOfTwoByPi = static_cast<T>(0.7978845608028654);
template <class T>
constexpr T kCubic = static_cast<T>(0.044715);
template <class T>
constexpr T kHalf = static_cast<T>(0.5);

template <class T>
T bend(T x) {
  return std::tanh(kRootOfTwoByPi<T> * (x + kCubic<T> * x * x * x));
}

template <class T>
T gelu(T x) {
  return kHalf<T> * x * (1 + bend(x));
}

template <class T>
T slope_of_gelu(T x) {
  const T t = bend(x);
  return kHalf<T> * (1 + t) + kHalf<T> * x * (1 - t * t) * kRootOfTwoByPi<T> * (1 + 3 * kCubic<T> * x * x);
}

float scale_at(libraries::Running& running, const void* pointer) {
  return pointer ? *running.read(static_cast<const float*>(pointer), 1) : 1;
}

}  // namespace

template <class Number>
Epilogue<Number>::Epilogue(const MatmulDescription& description, blas::Type result, std::int64_t m, std::int64_t n,
                           std::int64_t index, libraries::Running& running)
    : d_(description), m_(m), index_(index) {
  const bool is_narrow = blas::size_of(result) == 1;
  // Documented: of 8-bit floats, half or bfloat16 by the program's word, else the result's own type.
  bias_type_ = d_.bias_type >= 0 ? blas::Type(d_.bias_type) : is_narrow ? blas::Type::bf16 : result;
  aux_type_ = d_.aux_type >= 0 ? blas::Type(d_.aux_type) : result;
  if (has(kBias) && d_.bias) {
    bias_.resize(static_cast<std::size_t>(m));
    const auto size = blas::size_of(bias_type_);
    const auto* const at = static_cast<const char*>(d_.bias) + index * d_.bias_stride * static_cast<std::int64_t>(size);
    blas::load(bias_type_, running.read(static_cast<const void*>(at), m, size), m, bias_.data());
  }
  if (has(kBiasGradient)) gradient_.resize(static_cast<std::size_t>(m));
  if (has(kAux) && d_.aux) {
    // A mask has a bit for each number, and its sizes are in bits.
    const bool is_mask = has(kRelu) || has(kDerivative);
    const auto bytes = is_mask ? 1 : static_cast<std::int64_t>(blas::size_of(aux_type_));
    const auto per = is_mask ? 8 : 1;
    auto* const at = static_cast<char*>(d_.aux) + index * d_.aux_stride / per * bytes;
    const auto count = (n - 1) * d_.aux_ld / per + (m + per - 1) / per;
    aux_ = static_cast<char*>(running.write(static_cast<void*>(at), count, static_cast<std::size_t>(bytes)));
  }
  row_.resize(static_cast<std::size_t>(m));
  scale_ = is_narrow ? scale_at(running, d_.d_scale) : 1;
  aux_scale_ = scale_at(running, d_.aux_scale);
}

template <class Number>
bool Epilogue<Number>::is_none() const {
  return d_.epilogue <= 1 && scale_ == 1 && !d_.amax;
}

template <class Number>
void Epilogue<Number>::activate(std::int64_t column, Number* numbers) {
  if (has(kGelu)) {
    if (aux_) {
      for (std::int64_t i = 0; i < m_; ++i) row_[static_cast<std::size_t>(i)] = numbers[i] * aux_scale_;
      const auto size = static_cast<std::int64_t>(blas::size_of(aux_type_));
      blas::store(aux_type_, row_.data(), m_, aux_ + column * d_.aux_ld * size);
    }
    for (std::int64_t i = 0; i < m_; ++i) numbers[i] = gelu(numbers[i]);
  } else if (has(kRelu)) {
    auto* const mask = reinterpret_cast<unsigned char*>(aux_ ? aux_ + column * d_.aux_ld / 8 : nullptr);
    if (mask) std::fill_n(mask, (m_ + 7) / 8, 0);
    for (std::int64_t i = 0; i < m_; ++i) {
      if (mask && numbers[i] > 0) mask[i / 8] = static_cast<unsigned char>(mask[i / 8] | 1 << i % 8);
      numbers[i] = numbers[i] > 0 || std::isnan(numbers[i]) ? numbers[i] : 0;
    }
  }
}

// Products with the derivative of what was activated.
template <class Number>
void Epilogue<Number>::pass_back(std::int64_t column, Number* numbers) {
  if (!aux_) return;
  if (has(kDerivativeOfGelu)) {
    const auto size = static_cast<std::int64_t>(blas::size_of(aux_type_));
    blas::load(aux_type_, aux_ + column * d_.aux_ld * size, m_, row_.data());
    for (std::int64_t i = 0; i < m_; ++i) numbers[i] *= slope_of_gelu(row_[static_cast<std::size_t>(i)] * aux_scale_);
  } else if (has(kDerivative)) {
    const auto* const mask = reinterpret_cast<const unsigned char*>(aux_ + column * d_.aux_ld / 8);
    for (std::int64_t i = 0; i < m_; ++i)
      if (!(mask[i / 8] >> i % 8 & 1)) numbers[i] = 0;
  }
}

template <class Number>
void Epilogue<Number>::apply(std::int64_t column, Number* numbers) {
  for (std::size_t i = 0; i < bias_.size(); ++i) numbers[i] += bias_[i];
  activate(column, numbers);
  pass_back(column, numbers);
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] += numbers[i];
  if (d_.amax)
    for (std::int64_t i = 0; i < m_; ++i) largest_ = std::max(largest_, std::abs(numbers[i]));
  if (scale_ != 1)
    for (std::int64_t i = 0; i < m_; ++i) numbers[i] *= scale_;
}

template <class Number>
void Epilogue<Number>::finish(libraries::Running& running) {
  if (!gradient_.empty() && d_.bias) {
    const auto size = blas::size_of(bias_type_);
    auto* const at = static_cast<char*>(d_.bias) + index_ * d_.bias_stride * static_cast<std::int64_t>(size);
    blas::store(bias_type_, gradient_.data(), m_, running.write(static_cast<void*>(at), m_, size));
  }
  if (d_.amax) {
    float& out = *running.write(static_cast<float*>(d_.amax), 1);
    const auto largest = static_cast<float>(largest_);
    out = index_ == 0 ? largest : std::max(out, largest);
  }
}

template class Epilogue<float>;
template class Epilogue<double>;

}  // namespace nvmlkit::cublaslt
