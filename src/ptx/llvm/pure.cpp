#include "ptx/llvm/pure.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "ptx/llvm/examples.hpp"
#include "ptx/llvm/extremes.hpp"
#include "ptx/llvm/float_pairs.hpp"
#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/values.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

constexpr std::uint64_t kWithoutWindow = ~(std::uint64_t{0xFF} << 56);

// Values of registers are integers; this is what they mean.
llvm::Type* with_lanes(llvm::Type* element, Value* like) {
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
}

class Emitter {
 public:
  Emitter(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& arguments) : p_(pure), b_(b) {
    for (std::size_t k = 0; k < arguments.size(); ++k)
      a_.push_back(p_.arguments[k].negated ? b_.CreateNot(arguments[k]) : arguments[k]);
  }

  Value* emit() {
    if (is_half(p_.type) && p_.rule != Rule::convert && p_.rule != Rule::pack_halves) return emit_halves(p_, b_, a_);
    if (p_.type == Type::f32x2) return emit_float_pairs(p_, b_, a_);
    switch (p_.rule) {
      case Rule::copy:
        return a_[0];
      case Rule::number:
        return b_.getIntN(8 * size_of(p_.type), p_.number);
      case Rule::window:
        return p_.number ? b_.CreateOr(a_[0], number(a_[0], p_.number))
                         : b_.CreateAnd(a_[0], number(a_[0], kWithoutWindow));
      case Rule::compare:
        return comparison();
      case Rule::set: {
        auto* const yes = comparison();
        auto* const word = like(b_.getInt32Ty(), yes);
        return b_.CreateSelect(yes, llvm::ConstantInt::get(word, p_.number), llvm::Constant::getNullValue(word));
      }
      case Rule::convert:
      case Rule::pack_halves:
        return emit_conversion(p_, b_, a_);
      case Rule::select:
        return b_.CreateSelect(a_[2], a_[0], a_[1]);
      case Rule::logic3:
      case Rule::high:
      case Rule::funnel:
      case Rule::permute:
      case Rule::insert:
      case Rule::extract:
      case Rule::permute_by:
      case Rule::insert_by:
      case Rule::extract_by:
      case Rule::field:
      case Rule::count_ones:
      case Rule::leading_zeros:
      case Rule::highest_bit:
      case Rule::dot:
        return emit_bits(p_, b_, a_);
      default:
        return is_float(p_.type) ? emit_floats(p_, b_, a_) : of_integers();
    }
  }

 private:
  Value* real(Value* v, Type type) {
    return b_.CreateBitCast(v, with_lanes(type == Type::f32 ? b_.getFloatTy() : b_.getDoubleTy(), v));
  }
  Value* number(Value* like, std::uint64_t value) { return llvm::ConstantInt::get(like->getType(), value); }

  Value* wide(Value* v) {
    auto* const type = with_lanes(b_.getIntNTy(16 * size_of(p_.type)), v);
    return is_signed(p_.type) ? b_.CreateSExt(v, type) : b_.CreateZExt(v, type);
  }

  Value* of_integers() {
    switch (p_.rule) {
      case Rule::add:
        return b_.CreateAdd(a_[0], a_[1]);
      case Rule::sub:
        return b_.CreateSub(a_[0], a_[1]);
      case Rule::mul:
        return b_.CreateMul(a_[0], a_[1]);
      case Rule::mad:
        return b_.CreateAdd(b_.CreateMul(a_[0], a_[1]), a_[2]);
      case Rule::mul_wide:
        return b_.CreateMul(wide(a_[0]), wide(a_[1]));
      case Rule::mad_wide:
        return b_.CreateAdd(b_.CreateMul(wide(a_[0]), wide(a_[1])), a_[2]);
      case Rule::least:
        return extreme(llvm::Intrinsic::smin, llvm::Intrinsic::umin);
      case Rule::greatest:
        return extreme(llvm::Intrinsic::smax, llvm::Intrinsic::umax);
      case Rule::bit_and:
        return b_.CreateAnd(a_[0], a_[1]);
      case Rule::bit_or:
        return b_.CreateOr(a_[0], a_[1]);
      case Rule::bit_xor:
        return b_.CreateXor(a_[0], a_[1]);
      case Rule::bit_not:
        return b_.CreateNot(a_[0]);
      case Rule::negate:
        return b_.CreateNeg(a_[0]);
      case Rule::reverse:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, a_[0]);
      case Rule::with_difference:
        return b_.CreateAdd(a_[2], b_.CreateSub(extreme(llvm::Intrinsic::smax, llvm::Intrinsic::umax),
                                                extreme(llvm::Intrinsic::smin, llvm::Intrinsic::umin)));
      case Rule::product_of_24:
        return product_of_24();
      case Rule::divide:
      case Rule::remainder:
        return emit_division(p_, b_, a_);
      case Rule::absolute:
        return b_.CreateSelect(b_.CreateICmpSLT(a_[0], number(a_[0], 0)), b_.CreateNeg(a_[0]), a_[0]);
      default:
        return shift();
    }
  }

  Value* extreme(llvm::Intrinsic::ID of_signed, llvm::Intrinsic::ID of_unsigned) {
    return b_.CreateBinaryIntrinsic(is_signed(p_.type) ? of_signed : of_unsigned, a_[0], a_[1]);
  }

  Value* product_of_24() {
    const auto cut = [&](Value* v) {
      auto* const up = b_.CreateShl(v, 8);
      return is_signed(p_.type) ? b_.CreateAShr(up, 8) : b_.CreateLShr(up, 8);
    };
    auto* const product = b_.CreateMul(cut(a_[0]), cut(a_[1]));
    return a_.size() > 2 ? b_.CreateAdd(product, a_[2]) : product;
  }

  // By at least the width: zeros, or signs.
  Value* shift() {
    const unsigned width = 8 * size_of(p_.type);
    auto* const fits = b_.CreateICmpULT(a_[1], number(a_[1], width));
    auto* const by = b_.CreateZExtOrTrunc(b_.CreateSelect(fits, a_[1], number(a_[1], width - 1)), a_[0]->getType());
    if (p_.rule == Rule::shift_right && is_signed(p_.type)) return b_.CreateAShr(a_[0], by);
    auto* const out = p_.rule == Rule::shift_left ? b_.CreateShl(a_[0], by) : b_.CreateLShr(a_[0], by);
    return b_.CreateSelect(fits, out, number(a_[0], 0));
  }

  Value* comparison() {
    const auto operand = [&](unsigned k) {
      auto* const x = real(a_[k], p_.type);
      return p_.flushes ? flushed(b_, x) : x;
    };
    auto* out = is_float(p_.type) ? b_.CreateFCmp(of_reals(), operand(0), operand(1))
                                  : b_.CreateICmp(of_numbers(), a_[0], a_[1]);
    return out;
  }

  llvm::CmpInst::Predicate of_reals() const {
    using enum llvm::CmpInst::Predicate;
    constexpr llvm::CmpInst::Predicate kPredicates[] = {FCMP_FALSE, FCMP_OEQ, FCMP_ONE, FCMP_OLT, FCMP_OLE,
                                                        FCMP_OGT,   FCMP_OGE, FCMP_UEQ, FCMP_UNE, FCMP_ULT,
                                                        FCMP_ULE,   FCMP_UGT, FCMP_UGE, FCMP_ORD, FCMP_UNO};
    return kPredicates[static_cast<unsigned>(p_.relation)];
  }

  llvm::CmpInst::Predicate of_numbers() const {
    using enum llvm::CmpInst::Predicate;
    constexpr llvm::CmpInst::Predicate kSigned[] = {BAD_ICMP_PREDICATE, ICMP_EQ,  ICMP_NE, ICMP_SLT,
                                                    ICMP_SLE,           ICMP_SGT, ICMP_SGE};
    constexpr llvm::CmpInst::Predicate kUnsigned[] = {BAD_ICMP_PREDICATE, ICMP_EQ,  ICMP_NE, ICMP_ULT,
                                                      ICMP_ULE,           ICMP_UGT, ICMP_UGE};
    const auto at = static_cast<unsigned>(p_.relation);
    return is_signed(p_.type) ? kSigned[at] : kUnsigned[at];
  }

  const Pure& p_;
  llvm::IRBuilderBase& b_;
  std::vector<Value*> a_;
};

