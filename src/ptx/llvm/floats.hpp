// Numbers of 32 and 64 bits.
#pragma once

#include <vector>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {

// Whether an instruction may flush small numbers, and what it then does.
bool may_flush(Op op, Type type);

// The same number, which LLVM does not know.
llvm::Value* unknown(llvm::IRBuilderBase& b, llvm::Value* number);

// Zero with the sign of an f32 that is less than the least normal one.
llvm::Value* flushed(llvm::IRBuilderBase& b, llvm::Value* x);

// 0 or 1 for what is beyond them; 0 for what is no number.
llvm::Value* between_0_and_1(llvm::IRBuilderBase& b, llvm::Value* x);

// Of bits, to bits.
llvm::Value* emit_floats(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& arguments);

}  // namespace nvmlkit::ptx::jit
