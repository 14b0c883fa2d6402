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
  llvm::Value* base = nullptr;   // where addresses have 32 bits: what is added to `offsets` of lanes
  llvm::Value* offsets = nullptr;
  llvm::Value* delta = nullptr;      // of global memory: Reached::delta
  llvm::Value* holds_all = nullptr;  // whether the bytes of all lanes are there, not only of those that act; or null
};

class LaneBuilder;

// Memory that is known: what is added to an address of it gives the host's.
struct Room {
  llvm::Value *start, *size, *delta;
};

// What a lane has more than lane 0, at least and at most.
struct Extent {
  llvm::Value *least, *most;
};
Extent extent_of_all(LaneBuilder& b, const Shape& shape);

}  // namespace nvmlkit::ptx::jit
