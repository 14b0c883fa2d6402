// What results are that are no number, as on a GPU (instructions/numbers/settled.hpp).
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/host.hpp"
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
    case Rule::sine:
    case Rule::cosine:
    case Rule::logarithm:
    case Rule::hyperbolic_tangent:
      return true;
    default:
      return false;
  }
}

Value* form_of_none(llvm::IRBuilderBase& b, Value* as) {
  constexpr std::uint32_t kForm = 0x7FFFFFFF;
  auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(as->getType());
  if (!type || selects_constants()) return number(as, kForm);
  return b.CreateVectorSplat(type->getNumElements(), unknown(b, b.getInt32(kForm)));
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
  lanes.value = b.CreateSelect(b.CreateFCmpUNO(x, x), form_of_none(b, lanes.value), lanes.value);
  lanes.is_raw = false;
  return lanes;
}

// Of f64 it is an operand, and which one depends on the instruction. Few warps have one. So a row of instructions is
// executed as if there was none, and its results are looked at when it ends: of those that later ones of the row were
// computed from, a result that is no number is seen in theirs. Where there is one, the interpreter executes the row.
void Translator::note_result(const Pure& pure, std::uint32_t at, const std::vector<Value*>& arguments, Value* out) {
  if (pure.type != Type::f64 || pure.rule == Rule::convert || !computes(pure.rule)) return;
  // Of one operand the host's is the same, and signs see to it; of roots, hosts give it different signs.
  if (arguments.size() < 2 && pure.rule != Rule::root && pure.rule != Rule::reciprocal_root) return;
  if (!row_) row_.emplace(Row{at, values_, {}});
  auto& results = row_->results;
  const bool hands_on = pure.rule != Rule::least && pure.rule != Rule::greatest;
  if (hands_on)
    std::erase_if(results, [&](Value* known) { return std::ranges::find(arguments, known) != arguments.end(); });
  results.push_back(out);
}

// Whether one of the results is no number, or infinite: only a finite number minus itself is zero. This takes fewer
// instructions than comparisons, whose bits LLVM would join.
Value* Translator::may_have_no_number(const std::vector<Value*>& results) {
  auto& b = *b_;
  Value *vectors = nullptr, *out = b.getFalse();
  for (auto* const bits : results) {
    auto* const x = as_doubles(b, bits);
    if (!x->getType()->isVectorTy()) {
      out = b.CreateOr(out, b.CreateFCmpUNO(x, x));
      continue;
    }
    auto* const lanes = b.CreateBitCast(b.CreateFSub(x, x), b.vector(8));
    vectors = vectors ? b.CreateOr(vectors, lanes) : lanes;
  }
  if (!vectors) return out;
  return b.CreateOr(out, b.CreateICmpNE(b.CreateOrReduce(vectors), b.getInt64(0)));
}

// Of the lanes that act: others may have anything.
Value* Translator::has_no_number(const std::vector<Value*>& results) {
  auto& b = *b_;
  Value* out = b.getFalse();
  for (auto* const bits : results) {
    Value* none = is_none(b, bits);
    if (none->getType()->isVectorTy()) {
      auto* const lanes = b.mask_of({Shape::any(), none});
      none = b.CreateICmpNE(acting_ ? b.CreateAnd(lanes, acting_) : lanes, b.getInt32(0));
    }
    out = b.CreateOr(out, none);
  }
  return out;
}

void Translator::end_row(std::uint32_t end) {
  if (!row_) return;
  auto& b = *b_;
  const auto row = *std::exchange(row_, std::nullopt);
  const auto weights = llvm::MDBuilder(b.getContext()).createBranchWeights(1, 1000);
  auto *const some = new_block("no_number"), *const numbers = new_block("numbers");
  b.CreateCondBr(may_have_no_number(row.results), some, numbers, weights);
  b.SetInsertPoint(some);
  auto* const leaves = new_block("leaves");
  b.CreateCondBr(has_no_number(row.results), leaves, numbers);
  b.SetInsertPoint(leaves);
  const auto now = std::exchange(values_, row.values);
  put_field(offsetof(CodeContext, resumes), b.getInt32(end));
  leave(row.begin, row.begin - stretch_begin_);
  values_ = now;
  b.SetInsertPoint(numbers);
}

}  // namespace nvmlkit::ptx::jit
