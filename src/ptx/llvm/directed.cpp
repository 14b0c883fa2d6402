// The host's mode of rounding would hold for other instructions, too, and LLVM may move those. So a result is computed
// as a double, with what the double lost. The nearest float is one step too far, or it is right.
#include "ptx/llvm/directed.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "ptx/llvm/values.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

class Directed {
 public:
  Directed(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& x) : p_(pure), b_(b) {
    auto* const type = like(b_.getDoubleTy(), x[0]);
    for (auto* const v : x) x_.push_back(b_.CreateFPExt(v, type));
    float_ = x[0]->getType();
  }

  Value* emit() {
    compute();
    auto* const out = rounded();
    return p_.flushes ? with_flushes(out) : out;
  }

 private:
  // Sets `sum_`, and `lost_`: what the result has more. A product of two floats is a double, and loses nothing.
  void compute() {
    if (p_.rule == Rule::mul) {
      sum_ = b_.CreateFMul(x_[0], x_[1]);
      lost_ = real(sum_, 0);
      return;
    }
    Value *a = x_[0], *c = x_[1];
    if (p_.rule == Rule::fused) a = b_.CreateFMul(x_[0], x_[1]), c = x_[2];
    if (p_.rule == Rule::sub) c = b_.CreateFNeg(c);
    sum_ = b_.CreateFAdd(a, c);
    auto* const of_c = b_.CreateFSub(sum_, a);
    auto* const of_a = b_.CreateFSub(sum_, of_c);
    lost_ = b_.CreateFAdd(b_.CreateFSub(a, of_a), b_.CreateFSub(c, of_c));
    if (p_.rounding != Rounding::down) return;
    // Of two numbers that are each other's negative, the sum is -0.
    auto* const sign = b_.CreateOr(is_negative(a), is_negative(c));
    auto* const zero = b_.CreateSelect(sign, real(sum_, -0.0), real(sum_, 0.0));
    sum_ = b_.CreateSelect(b_.CreateFCmpOEQ(sum_, real(sum_, 0)), zero, sum_);
  }

  Value* is_negative(Value* x) {
    auto* const bits = b_.CreateBitCast(x, like(b_.getInt64Ty(), x));
    return b_.CreateICmpSLT(bits, number(bits, 0));
  }

  Value* rounded() {
    auto* const nearest = b_.CreateFPTrunc(sum_, float_);
    auto* const bits = b_.CreateBitCast(nearest, like(b_.getInt32Ty(), nearest));
    auto* const out = b_.CreateSelect(is_too_far(b_.CreateFPExt(nearest, sum_->getType())), step(bits), bits);
    return b_.CreateBitCast(out, float_);
  }

  // Whether `nearest`, a float, lies beyond the result in the direction that is not wanted.
  Value* is_too_far(Value* nearest) {
    auto* const zero = real(sum_, 0);
    auto* const is_sum = b_.CreateFCmpOEQ(nearest, sum_);
    auto* const is_above =
        b_.CreateOr(b_.CreateFCmpOGT(nearest, sum_), b_.CreateAnd(is_sum, b_.CreateFCmpOLT(lost_, zero)));
    auto* const is_below =
        b_.CreateOr(b_.CreateFCmpOLT(nearest, sum_), b_.CreateAnd(is_sum, b_.CreateFCmpOGT(lost_, zero)));
    if (p_.rounding == Rounding::down) return is_above;
    if (p_.rounding == Rounding::up) return is_below;
    return b_.CreateSelect(b_.CreateFCmpOGT(sum_, zero), is_above, is_below);
  }

  // The next float in the direction that is wanted. Of zero, it is the least one; infinity becomes the greatest.
  Value* step(Value* bits) {
    auto* const less = b_.CreateSub(bits, number(bits, 1));
    if (p_.rounding == Rounding::zero) return less;
    auto* const more = b_.CreateAdd(bits, number(bits, 1));
    const bool down = p_.rounding == Rounding::down;
    auto* const is_negative = b_.CreateICmpSLT(bits, number(bits, 0));
    auto* const out = down ? b_.CreateSelect(is_negative, more, less) : b_.CreateSelect(is_negative, less, more);
    auto* const is_zero = b_.CreateICmpEQ(b_.CreateShl(bits, 1), number(bits, 0));
    return b_.CreateSelect(is_zero, number(bits, down ? 0x80000001 : 1), out);
  }

  // A result counts as small if it is that with all of its bits: it is rounded once more, of a size at which they are
  // there.
  Value* with_flushes(Value* out) {
    constexpr double kMore = 0x1p32, kLeast = 0x1p-126 * kMore;
    sum_ = b_.CreateFMul(sum_, real(sum_, kMore));
    lost_ = b_.CreateFMul(lost_, real(lost_, kMore));
    auto* const size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, rounded());
    auto* const zero = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, real(out, 0), out);
    return b_.CreateSelect(b_.CreateFCmpOLT(size, real(out, kLeast)), zero, out);
  }

  const Pure& p_;
  llvm::IRBuilderBase& b_;
  std::vector<Value*> x_;
  llvm::Type* float_ = nullptr;
  Value *sum_ = nullptr, *lost_ = nullptr;
};

}  // namespace

bool may_be_directed(Op op) {
  return op == Op::add_ || op == Op::sub_ || op == Op::mul_ || op == Op::mad_ || op == Op::fma_;
}

Value* emit_directed(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& floats) {
  return Directed(pure, b, floats).emit();
}

}  // namespace nvmlkit::ptx::jit
