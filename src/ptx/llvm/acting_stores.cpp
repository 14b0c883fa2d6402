// Stores by some lanes of a warp. Those to scattered places are a loop over the lanes that act: LLVM makes a branch for
// each of 32 lanes.
#include <algorithm>
#include <cstddef>

#include "ptx/llvm/host.hpp"
#include "ptx/llvm/runs.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// With masks, so many take less time than a loop, from Zen 3 on.
constexpr std::size_t kMostRows = 2;

std::vector<int> lanes_of(const Run& run) {
  std::vector<int> out;
  for (unsigned lane = run.first; lane < run.first + run.count; ++lane) out.push_back(static_cast<int>(lane));
  return out;
}

// Lanes that store words or more behind each other: the rows that they make, or nothing.
std::vector<Run> rows_of(const MemoryAccess& access, const Place& place) {
  const auto size = access.element_size();
  if (place.shape->is_any || access.values.size() != 1 || size < 4) return {};
  auto runs = runs_of(*place.shape, size);
  if (!std::ranges::all_of(runs, [&](const Run& run) { return run.step == size; })) return {};
  return runs;
}

}  // namespace

// With masks, or all lanes store: those that do not act what was there before.
void Translator::store_rows(const std::vector<Run>& rows, const Place& place, unsigned size, const Lanes& value,
                            bool blends) {
  auto& b = *b_;
  auto* const all = b.as_vector(value);
  for (const auto& row : rows) {
    const auto lanes = lanes_of(row);
    auto* const acts = b.CreateShuffleVector(acts_, lanes);
    auto* own = b.CreateShuffleVector(all, lanes);
    auto* const at = host_of_lane(place, row.first, 0);
    if (!blends) {
      b.CreateMaskedStore(own, at, llvm::Align(size), acts);
      continue;
    }
    own = b.CreateSelect(acts, own, b.CreateAlignedLoad(own->getType(), at, llvm::Align(size)));
    b.CreateAlignedStore(own, at, llvm::Align(size));
  }
}

// Whether no other thread changes the bytes between their load and their store. Null: one may, or to store with a mask
// takes no longer. Shared memory is changed by one thread of the host at a time, that of a GPU in a turn that is alone
// with it (run/alone.hpp).
llvm::Value* Translator::may_blend(const MemoryAccess& access, const Place& place, const std::vector<Run>& rows) {
  auto& b = *b_;
  if (rows.empty()) return nullptr;
  if (access.space == Space::shared) {
    if (window_of(*place.shape, access.element_size())) return b.getTrue();  // kRoomAroundShared
    if (!place.shape->fits_word()) return nullptr;
    const auto [least, most] = extent_of_all(b, *place.shape);
    auto* const begin = b.CreateSub(b.CreateAdd(place.host, least), shared_);
    auto* const length = b.CreateAdd(b.CreateSub(most, least), b.getInt64(access.element_size()));
    return b.CreateAnd(b.CreateICmpULT(begin, shared_bytes_),
                       b.CreateICmpUGE(b.CreateSub(shared_bytes_, begin), length));
  }
  if (has_fast_masked_stores() || rows.size() > kMostRows || !place.delta || !place.holds_all) return nullptr;
  auto* const turn_is_alone = b.CreateICmpNE(field(offsetof(CodeContext, is_alone), b.getInt32Ty()), b.getInt32(0));
  auto* const is_of_gpu = b.CreateICmpNE(place.delta, b.getInt64(0));
  return b.CreateAnd(place.holds_all, b.CreateAnd(turn_is_alone, is_of_gpu));
}

void Translator::store_some(const MemoryAccess& access, const Place& place, const std::vector<Lanes>& values) {
  auto& b = *b_;
  const auto rows = rows_of(access, place);
  auto* const blends = may_blend(access, place, rows);
  if (!blends) return store_lanes(access, place, values, rows);
  if (blends == b.getTrue()) return store_rows(rows, place, access.element_size(), values[0], /*blends=*/true);
  auto *const blend = new_block("blend"), *const each = new_block("each_lane"), *const done = new_block("stored");
  b.CreateCondBr(blends, blend, each);
  b.SetInsertPoint(blend);
  store_rows(rows, place, access.element_size(), values[0], /*blends=*/true);
  b.CreateBr(done);
  b.SetInsertPoint(each);
  store_lanes(access, place, values, rows);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

// Lanes in their order: where several write to one place, the last one counts.
void Translator::store_lanes(const MemoryAccess& access, const Place& place, const std::vector<Lanes>& values,
                             const std::vector<Run>& rows) {
  auto& b = *b_;
  const auto size = access.element_size();
  const bool has_few = !rows.empty() && rows.size() <= kMostRows && has_fast_gathers();
  if (has_few || (rows.size() == 1 && has_masked_accesses()))
    return store_rows(rows, place, size, values[0], /*blends=*/false);
  if (is_at_once(access, place)) return scatter(access, place, values);
  for (unsigned k = 0; k < values.size(); ++k)
    if (!values[k].shape.is_same()) b.CreateAlignedStore(b.as_vector(values[k]), stack(k), llvm::Align(64));
  for_acting([&](llvm::Value* lane) {
    auto* const to = host_at(place, lane);
    for (unsigned k = 0; k < values.size(); ++k) {
      auto* value = values[k].value;
      if (!values[k].shape.is_same())
        value = b.CreateAlignedLoad(b.element(size), of_lane_on_stack(k, b.element(size), lane), llvm::Align(size));
      b.CreateAlignedStore(value, b.pointer(b.CreateAdd(to, b.getInt64(k * size))), llvm::Align(size));
    }
  });
}

}  // namespace nvmlkit::ptx::jit
