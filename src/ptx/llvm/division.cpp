// Quotients and remainders of whole numbers. By zero both have all bits.
#include <llvm/IR/IRBuilder.h>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

// Of vectors of up to 32 bits, by doubles: those hold the quotient well enough to cut it off.
Value* by_doubles(llvm::IRBuilderBase& b, Value* x, Value* y, bool with_signs) {
  const auto* const vector = llvm::cast<llvm::FixedVectorType>(x->getType());
  auto* const type = llvm::FixedVectorType::get(b.getDoubleTy(), vector->getNumElements());
  const auto real = [&](Value* v) { return with_signs ? b.CreateSIToFP(v, type) : b.CreateUIToFP(v, type); };
  auto* const quotient = b.CreateFDiv(real(x), real(y));
  return with_signs ? b.CreateFPToSI(quotient, x->getType()) : b.CreateFPToUI(quotient, x->getType());
}

}  // namespace

Value* emit_division(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& a) {
  auto *const x = a[0], *const y = a[1];
  const bool with_signs = is_signed(pure.type);
  auto* const type = x->getType();
  auto *const zero = llvm::ConstantInt::get(type, 0), *const one = llvm::ConstantInt::get(type, 1);
  auto* const ones = llvm::Constant::getAllOnesValue(type);
  auto *const by_none = b.CreateICmpEQ(y, zero), *const by_less = b.CreateICmpEQ(y, ones);
  auto* const is_special = with_signs ? b.CreateOr(by_none, by_less) : by_none;
  auto* const divisor = b.CreateSelect(is_special, one, y);
  Value* quotient = nullptr;
  if (type->isVectorTy() && size_of(pure.type) <= 4)
    quotient = by_doubles(b, x, divisor, with_signs);
  else
    quotient = with_signs ? b.CreateSDiv(x, divisor) : b.CreateUDiv(x, divisor);
  if (with_signs) quotient = b.CreateSelect(by_less, b.CreateNeg(x), quotient);
  if (pure.rule == Rule::divide) return b.CreateSelect(by_none, ones, quotient);
  return b.CreateSelect(by_none, ones, b.CreateSub(x, b.CreateMul(quotient, y)));
}

}  // namespace nvmlkit::ptx::jit
