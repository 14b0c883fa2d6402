// Types and constants of the shape of another value: of a vector of lanes, or of one number.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

#include <cstdint>

namespace nvmlkit::ptx::jit {

inline llvm::Type* like(llvm::Type* element, llvm::Value* v) {
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
}
inline llvm::Value* number(llvm::Value* as, std::uint64_t value) {
  return llvm::ConstantInt::get(as->getType(), value);
}
inline llvm::Value* real(llvm::Value* as, double value) { return llvm::ConstantFP::get(as->getType(), value); }

}  // namespace nvmlkit::ptx::jit
