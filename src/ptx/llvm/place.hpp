// Where the bytes of an access lie.
#pragma once

#include "ptx/llvm/shape.hpp"

namespace llvm {
class Value;
}

namespace nvmlkit::ptx::jit {

struct Place {
  const Shape* shape = nullptr;  // of the addresses
  llvm::Value* host = nullptr;   // address of the bytes: of lane 0, or of each lane
  bool is_laid_out = false;      // the address of each lane is in `laid_out_`
  llvm::Value* base = nullptr;   // where `offsets` of lanes have 32 bits: what is added to them
  llvm::Value* offsets = nullptr;
  llvm::Value* step = nullptr;       // of local memory at one address: from lane to lane, beginning at `base`
  llvm::Value* row = nullptr;        // of local memory in words at one address: where its row begins,
  llvm::Value* bits = nullptr;       // and how many bits of a word lie below the bytes
  llvm::Value* delta = nullptr;      // of global memory: Reached::delta
  llvm::Value* holds_all = nullptr;  // whether the bytes of all lanes are there, not only of those that act; or null
};

class LaneBuilder;

// Memory that is known: what is added to an address of it gives the host's.
struct Room {
  llvm::Value *start, *size, *delta;
};

// Each lane has so many bytes.
struct LocalMemory {
  llvm::Value *begin = nullptr, *bytes = nullptr;
  llvm::Value* of_lanes = nullptr;  // where the first byte of a lane lies: a vector of 32 bits
  bool is_in_words = false;         // local_words.hpp
};

// What a lane has more than lane 0, at least and at most.
struct Extent {
  llvm::Value *least, *most;
};
Extent extent_of_all(LaneBuilder& b, const Shape& shape);

}  // namespace nvmlkit::ptx::jit
