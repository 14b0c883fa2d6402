// What results are that are no number, as on a GPU (instructions/numbers/settled.hpp).
#include <llvm/IR/MDBuilder.h>

#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/translator.hpp"
#include "ptx/llvm/values.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

constexpr std::uint64_t kQuiet = 0x0008000000000000, kOfNone = 0xFFF8000000000000;

Value* as_doubles(llvm::IRBuilderBase& b, Value* bits) { return b.CreateBitCast(bits, like(b.getDoubleTy(), bits)); }
Value* is_none(llvm::IRBuilderBase& b, Value* bits) {
  auto* const x = as_doubles(b, bits);
  return b.CreateFCmpUNO(x, x);
}

bool computes(Rule rule) {
  switch (rule) {
    case Rule::add:
    case Rule::sub:
    case Rule::mul:
    case Rule::fused:
    case Rule::divide:
    case Rule::least:
    case Rule::greatest:
    case Rule::negate:
    case Rule::absolute:
    case Rule::reciprocal:
    case Rule::root:
    case Rule::reciprocal_root:
    case Rule::power_of_two:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool gives_raw(const Pure& pure) {
  if (pure.type != Type::f32) return false;
  if (pure.rule != Rule::convert) return computes(pure.rule);
  return pure.from == Type::f16 || (pure.from == Type::f32 && (pure.flushes || pure.to_integer));
}

bool takes_raw(const Pure& pure) {
  if (pure.rule == Rule::copy || pure.rule == Rule::pack_halves) return true;
  if (pure.rule == Rule::convert) return pure.from == Type::f32 && pure.type != Type::f64;
  return pure.type == Type::f32 && (computes(pure.rule) || pure.rule == Rule::compare);
}

// The first of these that is none, quiet, or the number that stands for it.
Value* no_number_of(llvm::IRBuilderBase& b, const std::vector<Value*>& in_order) {
  Value* out = number(in_order[0], kOfNone);
  for (auto one = in_order.rbegin(); one != in_order.rend(); ++one)
    out = b.CreateSelect(is_none(b, *one), b.CreateOr(*one, number(*one, kQuiet)), out);
  return out;
}

// Of f32 it has one form. It is given where something else than f32 arithmetic takes the result.
Lanes Translator::in_form(Lanes lanes) {
  if (!lanes.is_raw) return lanes;
  auto& b = *b_;
  auto* const x = b.CreateBitCast(lanes.value, like(b.getFloatTy(), lanes.value));
  lanes.value = b.CreateSelect(b.CreateFCmpUNO(x, x), number(lanes.value, 0x7FFFFFFF), lanes.value);
  lanes.is_raw = false;
  return lanes;
}

// Of f64 it is an operand. Few warps have one: they go another way.
Value* Translator::with_no_numbers(const Pure& pure, const std::vector<Value*>& a, Value* out) {
  if (pure.type != Type::f64 || pure.rule == Rule::convert || !computes(pure.rule)) return out;
  if (a.size() < 2) return out;  // the host's is the same, and signs see to it
  auto& b = *b_;
  auto* const none = is_none(b, out);
  auto* const any =
      none->getType()->isVectorTy() ? b.CreateICmpNE(b.CreateBitCast(none, b.getInt32Ty()), b.getInt32(0)) : none;
  auto* const from = b.GetInsertBlock();
  auto *const has_some = new_block("no_number"), *const done = new_block("numbers");
  b.CreateCondBr(any, has_some, done, llvm::MDBuilder(b.getContext()).createBranchWeights(1, 1000));
  b.SetInsertPoint(has_some);
  const bool in_order = pure.rule == Rule::divide;
  const auto order = a.size() == 3 ? std::vector{a[1], a[2], a[0]} : in_order ? a : std::vector{a[1], a[0]};
  auto* const chosen = b.CreateSelect(none, no_number_of(b, order), out);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto* const all = b.CreatePHI(out->getType(), 2);
  all->addIncoming(out, from);
  all->addIncoming(chosen, has_some);
  return all;
}

}  // namespace nvmlkit::ptx::jit
