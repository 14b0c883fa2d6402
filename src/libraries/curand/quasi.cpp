#include "libraries/curand/quasi.hpp"

#include <cmath>

#include "libraries/curand/sobol.hpp"

namespace nvmlkit::curand {
namespace {

bool is_scrambled(curandRngType_t type) {
  return type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}
bool is_long(curandRngType_t type) {
  return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

// In the middle of the part of [0, 1] that a word stands for.
double middle_of(std::uint64_t word, bool is_double, bool with_long) {
  if (is_double && with_long) return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
  return (static_cast<double>(word >> 32) + 0.5) * 0x1p-32;
}

template <class T>
T converted(const Request& request, const Poisson& poisson, std::uint64_t word) {
  const bool with_long = is_long(request.type);
  if constexpr (std::is_integral_v<T>) {
    if (request.kind == Kind::poisson) return static_cast<T>(poisson.at(middle_of(word, false, false)));
    return static_cast<T>(sizeof(T) == 8 ? word : word >> 32);
  } else {
    if (request.kind == Kind::uniform) {
      if constexpr (std::is_same_v<T, float>) return static_cast<float>(word >> 32) * 0x1p-32f + 0x1p-33f;
      if (!with_long) return static_cast<T>((static_cast<double>(word >> 32) + 1) * 0x1p-32);
      return static_cast<T>(middle_of(word, true, true));
    }
    const double z = inverse_normal(middle_of(word, std::is_same_v<T, double>, with_long));
    const double normal = request.mean + z * request.deviation;
    return static_cast<T>(request.kind == Kind::lognormal ? std::exp(normal) : normal);
  }
}

}  // namespace

// Newton's steps with the error function of the C library.
double inverse_normal(double probability) {
  const bool is_upper = probability > 0.5;
  const double p = is_upper ? 1 - probability : probability;
  // A first guess below 0 (Abramowitz and Stegun, 26.2.23).
  const double t = std::sqrt(-2 * std::log(p));
  double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int k = 0; k < 3; ++k) {
    const double error = std::erfc(-x / std::sqrt(2.0)) / 2 - p;
    const double slope = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    x -= error / slope / (1 + x * error / slope / 2);
  }
  return is_upper ? -x : x;
}

template <class T>
void fill_quasi(const Request& request, const Poisson& poisson, T* out, Size count) {
  const bool scrambled = is_scrambled(request.type);
  const auto vectors = directions(request.dimensions, scrambled);
  const Size each = count / request.dimensions;
  for (std::uint32_t d = 0; d < request.dimensions; ++d) {
    std::uint64_t index = request.offset;
    std::uint64_t word = sobol(vectors[d], index) ^ (scrambled ? scramble_constant(d) : 0);
    for (Size k = 0; k < each; ++k) {
      out[static_cast<Size>(d) * each + k] = converted<T>(request, poisson, word);
      // Gray's code changes the bit of the lowest 1 of the next index.
      ++index;
      word ^= index == 0 ? 0 : vectors[d][static_cast<std::size_t>(__builtin_ctzll(index))];
    }
  }
}

template void fill_quasi<float>(const Request&, const Poisson&, float*, Size);
template void fill_quasi<double>(const Request&, const Poisson&, double*, Size);
template void fill_quasi<std::uint32_t>(const Request&, const Poisson&, std::uint32_t*, Size);
template void fill_quasi<unsigned long long>(const Request&, const Poisson&, unsigned long long*, Size);

}  // namespace nvmlkit::curand
