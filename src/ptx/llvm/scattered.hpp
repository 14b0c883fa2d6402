// Loads at an address for each lane.
#pragma once

#include "ptx/llvm/lanes.hpp"

namespace nvmlkit::ptx::jit {

// Of lane n from `base` and the n-th number of 64 bits at `table` more. `mask` has a bit for each lane that counts;
// null means all. Others have any value. `readable` is an address that they may load from.
llvm::Value* load_scattered(LaneBuilder& b, unsigned size, llvm::Value* base, llvm::Value* table, llvm::Value* mask,
                            llvm::Value* readable);

// A table of what each lane has more than lane 0.
llvm::Value* table_of(LaneBuilder& b, const Shape& shape);

}  // namespace nvmlkit::ptx::jit
