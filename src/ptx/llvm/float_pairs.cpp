#include "ptx/llvm/float_pairs.hpp"

#include <llvm/IR/IRBuilder.h>

#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/values.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

std::optional<Rule> rule_of(Op op) {
  switch (op) {
    case Op::add_:
      return Rule::add;
    case Op::sub_:
      return Rule::sub;
    case Op::mul_:
      return Rule::mul;
    case Op::fma_:
      return Rule::fused;
    default:
      return std::nullopt;
  }
}

// Twice as many words.
Value* parts(llvm::IRBuilderBase& b, Value* v) {
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  const unsigned count = vector ? vector->getNumElements() : 1;
  return b.CreateBitCast(v, llvm::FixedVectorType::get(b.getInt32Ty(), 2 * count));
}

}  // namespace

std::optional<Pure> float_pair_form(const Function& function, std::uint32_t at) {
  const auto& i = function.code[at];
  const auto& meaning = function.meanings[at];
  const auto rule = rule_of(meaning.op);
  if (!rule || !meaning.is_only({Word::ftz}) || !i.d.is_there()) return std::nullopt;
  Pure out;
  out.type = Type::f32x2;
  out.rule = *rule;
  out.flushes = meaning.has(Word::ftz);
  for (const auto from : {i.a, i.b, i.c})
    if (from.is_there()) out.arguments.push_back({from, 8});
  out.d = Key{i.d.offset(), 8};
  return out;
}

Value* emit_float_pairs(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<Value*>& arguments) {
  Pure one = pure;
  one.type = Type::f32;
  std::vector<Value*> words;
  for (auto* const v : arguments) words.push_back(parts(b, v));
  auto* const out = emit_floats(one, b, words);
  auto* const x = b.CreateBitCast(out, like(b.getFloatTy(), out));
  auto* const settled = b.CreateSelect(b.CreateFCmpUNO(x, x), number(out, 0x7FFFFFFF), out);
  return b.CreateBitCast(settled, arguments[0]->getType());
}

}  // namespace nvmlkit::ptx::jit
