// A matrix in shared memory, from the descriptor of wgmma.
#pragma once

#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

// Rows of 8 by 16 bytes lie one behind the other, and such blocks some distances apart; within rows of 32, 64 or 128
// bytes, pieces of 16 are exchanged.
class SharedMatrix {
 public:
  // `by_k`: elements that are multiplied and summed up lie side by side.
  SharedMatrix(std::uint64_t descriptor, Type type, bool by_k);

  // `count` rows from `first` on, `depth` elements of each; the element of a row r and a depth k becomes
  // out[r * row_step + k * depth_step]. False after a fault.
  bool load(Warp& warp, const Instruction& i, unsigned first, unsigned count, unsigned depth, double* out,
            unsigned row_step, unsigned depth_step) const;
  // Calls f(address, row, depth) for each 16 bytes of the same, until it returns false.
  template <class F>
  bool each_piece(unsigned first, unsigned count, unsigned depth, F f) const {
    const unsigned each = kPiece / size_of(type_);
    const unsigned rows_of_piece = by_k_ ? 1 : each, depth_of_piece = by_k_ ? each : 1;
    for (unsigned row = 0; row < count; row += rows_of_piece)
      for (unsigned k = 0; k < depth; k += depth_of_piece)
        if (!f(address(first + row, k), row, k)) return false;
    return true;
  }
  static constexpr unsigned kPiece = 16;  // bytes

 private:
  // Of 16 bytes: the row and the depth of their first element.
  std::uint64_t address(unsigned row, unsigned depth) const;

  std::uint64_t start_, leading_, stride_;
  unsigned base_, units_;  // the number of the row in which exchanges begin; pieces of 16 bytes that they mix
  Type type_;
  bool by_k_;
};

}  // namespace nvmlkit::ptx
