// Accesses to memory by some lanes of a warp: the others may have any address. Stores: acting_stores.cpp.
#include <llvm/ADT/STLExtras.h>

#include <algorithm>

#include "ptx/llvm/host.hpp"
#include "ptx/llvm/runs.hpp"
#include "ptx/llvm/scattered.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// The step from lane to lane, where it is the same for all.
std::optional<std::int64_t> step_of(const Shape& shape) {
  const auto step = shape.more[1];
  return shape.is_row(step) ? std::optional(step) : std::nullopt;
}

bool is_masked_row(const MemoryAccess& access, const Place& place) {
  return has_masked_accesses() && !place.shape->is_any && access.values.size() == 1 && access.element_size() >= 4 &&
         place.shape->is_row(access.element_size());
}

}  // namespace

Extent extent_of_all(LaneBuilder& b, const Shape& shape) {
  const auto number = [&](std::int64_t n) { return b.getInt64(static_cast<std::uint64_t>(n)); };
  return {number(shape.least()), number(shape.most())};
}

// Of the lanes that act, or of all.
Extent Translator::extent_of(const Shape& shape) {
  auto& b = *b_;
  if (!acts_ || shape.is_same() || !shape.fits_word()) return extent_of_all(b, shape);
  if (const auto step = step_of(shape)) {
    const auto number = [&](std::int64_t n) { return b.getInt64(static_cast<std::uint64_t>(n)); };
    auto* const first = b.CreateZExt(first_lane(), b.getInt64Ty());
    auto* const zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, acting_, b.getTrue());
    auto* const last = b.CreateZExt(b.CreateSub(b.getInt32(kLanes - 1), zeros), b.getInt64Ty());
    auto *least = b.CreateMul(first, number(*step)), *most = b.CreateMul(last, number(*step));
    if (*step < 0) std::swap(least, most);
    return {least, most};
  }
  auto* const more = b.numbers(shape.more, b.getInt32Ty());
  const auto word = [&](std::int64_t n) {
    return b.CreateVectorSplat(kLanes, b.getInt32(static_cast<std::uint32_t>(n)));
  };
  auto* const least = b.CreateIntMinReduce(b.CreateSelect(acts_, more, word(shape.most())), /*IsSigned=*/true);
  auto* const most = b.CreateIntMaxReduce(b.CreateSelect(acts_, more, word(shape.least())), /*IsSigned=*/true);
  return {b.CreateSExt(least, b.getInt64Ty()), b.CreateSExt(most, b.getInt64Ty())};
}

// A number for each lane on the stack.
llvm::Value* Translator::stack(unsigned number) {
  auto& block = code_->getEntryBlock();
  llvm::IRBuilder<> entry(&block, block.begin());
  while (stack_.size() <= number) {
    auto* const made = entry.CreateAlloca(b_->vector(8));
    made->setAlignment(llvm::Align(64));
    stack_.push_back(made);
  }
  return stack_[number];
}

llvm::Value* Translator::of_lane_on_stack(unsigned number, llvm::Type* element, llvm::Value* lane) {
  return b_->CreateInBoundsGEP(element, stack(number), {lane});
}

// One lane after the other. At least one acts.
void Translator::for_acting(llvm::function_ref<void(llvm::Value* lane)> each) {
  auto& b = *b_;
  auto* const from = b.GetInsertBlock();
  auto *const next = new_block("next_lane"), *const done = new_block("lanes_done");
  b.CreateBr(next);
  b.SetInsertPoint(next);
  auto* const left = b.CreatePHI(b.getInt32Ty(), 2);
  auto* const lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue());
  each(b.CreateZExt(lane, b.getInt64Ty()));
  auto* const others = b.CreateAnd(left, b.CreateSub(left, b.getInt32(1)));
  auto* const end = b.GetInsertBlock();
  b.CreateCondBr(b.CreateICmpNE(others, b.getInt32(0)), next, done);
  left->addIncoming(acting_, from);
  left->addIncoming(others, end);
  b.SetInsertPoint(done);
}

llvm::Value* Translator::host_at(const Place& place, llvm::Value* lane) {
  auto& b = *b_;
  if (place.is_laid_out) return laid_out(lane);
  if (place.step) return b.CreateAdd(place.base, b.CreateMul(place.step, b.CreateZExtOrTrunc(lane, b.getInt64Ty())));
  auto* const more = b.CreateInBoundsGEP(b.getInt64Ty(), table_of(b, *place.shape), {lane});
  return b.CreateAdd(place.host, b.CreateAlignedLoad(b.getInt64Ty(), more, llvm::Align(8)));
}

