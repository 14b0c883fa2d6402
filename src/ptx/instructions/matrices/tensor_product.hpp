// What a product of matrices in registers says of itself, for who executes it.
#pragma once

#include <cstdint>
#include <cstring>

#include "ptx/instructions/matrices/tensor_tile.hpp"

namespace nvmlkit::ptx {

// D = A * B + C. The registers of the four stand one after the other in Function::operands; behind those of a sparse A,
// the one that says what is there.
struct Product {
  std::uint8_t m, n, quarter_of_k;
  Type a, b, c, d;
  std::uint8_t flags;

  unsigned k() const { return quarter_of_k * 4u; }

  static Product of(const Instruction& i) {
    Product out;
    std::memcpy(&out, &i.immediate, sizeof out);
    return out;
  }
};
static_assert(sizeof(Product) == sizeof(Instruction::immediate));
inline constexpr std::uint8_t kWholeWarp = 1, kSaturatingSum = 2, kSparse = 4, kCountsBoth = 8;

inline Tile tile(const Product& p, char which) {
  const bool linear = p.flags & kWholeWarp;
  switch (which) {
    case 'a':
      return {linear ? Tile::Places::by_row : Tile::Places::left, p.m, p.flags & kSparse ? p.k() / 2 : p.k(), p.a,
              linear && p.a == Type::f16};
    case 'b':
      return {linear ? Tile::Places::by_row : Tile::Places::right, p.k(), p.n, p.b, linear && p.b == Type::f16};
    default:
      return {linear ? Tile::Places::by_row : Tile::Places::sum, p.m, p.n, which == 'c' ? p.c : p.d, false};
  }
}

}  // namespace nvmlkit::ptx
