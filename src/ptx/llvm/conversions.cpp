// Conversions between numbers, bit by bit as the interpreter makes them.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

class Conversion {
 public:
  Conversion(const Pure& pure, llvm::IRBuilderBase& b, Value* from) : p_(pure), b_(b), from_(from) {}

  Value* emit() {
    if (p_.type == Type::f16 || p_.type == Type::bf16) return narrow();
    if (p_.from == Type::bf16) return from_bfloat();
    if (is_float(p_.from)) return is_float(p_.type) ? bits(between(real(), p_.type)) : cut(rounded(real()));
    if (is_float(p_.type)) {
      auto* const to = like(real_type(p_.type));
      return bits(is_signed(p_.from) ? b_.CreateSIToFP(from_, to) : b_.CreateUIToFP(from_, to));
    }
    auto* const to = like(integer(p_.type));
    return is_signed(p_.from) ? b_.CreateSExtOrTrunc(from_, to) : b_.CreateZExtOrTrunc(from_, to);
  }

 private:
  llvm::Type* like(llvm::Type* element) {
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(from_->getType());
    return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
  }
  llvm::Type* integer(Type type) { return b_.getIntNTy(8 * size_of(type)); }
  llvm::Type* real_type(Type type) {
    return type == Type::f16 ? b_.getHalfTy() : type == Type::f32 ? b_.getFloatTy() : b_.getDoubleTy();
  }
  Value* real() { return b_.CreateBitCast(from_, like(real_type(p_.from))); }
  Value* bits(Value* v) { return b_.CreateBitCast(v, like(integer(p_.type))); }
  Value* number(Value* as, std::uint64_t value) { return llvm::ConstantInt::get(as->getType(), value); }
  Value* is_nan(Value* x) { return b_.CreateFCmpUNO(x, x); }

  Value* between(Value* x, Type to) {
    x = p_.to_integer ? rounded(x) : x;
    if (size_of(to) == size_of(p_.from)) return x;
    auto* const type = like(real_type(to));
    return size_of(to) > size_of(p_.from) ? b_.CreateFPExt(x, type) : b_.CreateFPTrunc(x, type);
  }

  Value* rounded(Value* x) {
    constexpr llvm::Intrinsic::ID kHow[] = {llvm::Intrinsic::roundeven, llvm::Intrinsic::trunc, llvm::Intrinsic::floor,
                                            llvm::Intrinsic::ceil};
    static_assert(static_cast<int>(Rounding::nearest) == 0 && static_cast<int>(Rounding::up) == 3);
    return b_.CreateUnaryIntrinsic(kHow[static_cast<unsigned>(p_.rounding)], x);
  }

  // The ends of the type for what is beyond them. What is no number becomes 0, or the lowest one.
  Value* cut(Value* x) {
    auto* const to = like(integer(p_.type));
    const auto how = is_signed(p_.type) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    auto* const out = b_.CreateIntrinsic(how, {to, x->getType()}, {x});
    if (p_.from == Type::f32 && size_of(p_.type) == 4) return out;
    return b_.CreateSelect(is_nan(x), number(out, std::uint64_t{1} << (8 * size_of(p_.type) - 1)), out);
  }

  Value* from_bfloat() {
    auto* const wide = b_.CreateShl(b_.CreateZExt(from_, like(b_.getInt32Ty())), 16);
    auto* const x = b_.CreateBitCast(wide, like(b_.getFloatTy()));
    return b_.CreateSelect(is_nan(x), b_.CreateOr(wide, number(wide, 0x400000)), wide);
  }

  // From f32; what is no number becomes the one with all bits of the fraction.
  Value* narrow() {
    Value* out = nullptr;
    if (p_.type == Type::f16) {
      out = bits(b_.CreateFPTrunc(real(), like(b_.getHalfTy())));
    } else {
      auto* const odd = b_.CreateAnd(b_.CreateLShr(from_, 16), number(from_, 1));
      auto* const up = b_.CreateAdd(b_.CreateAdd(from_, number(from_, 0x7FFF)), odd);
      out = b_.CreateTrunc(b_.CreateLShr(up, 16), like(b_.getInt16Ty()));
    }
    return b_.CreateSelect(is_nan(real()), number(out, 0x7FFF), out);
  }

  const Pure& p_;
  llvm::IRBuilderBase& b_;
  Value* from_;
};

}  // namespace

Value* emit_conversion(const Pure& pure, llvm::IRBuilderBase& b, Value* from) {
  return Conversion(pure, b, from).emit();
}

}  // namespace nvmlkit::ptx::jit
