// Instructions other than accesses to memory.
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "ptx/compile/image.hpp"
#include "ptx/llvm/agreement.hpp"
#include "ptx/llvm/blended.hpp"
#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/packed.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

bool computes_floats(const Pure& pure) {
  if (pure.rule == Rule::copy || pure.rule == Rule::select || pure.rule == Rule::compare) return false;
  return is_of_floats(pure.type) || is_float(pure.from);
}

}  // namespace

Lanes Translator::operand(Operand operand, std::uint8_t size) { return in_form(raw_operand(operand, size)); }

Lanes Translator::raw_operand(Operand operand, std::uint8_t size) {
  switch (operand.area()) {
    case Operand::registers: {
      const auto known = values_.find({operand.offset(), size});
      if (known != values_.end()) return known->second;
      return {Shape::any(), llvm::UndefValue::get(b_->vector(size))};
    }
    case Operand::constants: {
      std::uint64_t value = 0;
      std::memcpy(&value, function_.constants.data() + operand.offset(), size ? size : 4);
      if (is_of_image(function_, operand)) {
        auto* const address = b_->CreateAdd(image_, b_->getInt64(value - function_.image_address));
        return {Shape::same(), b_->CreateZExtOrTrunc(address, b_->element(size))};
      }
      if (size == 0) return {Shape::constant(value), b_->getInt1(value != 0)};
      return {Shape::constant(value), llvm::ConstantInt::get(b_->element(size), value)};
    }
    default:
      return special_.at({operand.offset(), size});
  }
}

Lanes Translator::argument(const Argument& a) { return operand(a.operand, a.size); }

// What a guard leaves out keeps its value.
void Translator::set(Key key, Lanes lanes, const std::optional<Lanes>& guarded) {
  auto& b = *b_;
  const auto kept = raw_operand(Operand::at(Operand::registers, key.offset), key.size);
  if (guarded) {
    const auto& guard = *guarded;
    const auto before = in_form(kept);
    lanes = in_form(lanes);
    lanes.agreement = {};
    auto shape = guard.shape.is_same() ? join(before.shape, lanes.shape) : Shape::any();
    shape.value.reset();
    if (!shape.is_any)
      lanes.value = b.CreateSelect(guard.value, lanes.value, before.value);
    else
      lanes.value = b.CreateSelect(guard.shape.is_any ? guard.value : b.CreateVectorSplat(kLanes, guard.value),
                                   b.as_vector(lanes), b.as_vector(before));
    lanes.shape = shape;
  }
  values_[key] = of_part(key, lanes, kept);
}

// The lanes that the instruction is for.
std::optional<Lanes> Translator::guard_of(std::uint32_t at) {
  const auto& i = function_.code[at];
  if (!i.guard.is_there()) return std::nullopt;
  auto out = operand(i.guard, 0);
  if (!i.guard_negated) return out;
  return Lanes{out.shape, b_->CreateNot(out.value)};
}

void Translator::emit_pure(const Pure& pure, std::uint32_t at) {
  auto& b = *b_;
  std::vector<Lanes> lanes;
  std::vector<Shape> shapes;
  bool has_raw = false;
  for (const auto& a : pure.arguments) {
    lanes.push_back(takes_raw(pure) ? raw_operand(a.operand, a.size) : argument(a));
    has_raw |= lanes.back().is_raw;
    shapes.push_back(lanes.back().shape);
  }
  auto shape = shape_of(pure, shapes);
  check_shape(pure, shapes, lanes, at);
  std::vector<llvm::Value*> arguments;
  for (const auto& l : lanes) arguments.push_back(shape.is_any ? b.as_vector(l) : l.value);
  // LLVM gives what is no number another sign than the host does, where it computes with constants itself.
  if (computes_floats(pure) && std::ranges::all_of(arguments, llvm::IsaPred<llvm::ConstantInt>))
    arguments[0] = unknown(b, arguments[0]);
  auto* out = emit(pure, b, arguments);
  if (pure.of_frame) {
    auto* const start = field(offsetof(CodeContext, local_start), b.getInt64Ty());
    out = b.CreateAdd(out, b.CreateTrunc(start, out->getType()));
  }
  if (pure.of_image) out = b.CreateAdd(out, b.CreateZExtOrTrunc(image_, out->getType()));
  note_result(pure, at, arguments, out);
  const auto guard = guard_of(at);
  const auto agreement = shape.is_any ? agreement_on(pure, b, lanes) : Agreement{};
  if (pure.rule != Rule::compare) {
    const bool is_raw = gives_raw(pure) || (pure.rule == Rule::copy && has_raw);
    return set(*pure.d, {shape, out, is_raw, agreement}, guard);
  }
  const auto combined = [&](llvm::Value* result) -> llvm::Value* {
    if (!pure.combined) return result;
    auto* const other = pure.arguments.back().negated ? b.CreateNot(arguments.back()) : arguments.back();
    return pure.combined == '&'   ? b.CreateAnd(result, other)
           : pure.combined == '|' ? b.CreateOr(result, other)
                                  : b.CreateXor(result, other);
  };
  llvm::Value* opposite = nullptr;
  if (pure.d2) opposite = combined(is_pair(pure.type) ? emit_halves(pure, b, arguments, true) : b.CreateNot(out));
  if (pure.d) set(*pure.d, {shape, combined(out), false, agreement}, guard);
  shape.example.reset();
  if (pure.d2) set(*pure.d2, {shape, opposite, false, pure.combined ? Agreement{} : opposite_of(agreement, b)}, guard);
}

