#include "ptx/instructions/matrices/sparse.hpp"

#include <algorithm>

namespace nvmlkit::ptx {
namespace {

constexpr unsigned kRows = 16;

// Of a row, the 4 bits of a chunk of elements.
unsigned bits_of_chunk(const std::uint32_t* words, unsigned bits_of_row, unsigned selector, unsigned row,
                       unsigned chunk) {
  const unsigned group = row % 8 * 4, upper = row / 8;
  const unsigned at = chunk * 4;
  if (bits_of_row == 64) return words[group + at / 32 * 2 + upper] >> at % 32 & 15;
  const unsigned lane = bits_of_row == 16 ? selector : 2 * selector + at / 16;
  return words[group + lane] >> (16 * upper + at % 16) & 15;
}

}  // namespace

unsigned SparseRows::bits() const {
  unsigned out = 0;
  switch (bits_of_element(type)) {
    case 32:
      out = 2 * depth;
      return out == 16 || out == 32 ? out : 0;
    case 16:
      return depth == 16 || depth == 32 ? depth : 0;
    case 8:
      return depth == 64 ? depth : 0;
    case 4:
      return depth == 128 ? depth / 2 : 0;
    default:
      return 0;
  }
}

void SparseRows::expand(const Warp& warp, Operand places, unsigned selector, const double* stored, double* out) const {
  const auto* const words = warp.at<std::uint32_t>(places);
  const unsigned all = bits(), size = bits_of_element(type);
  // Two of four are there; of tf32 one of two, and of 4 bits two pairs of four.
  const unsigned chunk_depth = size == 32 ? 2 : size == 4 ? 8 : 4;
  std::fill_n(out, kRows * depth, 0.0);
  for (unsigned row = 0; row < kRows; ++row)
    for (unsigned chunk = 0; chunk < depth / chunk_depth; ++chunk) {
      const auto bits = bits_of_chunk(words, all, selector, row, chunk);
      const auto* const from = stored + row * depth / 2 + chunk * chunk_depth / 2;
      auto* const to = out + row * depth + chunk * chunk_depth;
      const unsigned first = bits & 3, second = bits >> 2;
      if (size == 32) {
        to[first / 2] = from[0];
        continue;
      }
      const unsigned each = chunk_depth / 4;
      std::copy_n(from, each, to + first * each);
      std::copy_n(from + each, each, to + second * each);
    }
}

}  // namespace nvmlkit::ptx
