// Loads and stores. What lies where it is expected is reached at once; all else is left to the interpreter, errors too.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "ptx/llvm/host.hpp"
#include "ptx/llvm/local.hpp"
#include "ptx/llvm/prefetch.hpp"
#include "ptx/llvm/runs.hpp"
#include "ptx/llvm/scattered.hpp"
#include "ptx/llvm/translator.hpp"
#include "ptx/local_words.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// Lanes that read each second to eighth number, as those of structures: loads of all of them and some shuffles take
// less time than a load for each lane.
constexpr unsigned kWidestWindow = 8 * kLanes;

}  // namespace

llvm::Value* Translator::to_register(llvm::Value* value, const MemoryAccess& access) {
  auto* type = static_cast<llvm::Type*>(b_->element(access.register_size));
  if (value->getType()->isVectorTy()) type = b_->vector(access.register_size);
  return is_signed(access.type) ? b_->CreateSExt(value, type) : b_->CreateZExt(value, type);
}

// One value for each part of a vector: of lane 0 where all lanes read the same.
std::vector<llvm::Value*> Translator::load(const MemoryAccess& access, const Place& place) {
  auto& b = *b_;
  const auto element = access.element_size(), count = static_cast<unsigned>(access.values.size());
  std::vector<llvm::Value*> out;
  if (place.row) {
    out = load_words(b, access, place);
  } else if (acts_ && !place.shape->is_same()) {
    out = load_some(access, place);
  } else if (!place.shape->is_any && place.shape->is_same()) {
    for (unsigned k = 0; k < count; ++k)
      out.push_back(b.CreateAlignedLoad(b.element(element), host_of_lane(place, 0, k * element), llvm::Align(element)));
  } else if (!place.shape->is_any && place.shape->is_row(access.size())) {
    auto* const type = llvm::FixedVectorType::get(b.element(element), kLanes * count);
    auto* const all = b.CreateAlignedLoad(type, host_of_lane(place, 0, 0), llvm::Align(access.size()));
    for (unsigned k = 0; k < count; ++k) {
      std::vector<int> from;
      for (unsigned lane = 0; lane < kLanes; ++lane) from.push_back(static_cast<int>(lane * count + k));
      out.push_back(count == 1 ? all : b.CreateShuffleVector(all, from));
    }
  } else {
    out = load_lanes(access, place);
  }
  for (auto& value : out) value = to_register(value, access);
  return out;
}

std::vector<llvm::Value*> Translator::load_lanes(const MemoryAccess& access, const Place& place) {
  auto& b = *b_;
  const auto element = access.element_size(), count = static_cast<unsigned>(access.values.size());
  std::vector<llvm::Value*> out(count, llvm::PoisonValue::get(b.vector(element)));
  const bool may_have_runs = !place.shape->is_any && count == 1 && !acts_;
  if (may_have_runs)
    if (const auto window = window_of(*place.shape, element)) return {load_window(element, place, *window)};
  const auto runs = may_have_runs ? runs_of(*place.shape, element) : std::vector<Run>{};
  for (const auto& run : runs) {
    auto* const from = host_of_lane(place, run.first, 0);
    std::vector<int> lanes(kLanes, -1), both;
    llvm::Value* part = nullptr;
    if (run.step == 0) {
      part = b.CreateVectorSplat(kLanes, b.CreateAlignedLoad(b.element(element), from, llvm::Align(element)));
    } else {
      auto* const type = llvm::FixedVectorType::get(b.element(element), run.count);
      for (unsigned k = 0; k < run.count; ++k) lanes[run.first + k] = static_cast<int>(k);
      part = b.CreateShuffleVector(b.CreateAlignedLoad(type, from, llvm::Align(element)), lanes);
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
      both.push_back(static_cast<int>(lane >= run.first && lane < run.first + run.count ? kLanes + lane : lane));
    out[0] = b.CreateShuffleVector(out[0], part, both);
  }
  if (!runs.empty()) return out;
  if (may_have_runs)
    if (const auto window = window_of(*place.shape, element, kWidestWindow))
      return {load_window(element, place, *window)};
  if (is_at_once(access, place)) {
    for (unsigned k = 0; k < count; ++k) out[k] = gather_part(access, place, k * element);
    return out;
  }
  if (place.is_laid_out || acts_) {
    auto* const base = place.is_laid_out ? b.getInt64(0) : place.host;
    auto* const table = place.is_laid_out ? laid_out_ : table_of(b, *place.shape);
    for (unsigned k = 0; k < count; ++k)
      out[k] = load_scattered(b, element, b.CreateAdd(base, b.getInt64(k * element)), table, acting_);
    return out;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned k = 0; k < count; ++k) {
      auto* const one =
          b.CreateAlignedLoad(b.element(element), host_of_lane(place, lane, k * element), llvm::Align(element));
      out[k] = b.CreateInsertElement(out[k], one, lane);
    }
  return out;
}

// Where lanes write to one place, the last one counts.
void Translator::store(const MemoryAccess& access, const Place& place) {
  auto& b = *b_;
  const auto element = access.element_size(), count = static_cast<unsigned>(access.values.size());
  std::vector<Lanes> values;
  for (const auto value : access.values) {
    auto lanes = operand(value, access.register_size);
    lanes.value = b.CreateTrunc(lanes.value,
                                lanes.shape.is_any ? static_cast<llvm::Type*>(b.vector(element)) : b.element(element));
    for (auto& m : lanes.shape.more) m = truncated(static_cast<std::uint64_t>(m), element);
    values.push_back(lanes);
  }
  if (place.row) {
    std::vector<llvm::Value*> vectors;
    for (const auto& lanes : values) vectors.push_back(b.as_vector(lanes));
    return store_words(b, access, place, vectors, acts_);
  }
  if (acts_) return store_some(access, place, values);
  if (!place.shape->is_any && place.shape->is_row(access.size()) && count == 1) {
    b.CreateAlignedStore(b.as_vector(values[0]), host_of_lane(place, 0, 0), llvm::Align(element));
    return;
  }
  if (is_at_once(access, place)) return scatter(access, place, values);
  std::vector<llvm::Value*> vectors;
  for (const auto& lanes : values) vectors.push_back(b.as_vector(lanes));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const bool is_last =
        place.shape->is_any || lane + 1 == kLanes || place.shape->more[lane] != place.shape->more[lane + 1];
    for (unsigned k = 0; is_last && k < count; ++k)
      b.CreateAlignedStore(b.CreateExtractElement(vectors[k], lane), host_of_lane(place, lane, k * element),
                           llvm::Align(element));
  }
}

