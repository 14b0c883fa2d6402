// Sums that take or give a carry. It lies in the warp, a bit for each lane, and stays there between pieces of code.
#include <cstddef>

#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

bool has_carry(const Instruction& i, const Meaning& meaning) {
  if (i.kind != Kind::plain && i.kind != Kind::guarded) return false;
  const auto size = size_of(meaning.types[0]);
  if (is_float(meaning.types[0]) || (size != 4 && size != 8) || !i.d.is_there()) return false;
  switch (meaning.op) {
    case Op::add_:
    case Op::sub_:
    case Op::mad_:
      return meaning.has(Word::cc) && meaning.is_only({Word::cc, Word::hi});
    case Op::addc_:
    case Op::subc_:
    case Op::madc_:
      return meaning.is_only({Word::cc, Word::hi});
    default:
      return false;
  }
}

}  // namespace

bool Translator::emit_carry(std::uint32_t at) {
  const auto& i = function_.code[at];
  const auto& meaning = function_.meanings[at];
  if (!has_carry(i, meaning)) return false;
  auto& b = *b_;
  const auto size = static_cast<std::uint8_t>(size_of(meaning.types[0]));
  const bool takes = i.detail & 1, gives = i.detail & 2, subtracts = i.detail & 4, multiplies = i.detail & 8;
  const auto of = [&](Operand from) { return b.as_vector(operand(from, size)); };
  auto *x = of(i.a), *y = of(i.b);
  if (multiplies) {
    x = i.detail & 16 ? high_of_product(x, y, is_signed(meaning.types[0])) : b.CreateMul(x, y);
    y = of(i.c);
  }
  if (subtracts) y = b.CreateNot(y);
  auto* const type = b.vector(size);
  llvm::Value* in = llvm::ConstantInt::get(type, subtracts ? 1 : 0);
  auto* const carry = field(offsetof(CodeContext, carry), b.getPtrTy());
  if (takes) in = b.CreateZExt(b.load_predicate(carry), type);
  auto* const first = b.CreateAdd(x, y);
  auto* const sum = b.CreateAdd(first, in);
  const auto guard = guard_of(at);
  if (gives) {
    auto* const over = b.CreateOr(b.CreateICmpULT(first, x), b.CreateICmpULT(sum, first));
    auto* lanes = guard ? b.as_vector({guard->shape, guard->value}) : nullptr;
    if (acts_) lanes = lanes ? b.CreateAnd(lanes, acts_) : acts_;
    auto* const out = lanes ? b.CreateSelect(lanes, over, b.load_predicate(carry)) : over;
    b.CreateAlignedStore(b.mask_of({Shape::any(), out}), carry, llvm::Align(4));
  }
  set({i.d.offset(), size}, {Shape::any(), sum}, guard);
  return true;
}

llvm::Value* Translator::high_of_product(llvm::Value* x, llvm::Value* y, bool with_signs) {
  auto& b = *b_;
  const auto width = x->getType()->getScalarSizeInBits();
  auto* const wide = llvm::FixedVectorType::get(b.getIntNTy(2 * width), kLanes);
  const auto widened = [&](llvm::Value* v) { return with_signs ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide); };
  return b.CreateTrunc(b.CreateLShr(b.CreateMul(widened(x), widened(y)), width), x->getType());
}

}  // namespace nvmlkit::ptx::jit
