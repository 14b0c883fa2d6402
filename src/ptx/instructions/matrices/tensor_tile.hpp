// A matrix with elements in registers of all lanes of a warp.
#pragma once

#include "ptx/module.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

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
};

}  // namespace nvmlkit::ptx
