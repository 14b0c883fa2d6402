#include "ptx/llvm/agreement.hpp"

#include <algorithm>

#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/values.hpp"

namespace nvmlkit::ptx::jit {
namespace {

bool is_order(Relation relation) { return relation >= Relation::lt && relation <= Relation::ge; }

Agreement of_predicate(const Lanes& lanes, bool negated, LaneBuilder& b) {
  const auto out = lanes.shape.is_any ? lanes.agreement : Agreement{b.getTrue(), lanes.value};
  return negated ? opposite_of(out, b) : out;
}

Agreement joined(const Agreement& one, const Agreement& other, char how, LaneBuilder& b) {
  if (!one.agree || !other.agree) return {};
  auto* const all = how == '&'   ? b.CreateAnd(one.all, other.all)
                    : how == '|' ? b.CreateOr(one.all, other.all)
                                 : b.CreateXor(one.all, other.all);
  return {b.CreateAnd(one.agree, other.agree), all};
}

// Lane 0 has the least number; `wraps` becomes true where the largest one is beyond the end of the type.
llvm::Value* largest(const Lanes& lanes, bool has_sign, LaneBuilder& b, llvm::Value*& wraps) {
  if (lanes.shape.is_same()) return lanes.value;
  auto* const more = number(lanes.value, static_cast<std::uint64_t>(lanes.shape.most()));
  const auto add = has_sign ? llvm::Intrinsic::sadd_with_overflow : llvm::Intrinsic::uadd_with_overflow;
  auto* const sum = b.CreateBinaryIntrinsic(add, lanes.value, more);
  wraps = b.CreateOr(wraps, b.CreateExtractValue(sum, 1));
  return b.CreateExtractValue(sum, 0);
}

Agreement on_order(const Pure& pure, LaneBuilder& b, const std::vector<Lanes>& arguments) {
  const auto &x = arguments[0], &y = arguments[1];
  const auto ascends = [&](const Lanes& lanes) {
    return !lanes.shape.is_any && lanes.shape.least() == 0 &&
           lanes.value->getType()->isIntegerTy(8 * size_of(pure.type));
  };
  if (is_of_floats(pure.type) || !is_order(pure.relation) || !ascends(x) || !ascends(y)) return {};
  if (!x.shape.is_same() && !y.shape.is_same()) return {};
  llvm::Value* wraps = b.getFalse();
  const bool has_sign = is_signed(pure.type);
  auto* const most_x = largest(x, has_sign, b, wraps);
  auto* const most_y = largest(y, has_sign, b, wraps);
  auto *const first = emit(pure, b, {x.value, y.value}), *const last = emit(pure, b, {most_x, most_y});
  return {b.CreateAnd(b.CreateNot(wraps), b.CreateICmpEQ(first, last)), first};
}

}  // namespace

Agreement opposite_of(const Agreement& of, LaneBuilder& b) {
  return of.agree ? Agreement{of.agree, b.CreateNot(of.all)} : Agreement{};
}

Agreement agreement_on(const Pure& pure, LaneBuilder& b, const std::vector<Lanes>& arguments) {
  const auto of = [&](std::size_t k) { return of_predicate(arguments[k], pure.arguments[k].negated, b); };
  if (pure.rule == Rule::compare) {
    const auto out = on_order(pure, b, arguments);
    return pure.combined && out.agree ? joined(out, of(arguments.size() - 1), pure.combined, b) : out;
  }
  if (!pure.d || pure.d->size != 0 || std::ranges::any_of(pure.arguments, [](const auto& a) { return a.size != 0; }))
    return {};
  switch (pure.rule) {
    case Rule::copy:
      return of(0);
    case Rule::bit_not:
      return opposite_of(of(0), b);
    case Rule::bit_and:
      return joined(of(0), of(1), '&', b);
    case Rule::bit_or:
      return joined(of(0), of(1), '|', b);
    case Rule::bit_xor:
      return joined(of(0), of(1), '^', b);
    default:
      return {};
  }
}

}  // namespace nvmlkit::ptx::jit
