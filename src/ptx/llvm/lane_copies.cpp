// cp.async: a few bytes for each lane, from global to shared memory. The interpreter, too, copies at once.
#include <llvm/IR/MDBuilder.h>

#include "ptx/llvm/scattered.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

// A guard leaves out lanes. A warp of which none copies goes around all of it.
void Translator::emit_lane_copy(const LaneCopy& copy, std::uint32_t at) {
  auto& b = *b_;
  const auto guard = guard_of(at);
  if (!guard) return copy_between(copy, at);
  auto *const acting = acting_, *const acts = acts_;
  acts_ = b.as_vector(*guard);
  if (acts) acts_ = b.CreateSelect(acts, acts_, llvm::Constant::getNullValue(acts_->getType()));
  acting_ = b.mask_of({Shape::any(), acts_});
  auto *const copies = new_block("copies"), *const done = new_block("copied");
  b.CreateCondBr(b.CreateICmpNE(acting_, b.getInt32(0)), copies, done);
  b.SetInsertPoint(copies);
  copy_between(copy, at);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  acting_ = acting;
  acts_ = acts;
}

void Translator::copy_between(const LaneCopy& copy, std::uint32_t at) {
  auto& b = *b_;
  const auto from = address_of(copy.from), to = address_of(copy.to);
  const auto number = static_cast<std::int32_t>(places_++);
  Place source, target;
  auto* const has_source = find_place(copy.from, from, number, source);
  auto* const fits = b.CreateAnd(has_source, find_place(copy.to, to, -1, target));
  auto *const direct = new_block("direct"), *const other = new_block("other"), *const done = new_block("done");
  b.CreateCondBr(fits, direct, other, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  b.SetInsertPoint(direct);
  copy_lanes(copy.from.size(), source, target);
  b.CreateBr(done);
  b.SetInsertPoint(other);
  call_interpreter(at, number);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

void Translator::copy_lanes(unsigned size, const Place& from, const Place& to) {
  auto& b = *b_;
  const auto words = [&](unsigned count) { return llvm::FixedVectorType::get(b.getInt32Ty(), count); };
  const auto copy = [&](unsigned bytes, llvm::Value* target, llvm::Value* source) {
    b.CreateAlignedStore(b.CreateAlignedLoad(words(bytes / 4), source, llvm::Align(size)), target, llvm::Align(size));
  };
  const auto is_row = [&](const Place& place) { return !place.shape->is_any && place.shape->is_row(size); };
  if (!acts_ && is_row(from) && is_row(to))
    return copy(kLanes * size, host_of_lane(to, 0, 0), host_of_lane(from, 0, 0));
  // Addresses of each lane, or what they have more than that of lane 0.
  const auto table = [&](const Place& place, unsigned number) -> llvm::Value* {
    if (!place.shape->is_any) return table_of(b, *place.shape);
    b.CreateAlignedStore(place.host, stack(number), llvm::Align(64));
    return stack(number);
  };
  auto *const sources = table(from, 0), *const targets = table(to, 1);
  const auto of_lane = [&](const Place& place, llvm::Value* numbers, llvm::Value* lane) {
    auto* const at = b.CreateInBoundsGEP(b.getInt64Ty(), numbers, {lane});
    auto* const number = b.CreateAlignedLoad(b.getInt64Ty(), at, llvm::Align(8));
    return b.pointer(place.shape->is_any ? static_cast<llvm::Value*>(number) : b.CreateAdd(place.host, number));
  };
  const auto copy_lane = [&](llvm::Value* lane) {
    copy(size, of_lane(to, targets, lane), of_lane(from, sources, lane));
  };
  if (acts_) return for_acting(copy_lane);
  for (unsigned lane = 0; lane < kLanes; ++lane) copy_lane(b.getInt64(lane));
}

}  // namespace nvmlkit::ptx::jit
