#include "ptx/llvm/near.hpp"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstddef>

#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// Of bytes of global memory that are checked at once. Farther ones may be in another allocation.
constexpr std::int64_t kNear = 4096;

}  // namespace

std::optional<Near> Translator::near_at(std::uint32_t at, const Shape& shape) const {
  const auto access = access_at(at);
  const auto space = function_.code[at].space;
  if (!access || shape.is_any || (space != Space::shared && space != Space::global)) return std::nullopt;
  Near out;
  out.space = space;
  out.writes = space == Space::global && !access->loads;
  out.base = access->base;
  out.wide = access->wide_address;
  out.of_image = access->of_image;
  if (out.of_image && out.base.is_there() && !out.wide) return std::nullopt;
  const auto offset = out.wide || !out.base.is_there() ? static_cast<std::int64_t>(access->offset)
                                                       : static_cast<std::int32_t>(access->offset);
  out.low = offset + shape.least();
  out.high = offset + shape.most() + access->size();
  out.align = access->size();
  out.residue = static_cast<std::uint64_t>(offset) % out.align;
  std::uint64_t bits = 0;
  for (const auto more : shape.more) bits |= static_cast<std::uint64_t>(more);
  if ((bits & (out.align - 1)) != 0 || (out.align & (out.align - 1)) != 0) return std::nullopt;
  return out;
}

// With those of the stretch behind it for the same lanes, as long as the base stays.
Near Translator::all_near(std::uint32_t at, Near first, const Shape& shape) const {
  auto out = first;
  const auto& own = function_.code[at];
  for (auto k = at; k < stretch_end_; ++k) {
    const auto& i = function_.code[k];
    const bool is_for_the_same = i.guard.packed == own.guard.packed && i.guard_negated == own.guard_negated;
    const auto next = near_at(k, shape);
    if (next && is_for_the_same && next->is_of_one(out)) {
      auto both = out;
      both.low = std::min(out.low, next->low);
      both.high = std::max(out.high, next->high);
      if (next->align > out.align) both.align = next->align, both.residue = next->residue;
      const bool is_near = first.space == Space::shared || both.high - both.low <= kNear;
      if (is_near && both.covers(out) && both.covers(*next)) out = both;
    }
    for (const auto& a : needs_.accesses(k))
      for (const auto kept : {out.base, own.guard})
        if (a.writes && kept.area() == Operand::registers && a.offset == kept.offset()) return out;
  }
  return out;
}

// Where the bytes are not where they were expected, the code ends. `leaves` sees to that; it gets the number of the
// place.
void Translator::check_near(const Shape& shape, Near& near, llvm::function_ref<void(std::int32_t)> leaves) {
  auto& b = *b_;
  llvm::Value *start = b.getInt64(0), *room = shared_bytes_;
  auto* delta = shared_;
  std::int32_t place = -1;
  if (near.space == Space::global) {
    place = static_cast<std::int32_t>(places_++);
    auto* const reached =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), reached_, static_cast<std::uint64_t>(place) * sizeof(Reached));
    const auto part = [&](std::size_t offset) {
      auto* const out = b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), reached, offset));
      // Until the code ends: it ends behind the only call that sets it.
      out->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
      return out;
    };
    start = part(offsetof(Reached, start));
    room = part(offsetof(Reached, size));
    delta = part(offsetof(Reached, delta));
  }
  auto* const base = b.CreateZExt(near.base_value, b.getInt64Ty());
  const auto first = near.low - shape.least(), last = near.high - shape.most();  // without the lanes
  const auto is_inside = [&](const Extent& lanes) {
    const auto number = [&](std::int64_t n) { return b.getInt64(static_cast<std::uint64_t>(n)); };
    auto* const low = b.CreateSub(b.CreateAdd(b.CreateAdd(base, number(first)), lanes.least), start);
    auto* const length = b.CreateAdd(b.CreateSub(lanes.most, lanes.least), number(last - first));
    return b.CreateAnd(b.CreateICmpULT(low, room), b.CreateICmpUGE(b.CreateSub(room, low), length));
  };
  llvm::Value* is_aligned = b.getTrue();
  if (near.align > 1) {
    auto* const bits = b.CreateAnd(b.CreateAdd(base, b.getInt64(near.residue)), b.getInt64(near.align - 1));
    is_aligned = b.CreateICmpEQ(bits, b.getInt64(0));
  }
  auto* const goes_on = new_block("near");
  auto* const other = new_block("elsewhere");
  auto* const likely = llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1);
  auto* const fits = b.CreateAnd(is_aligned, is_inside(extent_of_all(b, shape)));
  llvm::PHINode* holds_all = nullptr;
  if (acts_ && !shape.is_same()) {  // where those of all lanes are not inside, those that act may be
    auto* const some = new_block("some_lanes");
    b.CreateCondBr(fits, goes_on, some, likely);
    auto* const before = b.GetInsertBlock();
    b.SetInsertPoint(some);
    auto* const some_fit = b.CreateAnd(is_aligned, is_inside(extent_of(shape)));
    if (near.space == Space::global) {
      holds_all = llvm::PHINode::Create(b.getInt1Ty(), 2, "holds_all", goes_on);
      holds_all->addIncoming(b.getTrue(), before);
      holds_all->addIncoming(b.getFalse(), b.GetInsertBlock());
    }
    b.CreateCondBr(some_fit, goes_on, other);
  } else {
    b.CreateCondBr(fits, goes_on, other, likely);
  }
  b.SetInsertPoint(other);
  leaves(place);
  b.SetInsertPoint(goes_on);
  near.host = b.CreateAdd(base, delta);
  near.delta = delta;
  near.holds_all = holds_all;
}

