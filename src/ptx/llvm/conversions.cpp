// Conversions between numbers, bit by bit as the interpreter makes them.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/halves.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

class Conversion {
 public:
  Conversion(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& from)
      : p_(pure), b_(b), from_(from[0]), other_(from.back()) {
    if (p_.rule == Rule::convert && !is_float(p_.from)) from_ = b_.CreateTrunc(from_, like(integer(p_.from)));
  }

  Value* emit() {
    if (p_.rule == Rule::pack_halves) return pair();
    if (is_float(p_.type)) return of_reals();
    auto* const out = is_float(p_.from) ? cut(rounded(real())) : whole();
    auto* const as_register = like(b_.getIntNTy(8 * p_.d->size));
    return is_signed(p_.type) ? b_.CreateSExt(out, as_register) : b_.CreateZExt(out, as_register);
  }

 private:
  Value* of_reals() {
    if (p_.type == Type::f16 || p_.type == Type::bf16) return narrowed(b_, wide(), p_.type);
    if (p_.from == Type::bf16 && p_.type == Type::f32 && !p_.to_integer) return from_bfloat();
    if (is_float(p_.from)) return bits(between(real(), p_.type));
    auto* const to = like(real_type(p_.type));
    return bits(is_signed(p_.from) ? b_.CreateSIToFP(from_, to) : b_.CreateUIToFP(from_, to));
  }

  // Between whole numbers.
  Value* whole() {
    auto* const to = like(integer(p_.type));
    auto* const in = p_.saturates ? between_ends() : from_;
    return is_signed(p_.from) ? b_.CreateSExtOrTrunc(in, to) : b_.CreateZExtOrTrunc(in, to);
  }

  // The number, no further than the ends of the new type as far as the old one goes.
  Value* between_ends() {
    const unsigned old_bits = 8 * size_of(p_.from), new_bits = 8 * size_of(p_.type);
    const auto ones = [](unsigned count) { return ~std::uint64_t{0} >> (64 - count); };
    const auto highest = ones(is_signed(p_.type) ? new_bits - 1 : new_bits);
    const auto old_highest = ones(is_signed(p_.from) ? old_bits - 1 : old_bits);
    auto* out = from_;
    const auto limit = [&](llvm::Intrinsic::ID by, std::uint64_t end) {
      out = b_.CreateBinaryIntrinsic(by, out, number(out, end));
    };
    if (is_signed(p_.from)) {
      if (!is_signed(p_.type)) limit(llvm::Intrinsic::smax, 0);
      if (is_signed(p_.type) && new_bits < old_bits) limit(llvm::Intrinsic::smax, ~highest & ones(old_bits));
      if (highest < old_highest) limit(llvm::Intrinsic::smin, highest);
    } else if (highest < old_highest) {
      limit(llvm::Intrinsic::umin, highest);
    }
    return out;
  }
  llvm::Type* like(llvm::Type* element) {
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(from_->getType());
    return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
  }
  llvm::Type* integer(Type type) { return b_.getIntNTy(8 * size_of(type)); }
  llvm::Type* real_type(Type type) { return type == Type::f32 ? b_.getFloatTy() : b_.getDoubleTy(); }
  bool is_from_half() const { return is_half(p_.from); }
  Value* real() {
    if (is_from_half()) return widened(b_, from_, p_.from);
    auto* const x = b_.CreateBitCast(from_, like(real_type(p_.from)));
    if (!p_.flushes) return x;
    return p_.from == Type::f32 ? flushed(b_, x) : x;
  }
  Value* bits(Value* v) { return b_.CreateBitCast(v, like(integer(p_.type))); }
  Value* number(Value* as, std::uint64_t value) { return llvm::ConstantInt::get(as->getType(), value); }
  Value* is_nan(Value* x) { return b_.CreateFCmpUNO(x, x); }

  Value* between(Value* x, Type to) {
    x = p_.to_integer ? rounded(x) : x;
    auto* const type = like(real_type(to));
    if (x->getType() == type) return p_.saturates ? between_0_and_1(b_, x) : x;
    if (to == Type::f64) return b_.CreateFPExt(p_.flushes ? of_one_form(x) : x, type);
    // A double counts as small when it is rounded.
    auto* const out = b_.CreateFPTrunc(x, type);
    return p_.flushes ? flushed(b_, out) : out;
  }

  Value* of_one_form(Value* x) {
    auto* const none = b_.CreateBitCast(number(b_.CreateBitCast(x, like(b_.getInt32Ty())), 0x7FFFFFFF), x->getType());
    return b_.CreateSelect(is_nan(x), none, x);
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
    if ((p_.from == Type::f32 || is_from_half()) && size_of(p_.type) <= 4) return out;
    return b_.CreateSelect(is_nan(x), number(out, std::uint64_t{1} << (8 * size_of(p_.type) - 1)), out);
  }

  Value* from_bfloat() { return b_.CreateShl(b_.CreateZExt(from_, like(b_.getInt32Ty())), 16); }

  // What becomes one of 16 bits, without loss.
  Value* wide() {
    if (is_float(p_.from)) return p_.to_integer ? rounded(real()) : real();
    auto* const to = like(b_.getDoubleTy());
    return is_signed(p_.from) ? b_.CreateSIToFP(from_, to) : b_.CreateUIToFP(from_, to);
  }

  // The first float is the upper half.
  Value* pair() {
    const auto one = [&](Value* bits) {
      Value* x = b_.CreateBitCast(bits, like(b_.getFloatTy()));
      auto* const zero = llvm::ConstantFP::get(x->getType(), 0);
      if (p_.is_relu) x = b_.CreateSelect(b_.CreateFCmpOLE(x, zero), zero, x);
      const auto to = p_.type == Type::f16x2 ? Type::f16 : Type::bf16;
      return b_.CreateZExt(narrowed(b_, x, to), like(b_.getInt32Ty()));
    };
    return b_.CreateOr(b_.CreateShl(one(from_), 16), one(other_));
  }

  const Pure& p_;
  llvm::IRBuilderBase& b_;
  Value *from_, *other_;
};

}  // namespace

Value* emit_conversion(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& from) {
  return Conversion(pure, b, from).emit();
}

}  // namespace nvmlkit::ptx::jit
