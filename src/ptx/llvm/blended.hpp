// Registers of some lanes.
#pragma once

#include "ptx/llvm/lanes.hpp"

namespace nvmlkit::ptx::jit {

struct PackedPlaces;

// Stores a vector of lanes of so many bytes for those that `mask` has a bit for. Nobody else may change the place.
void store_blended(LaneBuilder& b, unsigned size, llvm::Value* to, llvm::Value* value, llvm::Value* mask);
// Of a register that may be packed, and the function that unpacks it (UnpackRegister).
void store_blended(LaneBuilder& b, unsigned size, const PackedPlaces& to, llvm::Value* value, llvm::Value* mask,
                   llvm::Value* unpack);

}  // namespace nvmlkit::ptx::jit
