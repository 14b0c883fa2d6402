// Numbers of 16 bits: f16, bf16, and pairs of them in a register.
#pragma once

#include <vector>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {

constexpr bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }
constexpr bool is_half(Type type) { return type == Type::f16 || type == Type::bf16 || is_pair(type); }
// Whether the bits of a value say nothing of the order of numbers.
constexpr bool is_of_floats(Type type) { return is_float(type) || is_half(type) || type == Type::f32x2; }

std::optional<Pure> half_form(const Function& function, std::uint32_t at);
std::optional<Pure> conversion_form(const Function& function, const Needs& needs, std::uint32_t at);
std::optional<Pure> set_form(const Function& function, std::uint32_t at);

// Arithmetic and comparisons. Of a pair, a comparison is of its lower half, or of the upper one.
llvm::Value* emit_halves(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& arguments,
                         bool of_upper = false);

// To f16 or bf16: of floats or doubles, rounded once to the nearest, and to 0x7FFF of what is no number.
llvm::Value* narrowed(llvm::IRBuilderBase& b, llvm::Value* x, Type to);
// To floats, of bits.
llvm::Value* widened(llvm::IRBuilderBase& b, llvm::Value* bits, Type from);

}  // namespace nvmlkit::ptx::jit
