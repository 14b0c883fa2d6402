// Functions of one float: 1/x, 1/sqrt(x), 2^x.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "ptx/exponential.hpp"
#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

// The least normal f32, and the least double that becomes one.
constexpr double kLeastNormal = 0x1p-126, kRoundsToLeast = 0x1p-126 - 0x1p-151;
constexpr double kLeastNormalOfDoubles = 0x1p-1022;

class OfOne {
 public:
  OfOne(const Pure& pure, llvm::IRBuilderBase& b, Value* of) : p_(pure), b_(b), x_(of) {}

  Value* emit() {
    if (p_.rule == Rule::reciprocal) return reciprocal();
    return p_.rule == Rule::reciprocal_root ? reciprocal_root() : power_of_two();
  }

 private:
  Value* number(Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }
  llvm::Type* doubles() {
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(x_->getType());
    auto* const element = static_cast<llvm::Type*>(b_.getDoubleTy());
    return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
  }
  Value* wide() { return p_.type == Type::f32 ? b_.CreateFPExt(x_, doubles()) : x_; }
  Value* narrow(Value* v) { return p_.type == Type::f32 ? b_.CreateFPTrunc(v, x_->getType()) : v; }
  Value* size_of_x() { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x_); }
  Value* zero_like_x() { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(x_, 0), x_); }

  Value* reciprocal() {
    if (!p_.flushes) return b_.CreateFDiv(number(x_, 1), x_);
    const auto least = p_.type == Type::f32 ? kLeastNormal : kLeastNormalOfDoubles;
    auto* const of = b_.CreateSelect(b_.CreateFCmpOLT(size_of_x(), number(x_, least)), zero_like_x(), x_);
    auto* const becomes_small = b_.CreateAnd(b_.CreateFCmpOGT(size_of_x(), number(x_, 1 / least)),
                                             b_.CreateFCmpONE(size_of_x(), number(x_, __builtin_inf())));
    return b_.CreateSelect(becomes_small, zero_like_x(), b_.CreateFDiv(number(x_, 1), of));
  }

  // Of f32 it is computed as a double.
  Value* reciprocal_root() {
    auto* const x = wide();
    return narrow(b_.CreateFDiv(number(x, 1), b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x)));
  }

  // The steps of exponential().
  Value* power_of_two() {
    auto* const x = wide();
    auto* const low = number(x, -kExponentialEnd);
    auto* const high = number(x, kExponentialEnd);
    auto* const end = b_.CreateSelect(b_.CreateFCmpOGT(x, high), high, x);
    auto* const near = b_.CreateSelect(b_.CreateFCmpOLT(x, low), low, end);
    auto* const shifted = b_.CreateFAdd(near, number(x, kExponentialWhole));
    auto* const rest = b_.CreateFSub(near, b_.CreateFSub(shifted, number(x, kExponentialWhole)));
    Value* sum = number(x, kExponentialSeries[kExponentialTerms - 1]);
    for (unsigned k = kExponentialTerms - 1; k-- > 0;)
      sum = b_.CreateFAdd(b_.CreateFMul(sum, rest), number(x, kExponentialSeries[k]));
    auto* const bits = bits_type();
    auto* const scale = b_.CreateShl(b_.CreateBitCast(shifted, bits), 52);
    auto* const scaled = b_.CreateBitCast(b_.CreateAdd(b_.CreateBitCast(sum, bits), scale), x->getType());
    auto* const out = b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, scaled);
    auto* const rounded = narrow(out);
    if (!p_.flushes) return rounded;
    return b_.CreateSelect(b_.CreateFCmpOLT(out, number(x, kRoundsToLeast)), number(rounded, 0), rounded);
  }

  llvm::Type* bits_type() {
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(x_->getType());
    auto* const element = static_cast<llvm::Type*>(b_.getInt64Ty());
    return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
  }

  const Pure& p_;
  llvm::IRBuilderBase& b_;
  Value* x_;
};

}  // namespace

Value* emit_function(const Pure& pure, llvm::IRBuilderBase& b, Value* of) { return OfOne(pure, b, of).emit(); }

}  // namespace nvmlkit::ptx::jit
