// Atomic changes. One host thread at a time executes the warps of a block: what lies in its shared memory is changed by
// plain instructions. So is global memory that the program cannot reach, while no other thread changes any
// (run/alone.hpp).
#include <cstddef>

#include "ptx/llvm/floats.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

llvm::AtomicRMWInst::BinOp operation_of(const MemoryAccess& access) {
  using enum llvm::AtomicRMWInst::BinOp;
  switch (access.change) {
    case Change::add:
      return Add;
    case Change::least:
      return is_signed(access.type) ? Min : UMin;
    case Change::greatest:
      return is_signed(access.type) ? Max : UMax;
    case Change::bit_and:
      return And;
    case Change::bit_or:
      return Or;
    case Change::exchange:
      return Xchg;
    case Change::increment:
      return UIncWrap;
    case Change::decrement:
      return UDecWrap;
    default:
      return Xor;
  }
}

}  // namespace

llvm::Value* Translator::changed(const MemoryAccess& access, llvm::Value* before, const ChangeOperands& operands) {
  auto& b = *b_;
  auto* const by = operands.by;
  const auto extreme = [&](llvm::Intrinsic::ID of_signed, llvm::Intrinsic::ID of_unsigned) {
    return b.CreateBinaryIntrinsic(is_signed(access.type) ? of_signed : of_unsigned, before, by);
  };
  auto *const zero = llvm::ConstantInt::get(by->getType(), 0), *const one = llvm::ConstantInt::get(by->getType(), 1);
  switch (access.change) {
    case Change::add: {
      return is_float(access.type) ? sum_in_memory(access, before, by) : b.CreateAdd(before, by);
    }
    case Change::least:
      return extreme(llvm::Intrinsic::smin, llvm::Intrinsic::umin);
    case Change::greatest:
      return extreme(llvm::Intrinsic::smax, llvm::Intrinsic::umax);
    case Change::bit_and:
      return b.CreateAnd(before, by);
    case Change::bit_or:
      return b.CreateOr(before, by);
    case Change::exchange:
      return by;
    case Change::compare_exchange:
      return b.CreateSelect(b.CreateICmpEQ(before, by), operands.wanted, before);
    case Change::increment:
      return b.CreateSelect(b.CreateICmpUGE(before, by), zero, b.CreateAdd(before, one));
    case Change::decrement: {
      auto* const ends = b.CreateOr(b.CreateICmpEQ(before, zero), b.CreateICmpUGT(before, by));
      return b.CreateSelect(ends, by, b.CreateSub(before, one));
    }
    default:
      return b.CreateXor(before, by);
  }
}

// AddInMemory.
llvm::Value* Translator::sum_in_memory(const MemoryAccess& access, llvm::Value* before, llvm::Value* by) {
  auto& b = *b_;
  const bool is_shared = access.space == Space::shared;
  auto *x = b.CreateBitCast(before, access.type == Type::f32 ? b.getFloatTy() : b.getDoubleTy()),
       *y = b.CreateBitCast(by, x->getType());
  const bool flushes = access.type == Type::f32 && !is_shared;
  if (flushes) x = flushed(b, x), y = flushed(b, y);
  auto* sum = b.CreateFAdd(x, y);
  if (flushes) sum = flushed(b, sum);
  auto* const bits = b.CreateBitCast(sum, before->getType());
  if (access.type == Type::f32) return in_form({Shape::same(), bits, true}).value;
  auto* none = no_number_of(b, {before, by});
  if (!is_shared) {
    none = b.CreateSelect(b.CreateFCmpUNO(x, x), before, none);
    none = b.CreateSelect(b.CreateFCmpUNO(y, y), by, none);
  }
  return b.CreateSelect(b.CreateFCmpUNO(sum, sum), none, bits);
}