// All values, without a mark.
void Translator::spill(Key key, const Lanes& raw) {
  auto& b = *b_;
  const auto lanes = in_form(raw);
  auto* const at = places_of(key).all;
  auto* value = key.size == 0 ? b.mask_of(lanes) : b.as_vector(lanes);
  if (!all_lanes_ && key.size > 0) return spill_some(key, at, value);
  if (!all_lanes_)
    value = b.CreateOr(b.CreateAnd(value, lanes_), b.CreateAnd(b.CreateLoad(b.getInt32Ty(), at), b.CreateNot(lanes_)));
  b.CreateAlignedStore(value, at, llvm::Align(4));
}

// Others keep their values, which have to be there.
void Translator::spill_some(Key key, llvm::Value* at, llvm::Value* value) {
  auto& b = *b_;
  if (!Marks::may_have(key.size) || unmarked_.contains(key)) return store_blended(b, key.size, at, value, lanes_);
  store_blended(b, key.size, places_of(key), value, lanes_,
                field(offsetof(CodeContext, unpack_register), b.getPtrTy()));
}

// Whether a register of the frame has the value since the code began.
bool Translator::is_in_frame(Key key, const Lanes& lanes) const {
  const auto found = loaded_.find(key);
  return found != loaded_.end() && found->second.value == lanes.value && found->second.shape.is_like(lanes.shape);
}

void Translator::spill_new(const std::set<Key>& keys) {
  auto& b = *b_;
  MarkGroups marks;
  for (const auto key : keys) {
    const auto known = values_.find(key);
    if (known == values_.end() || is_in_frame(key, known->second)) continue;
    const auto& lanes = known->second;
    const auto mark = all_lanes_ ? mark_of(key, lanes.shape) : 0;
    if (mark != 0)
      b.CreateAlignedStore(in_form(lanes).value, places_of(key).first, llvm::Align(8));
    else
      spill(key, lanes);
    const bool is_new = all_lanes_ && Marks::may_have(key.size) && (mark != 0 || !unmarked_.contains(key));
    if (is_new) marks.add(key, mark);
  }
  marks.store(b, registers_, function_.register_bytes);
}

void Translator::call_interpreter(std::uint32_t at, std::int32_t place) {
  auto& b = *b_;
  for (const auto& a : needs_.accesses(at)) {
    const auto known = values_.find({a.offset, a.size});
    if (a.replaces || known == values_.end() || is_in_frame(known->first, known->second)) continue;
    spill(known->first, known->second);
    if (all_lanes_ && Marks::may_have(a.size) && !unmarked_.contains(known->first))
      b.CreateAlignedStore(b.getInt32(0), places_of(known->first).mark, llvm::Align(4));
    loaded_.erase(known->first);
  }
  for (const auto& a : needs_.accesses(at))
    if (a.writes || a.replaces || a.size == 0) loaded_.erase({a.offset, a.size});
  auto* const type =
      llvm::FunctionType::get(b.getInt1Ty(), {b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty()}, /*isVarArg=*/false);
  auto* const callee = field(offsetof(CodeContext, execute_one), b.getPtrTy());
  auto* const executing = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context_, offsetof(CodeContext, lanes));
  if (part_) b.CreateStore(part_bits_, executing);
  auto* const call =
      b.CreateCall(type, callee, {context_, b.getInt32(at), b.getInt32(static_cast<std::uint32_t>(place))});
  if (part_) b.CreateStore(all_lanes_ ? b.getInt32(kAllLanes) : lanes_, executing);
  auto* const goes_on = new_block("goes_on");
  auto* const faulted = new_block("faulted");
  b.CreateCondBr(call, goes_on, faulted);
  b.SetInsertPoint(faulted);
  put_field(offsetof(CodeContext, executed), b.CreateAdd(executed_, b.getInt64(at - stretch_begin_ + 1)));
  end_with(CodeEnd::faulted);
  b.SetInsertPoint(goes_on);
}

void Translator::emit_by_interpreter(std::uint32_t at) {
  call_interpreter(at, -1);
  reload(at);
}

void Translator::reload(std::uint32_t at) {
  auto& b = *b_;
  for (const auto& a : needs_.accesses(at)) {
    if (!a.writes && a.size != 0) continue;
    auto* const from = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), registers_, a.offset);
    auto* const all =
        a.size == 0 ? b.load_predicate(from) : b.CreateAlignedLoad(b.vector(a.size), from, llvm::Align(4));
    set({a.offset, a.size}, {Shape::any(), all}, std::nullopt);
  }
}

}  // namespace nvmlkit::ptx::jit