// A factor of a wide product.
Shape widened(Shape s, Type type) {
  if (s.value && is_signed(type)) s.value = static_cast<std::uint64_t>(truncated(*s.value, size_of(type)));
  return s;
}

bool all_same(const std::vector<Shape>& shapes) {
  return std::ranges::all_of(shapes, [](const auto& s) { return s.is_same(); });
}

Shape shape_without_example(const Pure& pure, const std::vector<Shape>& a) {
  if (const auto extreme = extreme_of(pure, a)) return extreme->shape;
  const unsigned size = pure.d ? pure.d->size : 0;
  if (size >= 4 && !is_of_floats(pure.type)) {
    switch (pure.rule) {
      case Rule::copy:
        return a[0];
      case Rule::number:
        return pure.of_frame || pure.of_image ? Shape::same() : Shape::constant(pure.number);
      case Rule::window:
        if (!a[0].value || !a[0].is_same()) break;
        return Shape::constant(pure.number ? *a[0].value | pure.number : *a[0].value & kWithoutWindow);
      case Rule::add:
        return sum(a[0], a[1], size);
      case Rule::sub:
        return sum(a[0], a[1], size, -1);
      case Rule::mul:
        return product(a[0], a[1], size);
      case Rule::mul_wide:
        if (size_of(pure.type) < 4) break;
        return product(widened(a[0], pure.type), widened(a[1], pure.type), size);
      case Rule::mad:
        return sum(product(a[0], a[1], size), a[2], size);
      case Rule::mad_wide:
        if (size_of(pure.type) < 4) break;
        return sum(product(widened(a[0], pure.type), widened(a[1], pure.type), size), a[2], size);
      case Rule::shift_left:
        if (a[1].is_same() && a[1].value && *a[1].value < 8 * size)
          return product(a[0], Shape::constant(std::uint64_t{1} << *a[1].value), size);
        break;
      case Rule::convert:
        if (!is_float(pure.from) && !a[0].is_any && !all_same(a) && size_of(pure.from) >= 4 && !pure.saturates &&
            size_of(pure.type) == size && pure.arguments[0].size == size_of(pure.from)) {
          Shape out = a[0];
          out.value.reset();
          for (auto& m : out.more) m = truncated(static_cast<std::uint64_t>(m), size);
          return out;
        }
        break;
      default:
        break;
    }
  }
  return all_same(a) ? Shape::same() : Shape::any();
}

}  // namespace

Shape shape_of(const Pure& pure, const std::vector<Shape>& a) {
  auto out = shape_without_example(pure, a);
  out.example = out.is_any ? std::nullopt : example_of(pure, a);
  return out;
}

bool may_wrap(const Pure& pure, const Shape& result) {
  if (result.is_any || result.is_same()) return false;
  return pure.rule == Rule::mul_wide || pure.rule == Rule::mad_wide ||
         (pure.rule == Rule::convert && size_of(pure.type) > size_of(pure.from));
}

Value* emit(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& arguments) {
  return Emitter(pure, b, arguments).emit();
}

}  // namespace nvmlkit::ptx::jit
