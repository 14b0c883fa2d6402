// Accesses to memory near each other: the same register with several numbers added. One check is enough for all of
// them.
#pragma once

#include <cstdint>

#include "ptx/llvm/access_form.hpp"

namespace llvm {
class Value;
}  // namespace llvm

namespace nvmlkit::ptx::jit {

struct Near {
  Space space = Space::shared;
  bool writes = false;  // of global memory, some may only be read
  Operand base;
  bool wide = true;
  bool of_image = false;
  std::int64_t low = 0, high = 0;        // bytes that are reached, from the base of lane 0 on
  std::uint64_t align = 1, residue = 0;  // base + residue is a multiple
  llvm::Value* base_value = nullptr;     // of lane 0
  llvm::Value* host = nullptr;           // of the bytes there, once it is checked
  llvm::Value* delta = nullptr;          // from an address to its bytes
  llvm::Value* holds_all = nullptr;      // whether those of all lanes are, not only of those that act

  bool is_of_one(const Near& other) const {
    return space == other.space && writes == other.writes && wide == other.wide && of_image == other.of_image &&
           base.packed == other.base.packed;
  }
  // Whether what holds for this one holds for the other.
  bool covers(const Near& other) const {
    return low <= other.low && other.high <= high && other.align <= align &&
           (residue - other.residue) % other.align == 0;
  }
  bool is_check_of(const Near& other) const {
    return is_of_one(other) && base_value == other.base_value && covers(other);
  }
};

// To be made before the code goes on.
struct NearCheck {
  std::uint32_t at;  // the access
  Shape shape;       // of its addresses
  Near near;
};

}  // namespace nvmlkit::ptx::jit
