#include "ptx/llvm/packed.hpp"

#include <llvm/IR/Module.h>

#include <string>

#include "ptx/compile/mark.hpp"
#include "ptx/llvm/scattered.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

llvm::FixedVectorType* words(LaneBuilder& b) { return llvm::FixedVectorType::get(b.getInt32Ty(), MarkGroups::kWords); }

llvm::Constant* constant(LaneBuilder& b, const std::array<std::uint32_t, MarkGroups::kWords>& numbers) {
  return llvm::ConstantDataVector::get(b.getContext(), numbers);
}

Value* place_of_group(LaneBuilder& b, Value* registers, std::uint32_t register_bytes, std::uint32_t first) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), registers, Marks::start(register_bytes) + first * Marks::kSize);
}

Value* load_group(LaneBuilder& b, Value* registers, std::uint32_t register_bytes, std::uint32_t first) {
  return b.CreateAlignedLoad(words(b), place_of_group(b, registers, register_bytes, first), llvm::Align(32));
}

Value* either(LaneBuilder& b, Value* a, Value* other) { return a ? b.CreateOr(a, other) : other; }

// In parts: LLVM gives the table the alignment of what is loaded at once, and an object has one of 64 bytes at most.
Value* load_table(LaneBuilder& b, Value* table) {
  constexpr unsigned kAtOnce = 8;
  auto* const type = llvm::FixedVectorType::get(b.getInt64Ty(), kAtOnce);
  Value* out = llvm::PoisonValue::get(b.vector(8));
  for (unsigned first = 0; first < kLanes; first += kAtOnce) {
    auto* const from = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), table, first);
    out = b.CreateInsertVector(b.vector(8), out, b.CreateAlignedLoad(type, from, llvm::Align(8)), b.getInt64(first));
  }
  return out;
}

llvm::Function* code_of_holds(unsigned size, llvm::Module& module) {
  const auto name = "holds" + std::to_string(size);
  if (auto* const known = module.getFunction(name)) return known;
  LaneBuilder b(module.getContext());
  auto* const type = llvm::FunctionType::get(
      b.getInt1Ty(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty()},
      /*isVarArg=*/false);
  auto* const code = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  code->addFnAttr(llvm::Attribute::NoUnwind);
  code->addFnAttr(llvm::Attribute::NoInline);
  code->setCallingConv(llvm::CallingConv::Fast);
  const auto block = [&](const char* of) { return llvm::BasicBlock::Create(module.getContext(), of, code); };
  auto *const entry = block("entry"), *const marked = block("marked"), *const looks = block("looks");
  auto *const at = code->getArg(0), *const first = code->getArg(2), *const table = code->getArg(3),
              *const lane = code->getArg(5);
  b.SetInsertPoint(entry);
  auto* const mark = b.CreateAlignedLoad(b.getInt32Ty(), code->getArg(1), llvm::Align(4));
  b.CreateCondBr(b.CreateICmpNE(mark, b.getInt32(0)), marked, looks);
  b.SetInsertPoint(marked);
  b.CreateRet(b.getTrue());
  b.SetInsertPoint(looks);
  auto* const all = b.CreateAlignedLoad(b.vector(size), at, llvm::Align(4));
  auto* const base = b.CreateAlignedLoad(b.element(size), b.CreateGEP(b.element(size), at, lane), llvm::Align(4));
  b.CreateAlignedStore(base, first, llvm::Align(8));
  auto* const more = load_table(b, table);
  auto* const known = b.CreateAdd(b.CreateVectorSplat(kLanes, base), b.CreateTrunc(more, b.vector(size)));
  auto* const differs = b.CreateXor(all, known);
  auto* const none = llvm::Constant::getNullValue(differs->getType());
  auto* const counts = b.CreateSelect(b.predicate_of(code->getArg(4)), differs, none);
  b.CreateRet(b.CreateICmpEQ(b.CreateOrReduce(counts), llvm::ConstantInt::get(b.element(size), 0)));
  return code;
}

}  // namespace

void MarkGroups::add(Key key, std::uint32_t mark) {
  const auto number = static_cast<std::uint32_t>(Marks::number(key.offset));
  auto& group = groups_[number / kWords * kWords];
  group.marks[number % kWords] = mark;
  group.counts[number % kWords] = ~0u;
}