void Translator::load_param(const MemoryAccess& access, std::uint32_t at) {
  auto& b = *b_;
  const auto guard = guard_of(at);
  const Shape shape = shape_of_load(access, {});
  for (unsigned k = 0; k < access.values.size(); ++k) {
    if (!access.values[k].is_there()) continue;
    const Key key{access.values[k].offset(), access.register_size};
    if (is_assumed_param(access)) {
      set(key, {shape, params_.at({static_cast<std::uint32_t>(access.offset), access.register_size}).value}, guard);
      continue;
    }
    auto* const params = field(offsetof(CodeContext, params), b.getPtrTy());
    auto* const from = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), params, access.offset + k * access.element_size());
    auto* const value = b.CreateAlignedLoad(b.element(access.element_size()), from, llvm::Align(1));
    set(key, {Shape::same(), to_register(value, access)}, guard);
  }
}

// Parameters of calls have a place for each lane, which is always there.
void Translator::reach_param_of_call(const MemoryAccess& access) {
  auto& b = *b_;
  Shape lanes = Shape::same();
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes.more[lane] = static_cast<std::int64_t>(lane) * function_.frame_param_bytes;
  auto* const params = field(offsetof(CodeContext, frame_params), b.getInt64Ty());
  const Place place{&lanes, b.CreateAdd(params, b.getInt64(access.offset)), /*is_laid_out=*/false};
  if (!access.loads) return store(access, place);
  auto* const acts = std::exchange(acts_, nullptr);
  const auto loaded = load(access, place);
  acts_ = acts;
  for (std::size_t k = 0; k < loaded.size(); ++k)
    if (access.values[k].is_there())
      values_[{access.values[k].offset(), access.register_size}] = {Shape::any(), loaded[k]};
}

// What the interpreter left in a register: one number where all lanes that execute have the same.
llvm::Value* Translator::left_in(Key key, const Shape& shape) {
  auto& b = *b_;
  auto* const at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), registers_, key.offset);
  if (!acts_ || shape.is_any) return b.CreateAlignedLoad(b.type_of(shape, key.size), at, llvm::Align(4));
  auto* const all = b.CreateAlignedLoad(b.vector(key.size), at, llvm::Align(4));
  return b.CreateExtractElement(all, first_lane());
}

