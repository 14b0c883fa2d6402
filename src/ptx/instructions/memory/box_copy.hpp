// One copy between a box of a tensor and shared memory.
#pragma once

#include "ptx/check/touched.hpp"
#include "ptx/instructions/memory/bulk_copies.hpp"
#include "ptx/tensor_map.hpp"

namespace nvmlkit::ptx {

// Operands: places in Function::operands.
enum BoxOperand : unsigned {
  kBoxMemory,
  kBoxMap,
  kBoxBarrier,
  kBoxBlocks,
  kBoxCoordinates,
  kBoxOffsets = kBoxCoordinates + TensorMap::kMostDimensions
};

// In an instruction's immediate.
struct TensorCopy {
  std::uint8_t rank;
  bool is_store, is_columns;
  Reduction how;
  std::uint8_t unused[4];
};
static_assert(sizeof(TensorCopy) == 8);

class BoxCopy {
 public:
  BoxCopy(Warp& w, const Instruction& i, unsigned lane, const TensorMap& map);

  // To or from an address of shared memory. False after a fault.
  bool copy(std::uint64_t shared);
  // The bytes of such a copy, which is not done.
  void list(std::uint64_t shared, TouchedBytes& out);
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(rows_ * row_bytes_); }

 private:
  // All rows of the dimensions up to one.
  bool rows(unsigned dimension);
  // Pixels of a column, in the order of memory; each is looked at some offset from where it is.
  bool columns();
  // Elements along the first dimension.
  bool row();
  struct Row {
    std::uint64_t shared = 0, global = 0;
    unsigned from = 0, until = 0;  // bytes of it that are in the tensor
  };
  Row place_of_row();
  bool copy_row(const Row& row);
  void list_row(const Row& row);
  void put(std::byte* to, const std::byte* from, std::size_t size) const;
  // What lies outside of the tensor: zeros, or numbers that are none.
  void fill(std::byte* bytes) const;
  Operand operand(unsigned index) const { return w_.frame().function->operands[i_.side + index]; }

  Warp& w_;
  const Instruction& i_;
  const unsigned lane_;
  const TensorCopy copy_;
  const TensorMap& map_;
  std::int64_t at_[TensorMap::kMostDimensions] = {};
  std::uint64_t shared_ = 0, rows_ = 0;
  unsigned row_bytes_ = 0, pitch_ = 0;
  TouchedBytes* list_ = nullptr;  // where rows are listed, and not copied
};

}  // namespace nvmlkit::ptx