std::array<std::uint32_t, MarkGroups::kWords> MarkGroups::Group::counts_of(bool with_mark) const {
  auto out = counts;
  for (unsigned k = 0; k < kWords; ++k)
    if ((marks[k] != 0) != with_mark) out[k] = 0;
  return out;
}

Value* MarkGroups::are_right(LaneBuilder& b, Value* registers, std::uint32_t register_bytes) const {
  Value* differs = nullptr;
  for (const auto& [first, group] : groups_) {
    auto* const unlike = b.CreateXor(load_group(b, registers, register_bytes, first), constant(b, group.marks));
    differs = either(b, differs, b.CreateAnd(unlike, constant(b, group.counts)));
  }
  return differs ? b.CreateICmpEQ(b.CreateOrReduce(differs), b.getInt32(0)) : b.getTrue();
}

Value* MarkGroups::is_one_wrong(LaneBuilder& b, Value* registers, std::uint32_t register_bytes) const {
  Value* out = nullptr;
  for (const auto& [first, group] : groups_) {
    auto* const all = load_group(b, registers, register_bytes, first);
    auto* const own = b.CreateAnd(all, constant(b, group.counts_of(/*with_mark=*/true)));
    auto* const none = llvm::Constant::getNullValue(own->getType());
    const auto is_other = b.CreateAnd(b.CreateICmpNE(own, none), b.CreateICmpNE(own, constant(b, group.marks)));
    out = either(b, out, b.CreateSExt(is_other, own->getType()));
  }
  return out ? b.CreateICmpNE(b.CreateOrReduce(out), b.getInt32(0)) : b.getFalse();
}

Value* MarkGroups::is_one_marked(LaneBuilder& b, Value* registers, std::uint32_t register_bytes) const {
  Value* out = nullptr;
  for (const auto& [first, group] : groups_) {
    auto* const all = load_group(b, registers, register_bytes, first);
    out = either(b, out, b.CreateAnd(all, constant(b, group.counts_of(/*with_mark=*/false))));
  }
  return out ? b.CreateICmpNE(b.CreateOrReduce(out), b.getInt32(0)) : b.getFalse();
}

void MarkGroups::store(LaneBuilder& b, Value* registers, std::uint32_t register_bytes) const {
  bool has_mark = false;
  for (const auto& [first, group] : groups_) {
    auto others = group.counts;
    for (auto& bits : others) bits = ~bits;
    auto* const before = load_group(b, registers, register_bytes, first);
    auto* const now = b.CreateOr(b.CreateAnd(before, constant(b, others)), constant(b, group.marks));
    b.CreateAlignedStore(now, place_of_group(b, registers, register_bytes, first), llvm::Align(32));
    for (const auto mark : group.marks) has_mark |= mark != 0;
  }
  if (!has_mark) return;
  b.CreateAlignedStore(b.getInt32(1),
                       b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), registers, Marks::flag(register_bytes)),
                       llvm::Align(4));
}

std::uint32_t mark_of(Key key, const Shape& shape) {
  if (shape.is_any || !Marks::may_have(key.size)) return 0;
  const auto mark = Mark::of(key.offset, key.size, shape.more);
  return mark ? mark->word() : 0;
}

PackedPlaces places_of(LaneBuilder& b, Value* registers, std::uint32_t register_bytes, Key key) {
  const auto at = [&](std::size_t offset) { return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), registers, offset); };
  const auto number = Marks::number(key.offset);
  return {at(key.offset), at(Marks::start(register_bytes) + number * Marks::kSize),
          at(Marks::firsts(register_bytes) + number * Marks::kSizeOfFirst)};
}

void unpack(LaneBuilder& b, Value* code, const PackedPlaces& places) {
  auto* const type =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy()}, /*isVarArg=*/false);
  b.CreateCall(type, code, {places.all, places.mark, places.first});
}

Value* holds(LaneBuilder& b, Key key, const PackedPlaces& places, const Shape& shape, Value* lanes, Value* lane) {
  auto* const code = code_of_holds(key.size, *b.GetInsertBlock()->getModule());
  auto* const call = b.CreateCall(code, {places.all, places.mark, places.first, table_of(b, shape), lanes, lane});
  call->setCallingConv(llvm::CallingConv::Fast);
  return call;
}

}  // namespace nvmlkit::ptx::jit
