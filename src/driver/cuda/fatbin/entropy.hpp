// The two entropy codes of Zstandard: finite state (FSE) and Huffman.
#pragma once

#include <string>
#include <vector>

#include "driver/cuda/fatbin/bit_reader.hpp"

namespace nvmlkit::cuda::fatbin {

struct FseTable {
  struct Cell {
    std::uint8_t symbol = 0;
    std::uint8_t bits = 0;
    std::uint16_t base = 0;
  };
  unsigned log = 0;
  std::vector<Cell> cells;

  bool is_there() const { return !cells.empty(); }
  static FseTable of(std::span<const short> probabilities, unsigned log);
  static FseTable of_one(std::uint8_t symbol);
  // From the front of `in`; how many bytes it took comes back.
  static FseTable read(Bytes in, unsigned most_log, unsigned most_symbols, std::size_t& taken);
};

class FseState {
 public:
  FseState(const FseTable& table, BackwardBits& bits) : table_(table), at_(bits.take(table.log)) {}
  std::uint8_t symbol() const { return table_.cells[at_].symbol; }
  void next(BackwardBits& bits) {
    const auto& cell = table_.cells[at_];
    at_ = cell.base + bits.take(cell.bits);
  }

 private:
  const FseTable& table_;
  std::uint64_t at_;
};

struct HuffmanTable {
  struct Cell {
    std::uint8_t symbol = 0;
    std::uint8_t bits = 0;
  };
  unsigned log = 0;
  std::vector<Cell> cells;

  bool is_there() const { return !cells.empty(); }
  static HuffmanTable read(Bytes in, std::size_t& taken);
  // So many symbols from one stream, to the end of `out`.
  void decode(Bytes stream, std::size_t count, std::string& out) const;

 private:
  static HuffmanTable of(std::vector<std::uint8_t> weights);
};

}  // namespace nvmlkit::cuda::fatbin
