// Sums and products of f32 that are rounded down, up or towards zero.
#pragma once

#include <vector>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {

// Whether an instruction of f32 can be computed so.
bool may_be_directed(Op op);

// Of floats, to a float.
llvm::Value* emit_directed(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& floats);

}  // namespace nvmlkit::ptx::jit
