// A matrix with elements in registers of all lanes of a warp.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

class Warp;

// What a product that is no number has, whatever its factors had: the order of those does not matter then.
inline constexpr std::uint32_t kNoFloat = 0x7FFFFFFF;
inline constexpr std::uint64_t kNoDouble = 0xFFF8000000000000;

// An element of a matrix as a number.
double tile_number(const std::byte* at, Type type);

struct Tile {
  // Which lane has which element. mma says so: its left and right matrix and its sums. For wmma any order will do that
  // its loads, products and stores share.
  enum class Places : std::uint8_t { left, right, sum, by_row };
  struct Place {
    unsigned row, column;
  };
  static constexpr unsigned kMost = 16 * 256;  // elements

  Places places;
  unsigned rows, columns;
  Type type;

  // wmma has room for 16 halves of a left or right matrix in each lane; what is over repeats the others.
  bool repeats = false;

  // Elements of a lane.
  unsigned slots() const;
  unsigned per_register() const;
  unsigned registers() const { return slots() / per_register(); }
  Type register_type() const;

  Place place(unsigned lane, unsigned slot) const;
  std::byte* element(const Warp& warp, const Operand* registers, unsigned lane, unsigned slot) const;

  // Between the registers and numbers, row after row.
  void gather(const Warp& warp, const Operand* registers, double* out) const;
  // Of elements of less than a byte, the one in the lowest bits.
  static double small_number(std::uint32_t bits, Type type);
  void scatter(const Warp& warp, const Operand* registers, const double* from) const;

  // Between the registers and memory, of a tile of wmma with elements of at least a byte. In memory, row lies behind
  // row, or column behind column, so many elements apart.
  struct InMemory {
    std::byte* start;
    std::uint64_t stride;
    bool by_column, is_target;
  };
  void move(const Warp& warp, const Operand* registers, const InMemory& memory) const;
};

inline unsigned Tile::slots() const { return repeats ? 16 : rows * columns / kLanes; }

inline unsigned Tile::per_register() const {
  const auto bits = bits_of_element(type);
  return bits >= 32 ? 1 : 32 / bits;
}

inline Type Tile::register_type() const {
  return type == Type::f64 ? Type::f64 : type == Type::f32 ? Type::f32 : Type::b32;
}

inline Tile::Place Tile::place(unsigned lane, unsigned slot) const {
  const unsigned group = lane / 4, own = lane % 4, packed = per_register();
  const unsigned reg = slot / packed, part = slot % packed;
  switch (places) {
    case Places::left:
      return rows == 16 ? Place{group + reg % 2 * 8, own * packed + part + reg / 2 * 4 * packed}
                        : Place{group, own * packed + part + reg * 4 * packed};
    case Places::right:
      return {own * packed + part + reg * 4 * packed, group};
    case Places::sum:
      return {group + slot / 2 * 8, own * 2 + slot % 2};
    case Places::by_row:
      break;
  }
  const unsigned each = rows * columns / kLanes;
  const unsigned index = lane * each + slot % each;
  return {index / columns, index % columns};
}

}  // namespace nvmlkit::ptx
