// Bit streams of Zstandard: forwards from the first byte, and backwards from the last.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nvmlkit::cuda::fatbin {

struct Malformed {};  // thrown within the decoder, never out of it

using Bytes = std::span<const std::byte>;

inline std::uint64_t little_endian(Bytes in, std::size_t at, std::size_t size) {
  if (at > in.size() || size > in.size() - at) throw Malformed{};
  std::uint64_t out = 0;
  for (std::size_t k = 0; k < size; ++k) out |= std::to_integer<std::uint64_t>(in[at + k]) << 8 * k;
  return out;
}

class ForwardBits {
 public:
  explicit ForwardBits(Bytes in) : in_(in) {}

  std::uint32_t peek(unsigned count) const {
    std::uint32_t out = 0;
    for (unsigned k = 0; k < count; ++k) {
      const auto bit = at_ + k;
      if (bit / 8 < in_.size()) out |= (std::to_integer<std::uint32_t>(in_[bit / 8]) >> bit % 8 & 1) << k;
    }
    return out;
  }
  void skip(unsigned count) { at_ += count; }
  std::uint32_t take(unsigned count) {
    const auto out = peek(count);
    skip(count);
    return out;
  }
  std::size_t bytes_taken() const {
    if ((at_ + 7) / 8 > in_.size()) throw Malformed{};
    return (at_ + 7) / 8;
  }

 private:
  Bytes in_;
  std::size_t at_ = 0;
};

// The highest set bit of the last byte is a mark; reading goes down from it. Behind the start there are zeros.
class BackwardBits {
 public:
  explicit BackwardBits(Bytes in) : in_(in) {
    if (in.empty() || in.back() == std::byte{}) throw Malformed{};
    left_ = static_cast<std::int64_t>(8 * in.size()) - 8 + std::bit_width(std::to_integer<unsigned>(in.back())) - 1;
  }

  std::uint64_t take(unsigned count) {
    std::uint64_t out = 0;
    left_ -= count;
    // Whole bytes around the wanted bits, then the shift.
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(count); ++k) {
      const auto bit = left_ + k;
      if (bit < 0) continue;
      out |= (std::to_integer<std::uint64_t>(in_[static_cast<std::size_t>(bit / 8)]) >> bit % 8 & 1) << k;
    }
    return out;
  }
  // Below zero: more was read than there is.
  std::int64_t left() const { return left_; }

 private:
  Bytes in_;
  std::int64_t left_;
};

}  // namespace nvmlkit::cuda::fatbin
