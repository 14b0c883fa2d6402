// Random numbers by place: Philox 4x32 with 10 rounds. The same seed, offset and place give the same number.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace nvmlkit::dnn {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t offset) : seed_(seed), offset_(offset) {}

  // Within [0, 1).
  double uniform(std::uint64_t place) const { return bits(place, 0) * 0x1p-32; }
  double normal(std::uint64_t place) const {
    const double radius = std::sqrt(-2 * std::log((bits(place, 1) + 1.0) * 0x1p-32));
    return radius * std::cos(2 * std::numbers::pi * bits(place, 2) * 0x1p-32);
  }

 private:
  std::uint32_t bits(std::uint64_t place, unsigned word) const {
    std::uint32_t counter[] = {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32),
                               static_cast<std::uint32_t>(offset_), static_cast<std::uint32_t>(offset_ >> 32)};
    std::uint32_t key[] = {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)};
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0], b = std::uint64_t{0xCD9E8D57} * counter[2];
      const std::uint32_t next[] = {
          static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
          static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
      for (int k = 0; k < 4; ++k) counter[k] = next[k];
      key[0] += 0x9E3779B9, key[1] += 0xBB67AE85;
    }
    return counter[word];
  }

  std::uint64_t seed_, offset_;
};

}  // namespace nvmlkit::dnn