// The interpreter has executed the access.
void Translator::leave_behind(const MemoryAccess& access, std::uint32_t at) {
  const auto kept = values_;
  for (const auto target : targets_of(access)) {
    if (!target.is_there()) continue;
    const Key key{target.offset(), access.register_size};
    const auto before = operand(target, access.register_size);
    values_.erase(key);
    if (part_ && kept_.contains(key)) values_[key] = of_part(key, {Shape::any(), left_in(key, Shape::any())}, before);
  }
  leave(at + 1, at + 1 - stretch_begin_);
  values_ = kept;
}

std::vector<Near>::const_iterator Translator::known_near(const Near& near) const {
  return std::ranges::find_if(near_, [&](const Near& one) { return one.is_check_of(near); });
}

// Nothing where the addresses are not known well enough.
std::optional<NearCheck> Translator::near_access(const MemoryAccess& access, std::uint32_t at) {
  auto& b = *b_;
  Lanes base{Shape::same(), b.getInt64(0)};
  if (access.base.is_there()) base = operand(access.base, access.wide_address ? 8 : 4);
  auto near = near_at(at, base.shape);
  if (!near) return std::nullopt;
  if (access.of_image) base.value = access.base.is_there() ? b.CreateAdd(base.value, image_) : image_;
  near->base_value = base.value;
  return NearCheck{at, base.shape, *near};
}

bool Translator::emit_near(const MemoryAccess& access, std::uint32_t at) {
  auto& b = *b_;
  const auto own = near_access(access, at);
  if (!own) return false;
  const auto& base = own->shape;
  const auto& near = own->near;
  if (known_near(near) == near_.end()) {
    std::vector<NearCheck> checks{{at, base, all_near(at, near, base)}};
    if (is_plain_shared(at)) look_ahead(checks);
    check_all(checks);
    for (const auto& check : checks) near_.push_back(check.near);
  }
  const auto known = known_near(near);
  const auto offset = static_cast<std::uint64_t>(near.low - base.least());
  Place place{&base, b.CreateAdd(known->host, b.getInt64(offset))};
  place.delta = known->delta;
  place.holds_all = known->holds_all;
  const auto loaded = reach(access, place);
  const auto targets = targets_of(access);
  const auto shape = shape_loaded(access, base);
  for (std::size_t k = 0; k < targets.size(); ++k)
    if (targets[k].is_there()) values_[{targets[k].offset(), access.register_size}] = {shape, loaded[k]};
  return true;
}

}  // namespace nvmlkit::ptx::jit
