// cp.async: a few bytes for each lane, from global to shared memory. The interpreter, too, copies at once. It also
// executes the instruction, for all lanes, if memory does not lie where it is expected: to copy some lanes twice does
// no harm.
#include <llvm/IR/MDBuilder.h>

#include <utility>

#include "ptx/llvm/scattered.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

bool is_row(const Place& place, unsigned size) { return !place.shape->is_any && place.shape->is_row(size); }

}  // namespace

void Translator::emit_lane_copy(const LaneCopy& copy, std::uint32_t at) {
  auto& b = *b_;
  const auto number = static_cast<std::int32_t>(places_++);
  auto *const other = new_block("other"), *const done = new_block("copied");
  const auto copies = [&] {
    copy.bytes.is_there() ? copy_some_bytes(copy, number, other) : copy_lanes(copy, number, other);
  };
  if (const auto guard = guard_of(at))
    for_lanes(b.as_vector(*guard), copies);
  else
    copies();
  b.CreateBr(done);
  b.SetInsertPoint(other);
  call_interpreter(at, number);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

// Of those that act, for the lanes of a predicate. Where there is none, code goes around it.
void Translator::for_lanes(llvm::Value* acts, llvm::function_ref<void()> each) {
  auto& b = *b_;
  if (acts_) acts = b.CreateSelect(acts_, acts, llvm::Constant::getNullValue(acts->getType()));
  auto* const mask = b.mask_of({Shape::any(), acts});
  auto *const some = new_block("some"), *const done = new_block("some_done");
  b.CreateCondBr(b.CreateICmpNE(mask, b.getInt32(0)), some, done);
  b.SetInsertPoint(some);
  auto *const acting_before = std::exchange(acting_, mask), *const acts_before = std::exchange(acts_, acts);
  each();
  acting_ = acting_before;
  acts_ = acts_before;
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

// All bytes or none: matrices that end within a tile.
void Translator::copy_some_bytes(const LaneCopy& copy, std::int32_t number, llvm::BasicBlock* other) {
  auto& b = *b_;
  auto* const bytes = b.as_vector(operand(copy.bytes, 4));
  const auto all = [&](unsigned count) { return b.CreateVectorSplat(kLanes, b.getInt32(count)); };
  auto* const whole = b.CreateICmpUGE(bytes, all(copy.to.size()));
  auto* const nothing = b.CreateICmpEQ(bytes, all(0));
  llvm::Value* rest = b.CreateNot(b.CreateOr(whole, nothing));
  if (acts_) rest = b.CreateSelect(acts_, rest, llvm::Constant::getNullValue(rest->getType()));
  auto* const goes_on = new_block("whole_or_nothing");
  b.CreateCondBr(b.CreateOrReduce(rest), other, goes_on);
  b.SetInsertPoint(goes_on);
  for_lanes(whole, [&] { copy_lanes(copy, number, other); });
  for_lanes(nothing, [&] { clear_lanes(copy, other); });
}

void Translator::copy_lanes(const LaneCopy& copy, std::int32_t number, llvm::BasicBlock* other) {
  auto& b = *b_;
  const auto from = address_of(copy.from), to = address_of(copy.to);
  Place source, target;
  auto* const has_source = find_place(copy.from, from, number, source);
  auto* const fits = b.CreateAnd(has_source, find_place(copy.to, to, -1, target));
  auto* const direct = new_block("direct");
  b.CreateCondBr(fits, direct, other, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  b.SetInsertPoint(direct);
  const auto size = copy.to.size();
  const llvm::Align align(size);
  const auto move = [&](unsigned bytes, llvm::Value* onto, llvm::Value* what) {
    auto* const type = llvm::FixedVectorType::get(b.getInt32Ty(), bytes / 4);
    b.CreateAlignedStore(b.CreateAlignedLoad(type, what, align), onto, align);
  };
  if (!acts_ && is_row(source, size) && is_row(target, size))
    return move(kLanes * size, host_of_lane(target, 0, 0), host_of_lane(source, 0, 0));
  auto *const sources = numbers_of(source, 0), *const targets = numbers_of(target, 1);
  for_each_acting(
      [&](llvm::Value* lane) { move(size, host_by(target, targets, lane), host_by(source, sources, lane)); });
}

void Translator::clear_lanes(const LaneCopy& copy, llvm::BasicBlock* other) {
  auto& b = *b_;
  Place target;
  const auto to = address_of(copy.to);
  auto* const fits = find_place(copy.to, to, -1, target);
  auto* const direct = new_block("direct");
  b.CreateCondBr(fits, direct, other, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  b.SetInsertPoint(direct);
  const auto size = copy.to.size();
  auto* const type = llvm::FixedVectorType::get(b.getInt32Ty(), size / 4);
  auto* const targets = numbers_of(target, 1);
  for_each_acting([&](llvm::Value* lane) {
    b.CreateAlignedStore(llvm::Constant::getNullValue(type), host_by(target, targets, lane), llvm::Align(size));
  });
}

// The address of each lane, or what it has more than that of lane 0.
llvm::Value* Translator::numbers_of(const Place& place, unsigned number) {
  auto& b = *b_;
  if (!place.shape->is_any) return table_of(b, *place.shape);
  b.CreateAlignedStore(place.host, stack(number), llvm::Align(64));
  return stack(number);
}

llvm::Value* Translator::host_by(const Place& place, llvm::Value* numbers, llvm::Value* lane) {
  auto& b = *b_;
  auto* const at = b.CreateInBoundsGEP(b.getInt64Ty(), numbers, {lane});
  llvm::Value* const own = b.CreateAlignedLoad(b.getInt64Ty(), at, llvm::Align(8));
  return b.pointer(place.shape->is_any ? own : b.CreateAdd(place.host, own));
}

void Translator::for_each_acting(llvm::function_ref<void(llvm::Value* lane)> each) {
  if (acts_) return for_acting(each);
  for (unsigned lane = 0; lane < kLanes; ++lane) each(b_->getInt64(lane));
}

}  // namespace nvmlkit::ptx::jit
