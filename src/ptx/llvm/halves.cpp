#include "ptx/llvm/halves.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <iterator>

#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/values.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

constexpr std::uint64_t kNoNumber = 0x7FFF;

// A double as a float from which further rounding gives what it would give from the double: the lowest bit stands for
// all that are cut off.
Value* to_odd_float(llvm::IRBuilderBase& b, Value* x, Type to) {
  if (to == Type::bf16) {                                    // small ones have fewer bits, and are rounded here
    constexpr double kLeast = 0x1p-126, kSteps = 0x1.8p-81;  // 52 bits above the last one
    auto* const small = b.CreateFSub(b.CreateFAdd(x, real(x, kSteps)), real(x, kSteps));
    auto* const signed_small = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, small, x);
    auto* const size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    x = b.CreateSelect(b.CreateFCmpOLT(size, real(x, kLeast)), signed_small, x);
  }
  constexpr std::uint64_t kOver = (std::uint64_t{1} << 29) - 1;
  auto* const bits = b.CreateBitCast(x, like(b.getInt64Ty(), x));
  auto* const is_exact = b.CreateICmpEQ(b.CreateAnd(bits, number(bits, kOver)), number(bits, 0));
  auto* const odd = b.CreateOr(b.CreateAnd(bits, number(bits, ~kOver)), number(bits, kOver + 1));
  auto* const cut = b.CreateBitCast(b.CreateSelect(is_exact, bits, odd), x->getType());
  return b.CreateFPTrunc(cut, like(b.getFloatTy(), x));
}

class Halves {
 public:
  Halves(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& arguments)
      : p_(pure),
        b_(b),
        one_(pure.type == Type::f16x2    ? Type::f16
             : pure.type == Type::bf16x2 ? Type::bf16
                                         : pure.type) {
    whole_ = arguments[0]->getType();
    for (auto* const a : arguments)
      a_.push_back(is_pair(p_.type) && !a->getType()->isIntOrIntVectorTy(1) ? parts(a) : a);
  }

  Value* emit(bool of_upper) {
    if (p_.rule == Rule::compare) return comparison(of_upper);
    if (p_.rule == Rule::set) return set();
    auto* const out = of_parts();
    return is_pair(p_.type) ? b_.CreateBitCast(out, whole_) : out;
  }

 private:
  // Twice as many halves.
  Value* parts(Value* v) {
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
    const unsigned count = vector ? vector->getNumElements() : 1;
    return b_.CreateBitCast(v, llvm::FixedVectorType::get(b_.getInt16Ty(), 2 * count));
  }
  Value* wide(unsigned k) { return widened(b_, a_[k], one_); }
  Value* doubled(unsigned k) { return b_.CreateFPExt(wide(k), like(b_.getDoubleTy(), a_[k])); }
  Value* is_no_number(unsigned k) {
    auto* const size = b_.CreateAnd(a_[k], number(a_[k], 0x7FFF));
    return b_.CreateICmpUGT(size, number(size, one_ == Type::f16 ? 0x7C00 : 0x7F80));
  }
  Value* or_no_number(Value* bits) { return b_.CreateSelect(is_no_number(0), number(bits, kNoNumber), bits); }

  Value* of_parts() {
    switch (p_.rule) {
      case Rule::negate:
        return or_no_number(b_.CreateXor(a_[0], number(a_[0], 0x8000)));
      case Rule::absolute:
        return or_no_number(b_.CreateAnd(a_[0], number(a_[0], 0x7FFF)));
      case Rule::least:
      case Rule::greatest:
        return extreme();
      case Rule::fused: {
        auto* const product = b_.CreateFMul(doubled(0), doubled(1));  // exact
        return result(b_.CreateFAdd(product, doubled(2)));
      }
      case Rule::mul:
        // Of two bf16, it may be less than what floats hold.
        if (one_ == Type::bf16) return result(b_.CreateFMul(doubled(0), doubled(1)));
        return result(b_.CreateFMul(wide(0), wide(1)));
      case Rule::sub:
        return result(b_.CreateFSub(wide(0), wide(1)));
      default:
        return result(b_.CreateFAdd(wide(0), wide(1)));
    }
  }

  Value* result(Value* x) {
    if (p_.saturates) x = between_0_and_1(b_, x);
    if (p_.is_relu) x = b_.CreateSelect(b_.CreateFCmpOLE(x, real(x, 0)), real(x, 0), x);
    return narrowed(b_, x, one_);
  }

  // A whole number in the order of the halves. LLVM 19 compares vectors of halves one by one, and wrongly, where the
  // host cannot; two that were made floats it compares so, too.
  Value* in_order(unsigned k) {
    auto* const size = b_.CreateAnd(a_[k], number(a_[k], 0x7FFF));
    return b_.CreateSelect(b_.CreateICmpSLT(a_[k], number(a_[k], 0)), b_.CreateNeg(size), size);
  }

