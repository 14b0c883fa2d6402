// Loads at an address for each lane.
#pragma once

#include "ptx/llvm/lanes.hpp"

namespace nvmlkit::ptx::jit {

// Of lane n from `base` and the n-th number of 64 bits at `table` more. `mask` has a bit for each lane that counts;
// null means all. Others get 0.
llvm::Value* load_scattered(LaneBuilder& b, unsigned size, llvm::Value* base, llvm::Value* table, llvm::Value* mask);

// By an instruction of the processor. `offsets` are a vector, of 32 bits with a sign or of 64; `acts` is a predicate,
// and null means all. Others get 0.
llvm::Value* gather(LaneBuilder& b, unsigned size, llvm::Value* base, llvm::Value* offsets, llvm::Value* acts);

// A store of this kind. Where lanes have one address, the last one counts.
void scatter(LaneBuilder& b, llvm::Value* values, llvm::Value* base, llvm::Value* offsets, llvm::Value* acts);

// A table of what each lane has more than lane 0.
llvm::Value* table_of(LaneBuilder& b, const Shape& shape);

}  // namespace nvmlkit::ptx::jit
