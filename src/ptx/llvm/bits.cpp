// Bits, bit fields, bytes, and the upper halves of products.
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

class Bits {
 public:
  Bits(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& a)
      : p_(pure), b_(b), a_(a), width_(8 * size_of(pure.type)) {}

  Value* emit() {
    switch (p_.rule) {
      case Rule::logic3:
        return logic();
      case Rule::high:
        return a_.size() > 2 ? b_.CreateAdd(high(), a_[2]) : high();
      case Rule::count_ones:
        return count(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a_[0]));
      case Rule::leading_zeros:
        return count(b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a_[0], b_.getFalse()));
      case Rule::highest_bit:
        return highest_bit();
      case Rule::dot:
        return dot();
      case Rule::funnel:
        return funnel();
      case Rule::permute:
        return permute();
      case Rule::permute_by:
        return permute_by();
      case Rule::extract_by:
        return extract_by();
      case Rule::insert:
        return insert();
      case Rule::insert_by:
        return insert_by();
      case Rule::field:
        return field(a_[0], a_[1]);
      default:
        return extract();
    }
  }

 private:
  Value* number(Value* like, std::uint64_t value) { return llvm::ConstantInt::get(like->getType(), value); }
  llvm::Type* of_width(unsigned width) {
    auto* const element = b_.getIntNTy(width);
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(a_[0]->getType());
    return vector ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(element, vector->getNumElements())) : element;
  }
  Value* wide(Value* v) {
    return is_signed(p_.type) ? b_.CreateSExt(v, of_width(2 * width_)) : b_.CreateZExt(v, of_width(2 * width_));
  }
  Value* cut(Value* v) { return b_.CreateTrunc(v, of_width(width_)); }

  Value* count(Value* v) { return b_.CreateTrunc(v, of_width(32)); }

  Value* high() {
    if (width_ < 64 || !a_[0]->getType()->isVectorTy())
      return cut(b_.CreateLShr(b_.CreateMul(wide(a_[0]), wide(a_[1])), width_));
    // Vectors have no products of 128 bits.
    const auto low = [&](Value* v) { return b_.CreateAnd(v, number(v, 0xFFFFFFFF)); };
    const auto up = [&](Value* v) { return b_.CreateLShr(v, 32); };
    auto *const x = a_[0], *const y = a_[1];
    auto *const middle = b_.CreateMul(low(x), up(y)), *const other = b_.CreateMul(up(x), low(y));
    auto* const carried = b_.CreateAdd(up(b_.CreateMul(low(x), low(y))), b_.CreateAdd(low(middle), low(other)));
    auto* out = b_.CreateAdd(b_.CreateMul(up(x), up(y)), up(carried));
    out = b_.CreateAdd(out, b_.CreateAdd(up(middle), up(other)));
    if (!is_signed(p_.type)) return out;
    const auto where_negative = [&](Value* which, Value* v) { return b_.CreateAnd(b_.CreateAShr(which, 63), v); };
    return b_.CreateSub(out, b_.CreateAdd(where_negative(x, y), where_negative(y, x)));
  }

  // The highest bit that differs from the sign, or its distance from the top. All ones if there is none.
  Value* highest_bit() {
    auto* const bits = is_signed(p_.type) ? b_.CreateXor(a_[0], b_.CreateAShr(a_[0], width_ - 1)) : a_[0];
    auto* const zeros = count(b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b_.getFalse()));
    auto* const found = p_.number ? zeros : b_.CreateSub(number(zeros, width_ - 1), zeros);
    return b_.CreateSelect(b_.CreateICmpEQ(bits, number(bits, 0)), number(zeros, 0xFFFFFFFF), found);
  }

  Value* part(Value* v, unsigned at, unsigned width, bool has_sign) {
    auto* const up = b_.CreateShl(v, 32 - width - at);
    return has_sign ? b_.CreateAShr(up, 32 - width) : b_.CreateLShr(up, 32 - width);
  }

  Value* dot() {
    const bool of_words = p_.number & Dot::kWords, signed_a = p_.number & Dot::kSignedA;
    const unsigned width = of_words ? 16 : 8, first = of_words && p_.number & Dot::kUpperBytes ? 16 : 0;
    auto* sum = a_[2];
    for (unsigned k = 0; k < 32 / width; ++k)
      sum = b_.CreateAdd(sum, b_.CreateMul(part(a_[0], width * k, width, signed_a),
                                           part(a_[1], first + 8 * k, 8, p_.number & Dot::kSignedB)));
    return sum;
  }

  // A sum of the products that the table has.
  Value* logic() {
    Value* out = number(a_[0], 0);
    for (unsigned k = 0; k < 8; ++k) {
      if (!(p_.number >> k & 1)) continue;
      const auto factor = [&](unsigned at, unsigned bit) { return k & bit ? a_[at] : b_.CreateNot(a_[at]); };
      out = b_.CreateOr(out, b_.CreateAnd(b_.CreateAnd(factor(0, 4), factor(1, 2)), factor(2, 1)));
    }
    return out;
  }

  // `number`: bit 0 to the left, bit 1 by the lower five bits of the distance.
  Value* funnel() {
    auto* const type = of_width(64);
    auto* const both = b_.CreateOr(b_.CreateShl(b_.CreateZExt(a_[1], type), 32), b_.CreateZExt(a_[0], type));
    auto* const by = p_.number & 2 ? b_.CreateAnd(a_[2], number(a_[2], 31))
                                   : b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a_[2], number(a_[2], 32));
    auto* const n = b_.CreateZExt(by, type);
    return cut(p_.number & 1 ? b_.CreateLShr(b_.CreateShl(both, n), 32) : b_.CreateLShr(both, n));
  }

  Value* permute() {
    Value* out = number(a_[0], 0);
    for (unsigned k = 0; k < 4; ++k) {
      const auto which = p_.number >> 4 * k & 0xF;
      auto* const word = which & 4 ? a_[1] : a_[0];
      const auto shift = 8 * (which & 3);
      auto* const byte = which & 8 ? b_.CreateAShr(b_.CreateShl(word, 24 - shift), 31) : b_.CreateLShr(word, shift);
      out = b_.CreateOr(out, b_.CreateShl(b_.CreateAnd(byte, number(word, 0xFF)), 8 * k));
    }
    return out;
  }

  Value* permute_by() {
    auto* const type = of_width(64);
    const auto word = [&](std::uint64_t n) { return llvm::ConstantInt::get(type, n); };
    auto* const both = b_.CreateOr(b_.CreateShl(b_.CreateZExt(a_[1], type), 32), b_.CreateZExt(a_[0], type));
    auto* const which = b_.CreateZExt(a_[2], type);
    Value* out = number(a_[0], 0);
    for (unsigned k = 0; k < 4; ++k) {
      auto* const shift = b_.CreateAnd(b_.CreateShl(b_.CreateLShr(which, 4 * k), 3), word(56));
      auto* const byte = b_.CreateTrunc(b_.CreateLShr(both, shift), of_width(8));
      auto* const signs = b_.CreateAShr(byte, 7);
      auto* const takes_sign = b_.CreateICmpNE(b_.CreateAnd(which, word(std::uint64_t{8} << 4 * k)), word(0));
      auto* const own = b_.CreateZExt(b_.CreateSelect(takes_sign, signs, byte), a_[0]->getType());
      out = b_.CreateOr(out, b_.CreateShl(own, 8 * k));
    }
    return out;
  }

  // Of a start or a length that has 32 bits.
  Value* byte(Value* v) { return b_.CreateZExtOrTrunc(b_.CreateAnd(v, number(v, 0xFF)), a_[0]->getType()); }
  // The largest number by which a shift is defined, for more than that.
  Value* as_shift(Value* v) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v, number(v, width_ - 1)); }

  // Ones, of which none lie beyond the word.
  Value* field(Value* begin, Value* count) {
    const auto is_beyond = [&](Value* v) { return b_.CreateICmpUGE(v, number(v, width_)); };
    auto* const one = number(begin, 1);
    auto* const all = llvm::Constant::getAllOnesValue(begin->getType());
    auto* const ones = b_.CreateSelect(is_beyond(count), all, b_.CreateSub(b_.CreateShl(one, as_shift(count)), one));
    return b_.CreateSelect(is_beyond(begin), number(begin, 0), b_.CreateShl(ones, as_shift(begin)));
  }

  Value* insert_by() {
    auto *const begin = byte(a_[2]), *const mask = field(begin, byte(a_[3]));
    auto* const own = b_.CreateAnd(b_.CreateShl(a_[0], as_shift(begin)), mask);
    return b_.CreateOr(own, b_.CreateAnd(a_[1], b_.CreateNot(mask)));
  }

  // As extract() does it.
  Value* extract_by() {
    auto *const begin = byte(a_[1]), *const count = byte(a_[2]), *const zero = number(a_[0], 0);
    auto *const width = number(begin, width_), *const last = number(begin, width_ - 1);
    auto* const is_inside = b_.CreateICmpULT(begin, width);
    auto* const shift = b_.CreateSelect(is_inside, begin, last);
    auto* const left = b_.CreateSub(width, shift);  // bits from there on
    auto* const fits = b_.CreateICmpULT(count, left);
    auto* const unused = b_.CreateSelect(fits, b_.CreateSub(width, count), number(begin, 0));
    auto* const by = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, unused, last);
    auto* out = is_signed(p_.type) ? b_.CreateAShr(a_[0], shift) : b_.CreateLShr(a_[0], shift);
    out = is_signed(p_.type) ? b_.CreateAShr(b_.CreateShl(out, by), by) : b_.CreateLShr(b_.CreateShl(out, by), by);
    if (!is_signed(p_.type)) out = b_.CreateSelect(is_inside, out, zero);
    return b_.CreateSelect(b_.CreateICmpEQ(count, number(count, 0)), zero, out);
  }

  unsigned start() const { return p_.number & 0xFF; }
  unsigned length() const { return p_.number >> 8 & 0xFF; }
  std::uint64_t ones(unsigned count) const { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

  Value* insert() {
    if (start() >= width_ || length() == 0) return a_[1];
    const auto mask = ones(std::min(length(), width_)) << start() & ones(width_);
    auto* const outside = b_.CreateAnd(a_[1], number(a_[1], ~mask & ones(width_)));
    return b_.CreateOr(outside, b_.CreateAnd(b_.CreateShl(a_[0], start()), number(a_[0], mask)));
  }

  // With the sign of its highest bit, which is that of the number where the field goes beyond it.
  Value* extract() {
    if (length() == 0) return number(a_[0], 0);
    if (start() >= width_) return is_signed(p_.type) ? b_.CreateAShr(a_[0], width_ - 1) : number(a_[0], 0);
    const auto count = std::min(length(), width_ - start());
    auto* const up = b_.CreateShl(a_[0], width_ - start() - count);
    return is_signed(p_.type) ? b_.CreateAShr(up, width_ - count) : b_.CreateLShr(up, width_ - count);
  }

  const Pure& p_;
  llvm::IRBuilderBase& b_;
  const std::vector<Value*>& a_;
  const unsigned width_;
};

}  // namespace

Value* emit_bits(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& arguments) {
  return Bits(pure, b, arguments).emit();
}

}  // namespace nvmlkit::ptx::jit