  // Of two equal ones the sign decides; what is no number loses, or is the result.
  Value* extreme() {
    const bool least = p_.rule == Rule::least;
    auto *const x = in_order(0), *const y = in_order(1);
    auto* const is_negative = b_.CreateICmpSLT(a_[0], number(a_[0], 0));
    auto* const lies_so = least ? b_.CreateICmpSLT(x, y) : b_.CreateICmpSGT(x, y);
    auto* const first =
        b_.CreateSelect(b_.CreateICmpEQ(x, y), least ? is_negative : b_.CreateNot(is_negative), lies_so);
    auto* const of_numbers = b_.CreateSelect(first, a_[0], a_[1]);
    auto* const none = number(a_[0], kNoNumber);
    auto *const no_x = is_no_number(0), *const no_y = is_no_number(1);
    if (p_.keeps_nan) return b_.CreateSelect(b_.CreateOr(no_x, no_y), none, of_numbers);
    auto* const without_x = b_.CreateSelect(no_y, none, a_[1]);
    return b_.CreateSelect(no_x, without_x, b_.CreateSelect(no_y, a_[0], of_numbers));
  }

  Value* comparison(bool of_upper) {
    auto* const all = relation();
    if (!is_pair(p_.type)) return all;
    if (!whole_->isVectorTy()) return b_.CreateExtractElement(all, std::uint64_t{of_upper});
    std::vector<int> from;
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) from.push_back(2 * lane + (of_upper ? 1 : 0));
    return b_.CreateShuffleVector(all, from);
  }

  // A pair has a number of 16 bits for each half.
  Value* set() {
    auto* const yes = relation();
    const auto size = is_pair(p_.type) ? 2u : unsigned{p_.d->size};
    auto* const as = like(b_.getIntNTy(8 * size), a_[0]);
    auto* const out = b_.CreateSelect(yes, llvm::ConstantInt::get(as, p_.number & ~std::uint64_t{0} >> (64 - 8 * size)),
                                      llvm::Constant::getNullValue(as));
    return is_pair(p_.type) ? b_.CreateBitCast(out, whole_) : out;
  }

  Value* relation() {
    using enum llvm::CmpInst::Predicate;
    constexpr llvm::CmpInst::Predicate kOrder[] = {ICMP_EQ, ICMP_NE, ICMP_SLT, ICMP_SLE, ICMP_SGT, ICMP_SGE};
    auto* const no_number = b_.CreateOr(is_no_number(0), is_no_number(1));
    if (p_.relation == Relation::nan) return no_number;
    if (p_.relation == Relation::num) return b_.CreateNot(no_number);
    const auto first = static_cast<unsigned>(Relation::eq), at = static_cast<unsigned>(p_.relation) - first;
    auto* const lie_so = b_.CreateICmp(kOrder[at % std::size(kOrder)], in_order(0), in_order(1));
    return at < std::size(kOrder) ? b_.CreateAnd(lie_so, b_.CreateNot(no_number)) : b_.CreateOr(lie_so, no_number);
  }

  const Pure& p_;
  llvm::IRBuilderBase& b_;
  const Type one_;
  llvm::Type* whole_ = nullptr;
  std::vector<Value*> a_;
};

}  // namespace

Value* widened(llvm::IRBuilderBase& b, Value* bits, Type from) {
  auto* const floats = like(b.getFloatTy(), bits);
  if (from == Type::f16) return b.CreateFPExt(b.CreateBitCast(bits, like(b.getHalfTy(), bits)), floats);
  return b.CreateBitCast(b.CreateShl(b.CreateZExt(bits, like(b.getInt32Ty(), bits)), 16), floats);
}

Value* narrowed(llvm::IRBuilderBase& b, Value* x, Type to) {
  if (x->getType()->getScalarType()->isDoubleTy()) x = to_odd_float(b, x, to);
  auto* const word = b.CreateBitCast(x, like(b.getInt32Ty(), x));
  auto* const is_none = b.CreateICmpUGT(b.CreateAnd(word, number(word, 0x7FFFFFFF)), number(word, 0x7F800000));
  Value* out = nullptr;
  if (to == Type::f16) {
    out = b.CreateBitCast(b.CreateFPTrunc(x, like(b.getHalfTy(), x)), like(b.getInt16Ty(), x));
  } else {
    auto* const odd = b.CreateAnd(b.CreateLShr(word, 16), number(word, 1));
    auto* const up = b.CreateAdd(b.CreateAdd(word, number(word, 0x7FFF)), odd);
    out = b.CreateTrunc(b.CreateLShr(up, 16), like(b.getInt16Ty(), x));
  }
  return b.CreateSelect(is_none, number(out, kNoNumber), out);
}

Value* emit_halves(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& arguments, bool of_upper) {
  return Halves(pure, b, arguments).emit(of_upper);
}

}  // namespace nvmlkit::ptx::jit
