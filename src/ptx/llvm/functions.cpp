// Functions of one float: 1/x, 1/sqrt(x), 2^x, the sine, the cosine, the logarithm to base 2, the hyperbolic tangent.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "ptx/circular.hpp"
#include "ptx/exponential.hpp"
#include "ptx/hyperbolic.hpp"
#include "ptx/llvm/pure.hpp"
#include "ptx/logarithm.hpp"

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
    switch (p_.rule) {
      case Rule::reciprocal:
        return reciprocal();
      case Rule::reciprocal_root:
        return reciprocal_root();
      case Rule::sine:
        return sine_behind(0);
      case Rule::cosine:
        return sine_behind(1);
      case Rule::logarithm:
        return logarithm_of_two();
      case Rule::hyperbolic_tangent:
        return hyperbolic();
      default:
        return power_of_two();
    }
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

  Value* power_of_two() {
    auto* const out = exponential_of(wide());
    auto* const rounded = narrow(out);
    if (!p_.flushes) return rounded;
    return b_.CreateSelect(b_.CreateFCmpOLT(out, number(out, kRoundsToLeast)), number(rounded, 0), rounded);
  }

  // The steps of exponential().
  Value* exponential_of(Value* x) {
    auto* const low = number(x, -kExponentialEnd);
    auto* const high = number(x, kExponentialEnd);
    auto* const end = b_.CreateSelect(b_.CreateFCmpOGT(x, high), high, x);
    auto* const near = b_.CreateSelect(b_.CreateFCmpOLT(x, low), low, end);
    auto* const shifted = b_.CreateFAdd(near, number(x, kExponentialWhole));
    auto* const rest = b_.CreateFSub(near, b_.CreateFSub(shifted, number(x, kExponentialWhole)));
    auto* const sum = sum_of(kExponentialSeries, rest);
    auto* const bits = bits_type();
    auto* const scale = b_.CreateShl(b_.CreateBitCast(shifted, bits), 52);
    auto* const scaled = b_.CreateBitCast(b_.CreateAdd(b_.CreateBitCast(sum, bits), scale), x->getType());
    return b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, scaled);
  }

  // The steps of hyperbolic_tangent().
  Value* hyperbolic() {
    auto* const x = wide();
    auto* const one = number(x, 1);
    auto* const power = exponential_of(b_.CreateFMul(x, number(x, kTwoOverLogarithmOfTwo)));
    auto* const large = b_.CreateFDiv(b_.CreateFSub(power, one), b_.CreateFAdd(power, one));
    auto* const cubic = b_.CreateFMul(b_.CreateFMul(x, x), number(x, kHyperbolicCubic));
    auto* const small = b_.CreateFMul(x, b_.CreateFAdd(one, cubic));
    auto* const is_small =
        b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), number(x, kHyperbolicSmall));
    return narrow(b_.CreateSelect(is_small, small, large));
  }

  // The steps of sine_behind().
  Value* sine_behind(std::uint64_t quarters) {
    auto* const x = wide();
    auto* const is_near =
        b_.CreateAnd(b_.CreateFCmpOGT(x, number(x, -kCircularEnd)), b_.CreateFCmpOLT(x, number(x, kCircularEnd)));
    auto* const near = b_.CreateSelect(is_near, x, b_.CreateFSub(x, x));
    auto* const whole_part = number(x, kCircularWhole);
    auto* const shifted = b_.CreateFAdd(b_.CreateFMul(near, number(x, kQuartersInOne)), whole_part);
    auto* const whole = b_.CreateFSub(shifted, whole_part);
    Value* rest = near;
    for (const double part : kQuarterTurn) rest = b_.CreateFSub(rest, b_.CreateFMul(whole, number(x, part)));
    auto* const square = b_.CreateFMul(rest, rest);
    auto* const of_sine = b_.CreateFMul(sum_of(kSineSeries, square), rest);
    auto* const of_cosine = sum_of(kCosineSeries, square);
    auto* const bits = bits_type();
    const auto word = [&](std::uint64_t n) { return llvm::ConstantInt::get(bits, n); };
    auto* const quarter = b_.CreateAdd(b_.CreateBitCast(shifted, bits), word(quarters));
    auto* const is_odd = b_.CreateICmpNE(b_.CreateAnd(quarter, word(1)), word(0));
    auto* const out = b_.CreateBitCast(b_.CreateSelect(is_odd, of_cosine, of_sine), bits);
    auto* const sign = b_.CreateShl(b_.CreateAnd(quarter, word(2)), 62);
    return narrow(b_.CreateBitCast(b_.CreateXor(out, sign), x->getType()));
  }

  // The steps of logarithm().
  Value* logarithm_of_two() {
    auto* const x = wide();
    auto* const type = bits_type();
    const auto word = [&](std::uint64_t n) { return llvm::ConstantInt::get(type, n); };
    auto* const bits = b_.CreateBitCast(x, type);
    auto* const exponent = b_.CreateAShr(b_.CreateSub(bits, word(kRootOfHalf)), 52);
    auto* const fraction = b_.CreateBitCast(b_.CreateSub(bits, b_.CreateShl(exponent, 52)), x->getType());
    auto* const biased = b_.CreateOr(b_.CreateAdd(exponent, word(kLogarithmBias)), word(kLogarithmWhole));
    auto* const whole = b_.CreateFSub(b_.CreateBitCast(biased, x->getType()), number(x, kLogarithmOfBias));
    auto* const one = number(x, 1);
    auto* const ratio = b_.CreateFDiv(b_.CreateFSub(fraction, one), b_.CreateFAdd(fraction, one));
    auto* const sum = sum_of(kLogarithmSeries, b_.CreateFMul(ratio, ratio));
    auto* const out = b_.CreateFAdd(whole, b_.CreateFMul(ratio, sum));
    auto *const zero = number(x, 0), *const endless = number(x, __builtin_inf());
    auto* const of_others =
        b_.CreateSelect(b_.CreateFCmpOEQ(x, zero), number(x, -__builtin_inf()), number(x, __builtin_nan("")));
    auto* const of_large = b_.CreateSelect(b_.CreateFCmpOLT(x, endless), out, x);
    return narrow(b_.CreateSelect(b_.CreateFCmpOGT(x, zero), of_large, of_others));
  }

  template <std::size_t count>
  Value* sum_of(const double (&series)[count], Value* power) {
    Value* out = number(power, series[count - 1]);
    for (auto k = count - 1; k-- > 0;) out = b_.CreateFAdd(b_.CreateFMul(out, power), number(power, series[k]));
    return out;
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
