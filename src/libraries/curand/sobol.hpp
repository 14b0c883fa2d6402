// Sobol's sequence: words of 64 bits, of which the 32-bit sequence is the upper half.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace nvmlkit::curand {

inline constexpr std::uint32_t kMostDimensions = 20000;

using Directions = std::array<std::uint64_t, 64>;

// Of Joe and Kuo, dimension by dimension, as many as the degree of the polynomial.
std::span<const std::uint16_t> initial_numbers();

// The first `dimensions`, or more; scrambled: each bit depends on those before it, in a way of our own.
std::vector<Directions> directions(std::uint32_t dimensions, bool is_scrambled);
// What a scrambled dimension begins with.
std::uint64_t scramble_constant(std::uint32_t dimension);

inline std::uint64_t sobol(const Directions& directions, std::uint64_t index) {
  std::uint64_t out = 0;
  for (std::uint64_t gray = index ^ index >> 1, bit = 0; gray != 0; gray >>= 1, ++bit)
    if (gray & 1) out ^= directions[bit];
  return out;
}

}  // namespace nvmlkit::curand