llvm::Value* Translator::change_at_once(const MemoryAccess& access, llvm::Value* at, const ChangeOperands& operands) {
  auto& b = *b_;
  using enum llvm::AtomicOrdering;
  const llvm::Align align(access.element_size());
  auto* const by = operands.by;
  if (access.change == Change::compare_exchange) {
    auto* const both = b.CreateAtomicCmpXchg(at, by, operands.wanted, align, SequentiallyConsistent, Monotonic);
    return b.CreateExtractValue(both, 0);
  }
  if (!is_float(access.type)) return b.CreateAtomicRMW(operation_of(access), at, by, align, SequentiallyConsistent);
  auto* const first = b.CreateAlignedLoad(by->getType(), at, align);
  first->setAtomic(Monotonic);
  auto* const from = b.GetInsertBlock();
  auto *const again = new_block("exchange"), *const done = new_block("exchanged");
  b.CreateBr(again);
  b.SetInsertPoint(again);
  auto* const before = b.CreatePHI(by->getType(), 2);
  before->addIncoming(first, from);
  auto* const both =
      b.CreateAtomicCmpXchg(at, before, changed(access, before, operands), align, SequentiallyConsistent, Monotonic);
  before->addIncoming(b.CreateExtractValue(both, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(both, 1), done, again);
  b.SetInsertPoint(done);
  return before;
}

void Translator::note_polls(std::uint32_t how) {
  auto& b = *b_;
  turns_.is_of_one = true;
  auto* const before = field(offsetof(CodeContext, polls), b.getInt32Ty());
  put_field(offsetof(CodeContext, polls), b.CreateOr(before, b.getInt32(how)));
}

// One lane after the other: what an earlier one did, a later one sees. Returns what was there before.
llvm::Value* Translator::change(const MemoryAccess& access, const Place& place) {
  auto& b = *b_;
  const bool is_shared = access.space == Space::shared;
  if (!is_shared) note_polls(kMemoryChanged);
  const auto by = operand(access.values[0], access.register_size);
  ChangeOperands all{b.as_vector(by), nullptr};
  if (access.wanted.is_there()) all.wanted = b.as_vector(operand(access.wanted, access.register_size));
  const bool adds_up = access.change == Change::add && !is_float(access.type) && !access.before.is_there();
  if (adds_up && place.shape->is_same()) {
    auto* const total = b.CreateAddReduce(of_lanes(all.by, llvm::Constant::getNullValue(all.by->getType())));
    auto* const at = host_of_lane(place, 0, 0);
    if (!is_shared) return change_at_once(access, at, {total, nullptr});
    auto* const before = b.CreateAlignedLoad(b.element(access.register_size), at, llvm::Align(access.element_size()));
    b.CreateAlignedStore(b.CreateAdd(before, total), at, llvm::Align(access.element_size()));
    return before;
  }
  if (is_shared || access.of_system) return change_lanes(access, place, all, is_shared);
  auto* const alone = new_block("alone");
  auto* const beside_others = new_block("beside_others");
  auto* const done = new_block("changed");
  auto* const turn_is_alone = b.CreateICmpNE(field(offsetof(CodeContext, is_alone), b.getInt32Ty()), b.getInt32(0));
  auto* const is_of_gpu = b.CreateICmpNE(place.delta, b.getInt64(0));
  b.CreateCondBr(b.CreateAnd(turn_is_alone, is_of_gpu), alone, beside_others);
  auto* const out = llvm::PHINode::Create(all.by->getType(), 2, "", done);
  for (const auto block : {alone, beside_others}) {
    b.SetInsertPoint(block);
    auto* const before = change_lanes(access, place, all, block == alone);
    out->addIncoming(before, b.GetInsertBlock());
    b.CreateBr(done);
  }
  b.SetInsertPoint(done);
  return out;
}

llvm::Value* Translator::change_one(const MemoryAccess& access, llvm::Value* at, const ChangeOperands& operands,
                                    bool is_plain) {
  if (!is_plain) return change_at_once(access, at, operands);
  auto& b = *b_;
  auto* const before = b.CreateAlignedLoad(operands.by->getType(), at, llvm::Align(access.element_size()));
  b.CreateAlignedStore(changed(access, before, operands), at, llvm::Align(access.element_size()));
  return before;
}

llvm::Value* Translator::change_lanes(const MemoryAccess& access, const Place& place, const ChangeOperands& all,
                                      bool is_plain) {
  if (acts_) return change_some(access, place, all, is_plain);
  auto& b = *b_;
  llvm::Value* out = llvm::PoisonValue::get(all.by->getType());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    auto* const at = host_of_lane(place, lane, 0);
    ChangeOperands own{b.CreateExtractElement(all.by, lane), nullptr};
    if (all.wanted) own.wanted = b.CreateExtractElement(all.wanted, lane);
    auto* const before = change_one(access, at, own, is_plain);
    if (access.before.is_there()) out = b.CreateInsertElement(out, before, lane);
  }
  return out;
}

}  // namespace nvmlkit::ptx::jit