// Where the bytes of all lanes are there, a load of all takes fewer instructions than one with a mask. Around shared
// memory there are always enough of them.
std::vector<llvm::Value*> Translator::load_some(const MemoryAccess& access, const Place& place) {
  auto& b = *b_;
  const auto size = access.element_size();
  const bool is_shared = access.space == Space::shared;
  static_assert(kRoomAroundShared >= kLanes * sizeof(std::uint64_t));  // the longest window
  const bool may_load_all = (place.holds_all || is_shared) && access.values.size() == 1;
  const auto window = may_load_all ? window_of(*place.shape, size) : std::nullopt;
  if (!window) return load_acting(access, place);
  if (is_shared) return {load_window(size, place, *window)};
  auto *const all = new_block("all_lanes"), *const acting = new_block("acting_lanes"),
              *const loaded = new_block("loaded");
  b.CreateCondBr(place.holds_all, all, acting);
  b.SetInsertPoint(all);
  auto* const of_all = load_window(size, place, *window);
  b.CreateBr(loaded);
  b.SetInsertPoint(acting);
  auto* const of_acting = load_acting(access, place)[0];
  auto* const end_of_acting = b.GetInsertBlock();
  b.CreateBr(loaded);
  b.SetInsertPoint(loaded);
  auto* const out = b.CreatePHI(of_all->getType(), 2);
  out->addIncoming(of_all, all);
  out->addIncoming(of_acting, end_of_acting);
  return {out};
}

std::vector<llvm::Value*> Translator::load_acting(const MemoryAccess& access, const Place& place) {
  auto& b = *b_;
  const auto size = access.element_size(), count = static_cast<unsigned>(access.values.size());
  if (is_masked_row(access, place)) {
    auto* const others = llvm::Constant::getNullValue(b.vector(size));
    return {b.CreateMaskedLoad(b.vector(size), host_of_lane(place, 0, 0), llvm::Align(size), acts_, others)};
  }
  const bool has_runs = has_masked_accesses() && !place.shape->is_any && count == 1 && size >= 4;
  const auto runs = has_runs ? runs_of(*place.shape, size) : std::vector<Run>{};
  if (!runs.empty() && std::ranges::all_of(runs, [&](const Run& run) { return run.step == size; }))
    return {load_runs(size, place, runs)};
  return load_lanes(access, place);
}

// What lies between the bytes of the first and the last lane, and of it each lane its own.
// A vector of LLVM has as many numbers as there are lanes, because LLVM takes shuffles of wider ones apart.
llvm::Value* Translator::load_window(unsigned size, const Place& place, const Window& window) {
  auto& b = *b_;
  llvm::Value* out = llvm::PoisonValue::get(b.vector(size));
  for (unsigned begin = 0; begin < window.count; begin += kLanes) {
    const auto count = std::min(window.count - begin, kLanes);
    std::vector<int> own(kLanes, -1), both(kLanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto at = window.of_lane[lane] - static_cast<int>(begin);
      const bool is_own = at >= 0 && at < static_cast<int>(count);
      if (is_own) own[lane] = at;
      both[lane] = static_cast<int>(is_own ? kLanes + lane : lane);
    }
    auto* const type = llvm::FixedVectorType::get(b.element(size), count);
    const auto offset = static_cast<std::uint64_t>(window.begin) + std::uint64_t{begin} * size;
    auto* const part =
        b.CreateAlignedLoad(type, b.pointer(b.CreateAdd(place.host, b.getInt64(offset))), llvm::Align(size));
    auto* const in_lanes = b.CreateShuffleVector(part, own);
    out = begin == 0 ? in_lanes : b.CreateShuffleVector(out, in_lanes, both);
  }
  return out;
}

llvm::Value* Translator::load_runs(unsigned size, const Place& place, const std::vector<Run>& runs) {
  auto& b = *b_;
  llvm::Value* out = llvm::Constant::getNullValue(b.vector(size));
  for (const auto& run : runs) {
    auto* const type = llvm::FixedVectorType::get(b.element(size), run.count);
    std::vector<int> own, both, back(kLanes, 0);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const bool is_own = lane >= run.first && lane < run.first + run.count;
      if (is_own) own.push_back(static_cast<int>(lane)), back[lane] = static_cast<int>(lane - run.first);
      both.push_back(static_cast<int>(is_own ? kLanes + lane : lane));
    }
    auto* const loaded = b.CreateMaskedLoad(type, host_of_lane(place, run.first, 0), llvm::Align(size),
                                            b.CreateShuffleVector(acts_, own), llvm::Constant::getNullValue(type));
    out = b.CreateShuffleVector(out, b.CreateShuffleVector(loaded, back), both);
  }
  return out;
}

// What was there before, where it is asked for.
llvm::Value* Translator::change_some(const MemoryAccess& access, const Place& place, const ChangeOperands& all,
                                     bool is_plain) {
  auto& b = *b_;
  auto* const element = b.element(access.register_size);
  const llvm::Align align(access.register_size);
  b.CreateAlignedStore(all.by, stack(0), llvm::Align(64));
  if (all.wanted) b.CreateAlignedStore(all.wanted, stack(2), llvm::Align(64));
  for_acting([&](llvm::Value* lane) {
    ChangeOperands own{b.CreateAlignedLoad(element, of_lane_on_stack(0, element, lane), align), nullptr};
    if (all.wanted) own.wanted = b.CreateAlignedLoad(element, of_lane_on_stack(2, element, lane), align);
    auto* const before = change_one(access, b.pointer(host_at(place, lane)), own, is_plain);
    if (access.before.is_there()) b.CreateAlignedStore(before, of_lane_on_stack(1, element, lane), align);
  });
  if (!access.before.is_there()) return llvm::PoisonValue::get(all.by->getType());
  return b.CreateAlignedLoad(all.by->getType(), stack(1), llvm::Align(64));
}

}  // namespace nvmlkit::ptx::jit
