// Distributions: means, variances, Kolmogorov and Smirnov's distance, of all types.
#include <algorithm>
#include <cmath>

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

constexpr std::size_t kCount = 100000;

struct Moments {
  double mean = 0, variance = 0;
};
template <class T>
Moments moments_of(const std::vector<T>& numbers) {
  Moments out;
  for (const T x : numbers) out.mean += static_cast<double>(x);
  out.mean /= static_cast<double>(numbers.size());
  for (const T x : numbers) out.variance += std::pow(static_cast<double>(x) - out.mean, 2);
  out.variance /= static_cast<double>(numbers.size());
  return out;
}
// The largest distance to the distribution; 2 / sqrt(n) is passed by one in 1500 good generators.
template <class T, class Distribution>
double distance_to(std::vector<T> numbers, Distribution distribution) {
  std::sort(numbers.begin(), numbers.end());
  double out = 0;
  const auto n = static_cast<double>(numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double p = distribution(static_cast<double>(numbers[k])), at = static_cast<double>(k);
    out = std::max({out, std::abs(p - at / n), std::abs(p - (at + 1) / n)});
  }
  return out * std::sqrt(n);
}
double normal_distribution(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(Distributions, Uniform) {
  for (const auto type : all_types()) {
    const HostGenerator generator(library(), type);
    const auto line = [](double x) { return x; };
    EXPECT_LT(distance_to(generator.uniform(kCount), line), 2) << type;
    const auto numbers = generator.uniform_double(kCount);
    EXPECT_LT(distance_to(numbers, line), 2) << type;
    EXPECT_GT(*std::min_element(numbers.begin(), numbers.end()), 0);
    EXPECT_LE(*std::max_element(numbers.begin(), numbers.end()), 1);
    const auto moments = moments_of(numbers);
    EXPECT_NEAR(moments.mean, 0.5, 0.005) << type;
    EXPECT_NEAR(moments.variance, 1.0 / 12, 0.002) << type;
  }
}

TEST(Distributions, Normal) {
  for (const auto type : all_types()) {
    const HostGenerator generator(library(), type);
    EXPECT_LT(distance_to(generator.normal(kCount, 5, 2), [](double x) { return normal_distribution((x - 5) / 2); }), 2)
        << type;
    const auto numbers = generator.normal_double(kCount, -1, 3);
    EXPECT_LT(distance_to(numbers, [](double x) { return normal_distribution((x + 1) / 3); }), 2) << type;
    const auto moments = moments_of(numbers);
    EXPECT_NEAR(moments.mean, -1, 0.05) << type;
    EXPECT_NEAR(moments.variance, 9, 0.2) << type;
  }
}

TEST(Distributions, LogNormal) {
  for (const auto type : all_types()) {
    const HostGenerator generator(library(), type);
    std::vector<double> numbers(kCount);
    ASSERT_EQ(library().curandGenerateLogNormalDouble(generator, numbers.data(), kCount, 0.5, 0.25), kFine);
    EXPECT_LT(distance_to(numbers, [](double x) { return normal_distribution((std::log(x) - 0.5) / 0.25); }), 2)
        << type;
  }
}

TEST(Distributions, Poisson) {
  for (const auto type :
       {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_QUASI_SOBOL32})
    for (const double lambda : {0.1, 4.0, 150.0, 20000.0}) {
      const HostGenerator generator(library(), type);
      std::vector<std::uint32_t> numbers(kCount);
      ASSERT_EQ(library().curandGeneratePoisson(generator, numbers.data(), kCount, lambda), kFine);
      const auto moments = moments_of(numbers);
      EXPECT_NEAR(moments.mean, lambda, 5 * std::sqrt(lambda / kCount)) << type;
      EXPECT_NEAR(moments.variance / lambda, 1, 0.03) << type;
    }
}

// Neighbours, and numbers of neighbouring sequences, do not follow each other.
TEST(Distributions, NeighboursAreIndependent) {
  for (const auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                          CURAND_RNG_PSEUDO_MT19937})
    for (const std::size_t apart : {1u, 2u, 4096u}) {
      const HostGenerator generator(library(), type);
      const auto numbers = generator.uniform_double(kCount);
      double sum = 0;
      for (std::size_t k = 0; k + apart < kCount; ++k) sum += (numbers[k] - 0.5) * (numbers[k + apart] - 0.5);
      EXPECT_LT(std::abs(sum * 12 / kCount), 5 / std::sqrt(static_cast<double>(kCount))) << type << " " << apart;
    }
}

}  // namespace
}  // namespace nvmlkit::library_test
