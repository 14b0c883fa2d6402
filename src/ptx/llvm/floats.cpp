#include "ptx/llvm/floats.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>

#include "ptx/llvm/directed.hpp"
#include "ptx/llvm/values.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

class Floats {
 public:
  Floats(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& a) : p_(pure), b_(b), a_(a) {
    auto* const type = p_.type == Type::f32 ? b_.getFloatTy() : b_.getDoubleTy();
    for (auto* const v : a_) x_.push_back(b_.CreateBitCast(v, like(type, v)));
  }

  Value* emit() {
    if (p_.flushes && !computes()) flush_operands();
    if (p_.rule == Rule::least || p_.rule == Rule::greatest) return extreme();
    auto* out = p_.rounding != Rounding::nearest ? directed() : computes() && p_.flushes ? with_flushes() : of(x_);
    if (p_.rule == Rule::negate || p_.rule == Rule::absolute) out = with_sign_of_none(out);
    if (p_.saturates) out = between_0_and_1(b_, out);
    return b_.CreateBitCast(out, a_[0]->getType());
  }

 private:
  // Other functions have no small results, or flush by themselves.
  void flush_operands() {
    if (p_.rule == Rule::reciprocal || p_.rule == Rule::power_of_two) return;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      x_[k] = flushed(b_, x_[k]);
      a_[k] = b_.CreateBitCast(x_[k], a_[k]->getType());
    }
  }

  // Of f64, what is no number keeps its sign.
  Value* with_sign_of_none(Value* out) {
    if (p_.type == Type::f32) return out;
    auto* const kept = b_.CreateBitCast(no_number_of(b_, {a_[0]}), x_[0]->getType());
    return b_.CreateSelect(b_.CreateFCmpUNO(x_[0], x_[0]), kept, out);
  }

  bool computes() const {
    switch (p_.rule) {
      case Rule::add:
      case Rule::sub:
      case Rule::mul:
      case Rule::fused:
      case Rule::divide:
      case Rule::root:
      case Rule::reciprocal_root:
        return true;
      default:
        return false;
    }
  }

  // What is no number changes its sign, too: LLVM would leave that out where it subtracts instead.
  Value* negated() {
    auto* const sign = unknown(b_, b_.getIntN(8 * size_of(p_.type), std::uint64_t{1} << (8 * size_of(p_.type) - 1)));
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(a_[0]->getType());
    auto* const signs = vector ? b_.CreateVectorSplat(vector->getNumElements(), sign) : sign;
    return b_.CreateBitCast(b_.CreateXor(a_[0], signs), x_[0]->getType());
  }

  Value* of(const std::vector<Value*>& x) {
    switch (p_.rule) {
      case Rule::add:
        return b_.CreateFAdd(x[0], x[1]);
      case Rule::sub:
        return b_.CreateFSub(x[0], x[1]);
      case Rule::mul:
        return b_.CreateFMul(x[0], x[1]);
      case Rule::divide:
        return b_.CreateFDiv(x[0], x[1]);
      case Rule::fused:
        return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x[0]->getType()}, {x[0], x[1], x[2]});
      case Rule::negate:
        return negated();
      case Rule::absolute:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x[0]);
      case Rule::with_sign:
        return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x[1], x[0]);
      case Rule::root:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0]);
      default:
        return emit_function(p_, b_, x[0]);
    }
  }

  Value* directed() {
    auto x = x_;
    if (p_.flushes)
      for (auto*& v : x) v = flushed(b_, v);
    return emit_directed(p_, b_, x);
  }

  // A result counts as small before it is rounded. Products are computed once more, of a size at which all bits are
  // there; sums that are small are exact.
  Value* with_flushes() {
    constexpr double kMore = 0x1p32, kLeast = 0x1p-126 * kMore;
    auto x = x_;
    for (auto*& v : x) v = flushed(b_, v);
    auto* const out = of(x);
    if (p_.rule == Rule::root || p_.rule == Rule::reciprocal_root) return out;
    if (p_.rule == Rule::add || p_.rule == Rule::sub) return flushed(b_, out);
    x[0] = b_.CreateFMul(x[0], real(out, kMore));
    if (p_.rule == Rule::fused) x[2] = b_.CreateFMul(x[2], real(out, kMore));
    auto* const size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, of(x));
    auto* const zero = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, real(out, 0), out);
    return b_.CreateSelect(b_.CreateFCmpOLT(size, real(out, kLeast)), zero, out);
  }

  // What is no number loses, and of two equal ones the sign decides.
  Value* extreme() {
    const bool least = p_.rule == Rule::least;
    auto *const x = x_[0], *const y = x_[1];
    auto* const is_negative = b_.CreateICmpSLT(a_[0], number(a_[0], 0));
    auto* const lies_so = least ? b_.CreateFCmpOLT(x, y) : b_.CreateFCmpOGT(x, y);
    auto* const first =
        b_.CreateSelect(b_.CreateFCmpOEQ(x, y), least ? is_negative : b_.CreateNot(is_negative), lies_so);
    auto* const of_numbers = b_.CreateSelect(first, a_[0], a_[1]);
    auto* const without_y = b_.CreateSelect(b_.CreateFCmpUNO(y, y), a_[0], of_numbers);
    return b_.CreateSelect(b_.CreateFCmpUNO(x, x), a_[1], without_y);
  }

  const Pure& p_;
  llvm::IRBuilderBase& b_;
  std::vector<Value*> a_, x_;
};

}  // namespace

Value* unknown(llvm::IRBuilderBase& b, Value* number) {
  auto* const type = llvm::FunctionType::get(number->getType(), {number->getType()}, /*isVarArg=*/false);
  auto* const call = b.CreateCall(llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false), {number});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::WillReturn);
  return call;
}

bool may_flush(Op op, Type type) {
  if (type == Type::f64) return op == Op::rcp_;
  if (type != Type::f32) return false;
  switch (op) {
    case Op::add_:
    case Op::sub_:
    case Op::mul_:
    case Op::mad_:
    case Op::fma_:
    case Op::div_:
    case Op::sqrt_:
    case Op::rsqrt_:
    case Op::rcp_:
    case Op::ex2_:
    case Op::sin_:
    case Op::cos_:
    case Op::lg2_:
    case Op::neg_:
    case Op::abs_:
    case Op::min_:
    case Op::max_:
      return true;
    default:
      return false;
  }
}

Value* flushed(llvm::IRBuilderBase& b, Value* x) {
  auto* const bits = b.CreateBitCast(x, like(b.getInt32Ty(), x));
  auto* const is_small = b.CreateICmpEQ(b.CreateAnd(bits, number(bits, 0x7F800000)), number(bits, 0));
  auto* const out = b.CreateSelect(is_small, b.CreateAnd(bits, number(bits, 0x80000000)), bits);
  return b.CreateBitCast(out, x->getType());
}

Value* between_0_and_1(llvm::IRBuilderBase& b, Value* x) {
  auto *const zero = llvm::ConstantFP::get(x->getType(), 0), *const one = llvm::ConstantFP::get(x->getType(), 1);
  auto* const below = b.CreateSelect(b.CreateFCmpOLT(x, one), x, one);
  return b.CreateSelect(b.CreateFCmpOGT(x, zero), below, zero);
}

Value* emit_floats(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& arguments) {
  return Floats(pure, b, arguments).emit();
}

}  // namespace nvmlkit::ptx::jit
