// add, sub, mul and fma of two f32 in a register of 64 bits.
#pragma once

#include <vector>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {

// Nothing where it is rounded otherwise than to the nearest.
std::optional<Pure> float_pair_form(const Function& function, std::uint32_t at);

llvm::Value* emit_float_pairs(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& arguments);

}  // namespace nvmlkit::ptx::jit