// By a generic address, lanes may have reached local memory, each its own. Then the interpreter goes on.
void Translator::check_left(const MemoryAccess& access, std::uint32_t at) {
  auto& b = *b_;
  auto* const same = new_block("same");
  auto* const differ = new_block("differ");
  llvm::Value* unlike = b.getFalse();
  for (const auto target : access.values) {
    if (!target.is_there()) continue;
    const Key key{target.offset(), access.register_size};
    auto* const first = b.CreateVectorSplat(kLanes, left_in(key, Shape::same()));
    auto* const all = of_lanes(left_in(key, Shape::any()), first);
    unlike = b.CreateOr(unlike, b.CreateOrReduce(b.CreateICmpNE(all, first)));
  }
  b.CreateCondBr(unlike, differ, same);
  b.SetInsertPoint(differ);
  leave_behind(access, at);
  b.SetInsertPoint(same);
}

// Who looks at memory again and again waits for others: its turn ends sooner.
void Translator::note_look(const MemoryAccess& access) {
  auto& b = *b_;
  turns_.is_of_one = true;  // the next one has a budget of its own
  auto* const budget = field(offsetof(CodeContext, budget), b.getInt64Ty());
  put_field(offsetof(CodeContext, budget), b.CreateSub(budget, b.getInt64(kWeightOfPoll)));
  if (access.space == Space::global) note_polls(kMemoryLookedAt);
}

std::vector<llvm::Value*> Translator::reach(const MemoryAccess& access, Place place) {
  if (local_.is_in_words && access.space == Space::local && access.size() > kLocalWord) {
    std::vector<llvm::Value*> out;
    for (const auto& [part, where] : parts_of(*b_, access, place))
      std::ranges::copy(reach(part, where), std::back_inserter(out));
    return out;
  }
  const bool steps = place.step && !access.loads;
  if (place.shape->is_any && !steps && !is_at_once(access, place)) {
    lay_out(place.host);
    place.is_laid_out = true;
  }
  if (access.change != Change::none) return {change(access, place)};
  prefetch_next_block(*b_, function_, stretch_begin_, access, place);
  using enum llvm::AtomicOrdering;
  // One host thread executes the warps of a block.
  const auto seen_by = access.space == Space::global ? llvm::SyncScope::System : llvm::SyncScope::SingleThread;
  if (access.loads) {
    auto out = load(access, place);
    if (access.is_ordered) {
      b_->CreateFence(Acquire, seen_by);
      note_look(access);
    }
    return out;
  }
  if (access.is_ordered) b_->CreateFence(Release, seen_by);
  store(access, place);
  return {};
}

void Translator::emit_access(const MemoryAccess& found, std::uint32_t at) {
  if (found.space == Space::kernel_param) return load_param(found, at);
  const auto access = settled(found, shape_of_base(found));
  if (function_.code[at].guard.is_there()) return emit_guarded(access, at);
  std::map<Key, Lanes> before;
  for (const auto target : targets_of(access))
    if (target.is_there()) before[{target.offset(), access.register_size}] = operand(target, access.register_size);
  emit_all(access, at);
  for (const auto& [key, lanes] : before) values_[key] = of_part(key, values_[key], lanes);
}

// For all lanes that act.
void Translator::emit_all(const MemoryAccess& access, std::uint32_t at) {
  auto& b = *b_;
  if (access.space == Space::param) return reach_param_of_call(access);
  if (emit_near(access, at)) return;
  const auto place_number = access.space == Space::global ? static_cast<std::int32_t>(places_++) : -1;
  const auto address = address_of(access);
  Place place;
  auto* const fits = find_place(access, address, place_number, place);
  auto* const direct = new_block("direct");
  auto* const other = new_block("other");
  auto* const done = new_block("done");
  b.CreateCondBr(fits, direct, other, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  // The registers that it sets, their shape, and what the direct way sets them to.
  std::vector<Operand> targets;
  std::vector<llvm::Value*> loaded, reloaded;
  const auto shape = shape_loaded(access, address.shape);
  b.SetInsertPoint(direct);
  loaded = reach(access, place);
  targets = targets_of(access);
  b.CreateBr(done);
  auto* const direct_end = b.GetInsertBlock();
  b.SetInsertPoint(other);
  call_interpreter(at, place_number);
  if (access.is_generic && !shape.is_any) check_left(access, at);
  for (const auto target : targets)
    reloaded.push_back(target.is_there() ? left_in({target.offset(), access.register_size}, shape) : nullptr);
  b.CreateBr(done);
  auto* const other_end = b.GetInsertBlock();
  b.SetInsertPoint(done);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].is_there()) continue;
    auto* const phi = b.CreatePHI(b.type_of(shape, access.register_size), 2);
    phi->addIncoming(loaded[k], direct_end);
    phi->addIncoming(reloaded[k], other_end);
    values_[{targets[k].offset(), access.register_size}] = {shape, phi};
  }
}

}  // namespace nvmlkit::ptx::jit
