// The Poisson distribution by its inverse.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nvmlkit::curand {

class Poisson {
 public:
  // 0: none.
  explicit Poisson(double lambda) {
    if (!(lambda > 0)) return;
    const double reach = 12 * std::sqrt(lambda) + 30;
    first_ = static_cast<std::uint64_t>(std::max(0.0, std::floor(lambda - reach)));
    double sum = 0;
    for (std::uint64_t k = first_; static_cast<double>(k) <= lambda + reach; ++k) {
      const auto x = static_cast<double>(k);
      sum += std::exp(x * std::log(lambda) - lambda - std::lgamma(x + 1));
      sums_.push_back(sum);
    }
  }

  // The smallest number that has a probability here, and the probabilities from it on.
  std::uint64_t first() const { return first_; }
  std::vector<double> probabilities() const {
    std::vector<double> out = sums_;
    for (std::size_t k = out.size(); k-- > 1;) out[k] -= out[k - 1];
    return out;
  }

  // For a number between 0 and 1.
  std::uint32_t at(double probability) const {
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), probability);
    return static_cast<std::uint32_t>(first_ + static_cast<std::uint64_t>(found - sums_.begin()));
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<double> sums_;
};

}  // namespace nvmlkit::curand
