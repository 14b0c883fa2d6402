// What is known of the 32 values of a register before the code runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ptx/types.hpp"

namespace nvmlkit::ptx::jit {

// Each lane has the value of lane 0 and a known number more, or any value. Sums are of the size of the register.
struct Shape {
  bool is_any = true;
  std::array<std::int64_t, kLanes> more{};
  std::optional<std::uint64_t> value;    // of lane 0, if it is known
  std::optional<std::uint64_t> example;  // of lane 0 in the warp that code is made for: nothing follows from it

  static Shape any() { return {}; }
  static Shape same() { return constant(std::nullopt); }
  static Shape constant(std::optional<std::uint64_t> value) {
    return {.is_any = false, .more = {}, .value = value, .example = {}};
  }

  bool is_same() const {
    if (is_any) return false;
    for (const auto m : more)
      if (m != 0) return false;
    return true;
  }
  // Each lane's is `step` more than that of the lane before.
  bool is_row(std::int64_t step) const {
    if (is_any) return false;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (more[lane] != step * lane) return false;
    return true;
  }
  std::int64_t least() const;
  std::int64_t most() const;
  bool fits_word() const;  // they have 32 bits with a sign
  // The lanes are as many apart.
  bool is_like(const Shape& other) const { return is_any == other.is_any && more == other.more; }
  bool operator==(const Shape&) const = default;
};

// What holds for both.
Shape join(const Shape& a, const Shape& b);
// Of results of so many bytes.
Shape sum(const Shape& a, const Shape& b, unsigned size, int sign = 1);
Shape product(const Shape& a, const Shape& b, unsigned size);
// Of values in memory, some of which count.
Shape observed(const std::byte* values, unsigned size, Mask lanes);

// The lowest bytes, with or without a sign.
std::uint64_t cut(std::uint64_t value, unsigned size);
std::int64_t truncated(std::uint64_t value, unsigned size);

}  // namespace nvmlkit::ptx::jit
