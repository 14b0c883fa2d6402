// Instructions that order accesses, and copies, before they are executed: what the check of races learns of them.
#include "ptx/check/order_checks.hpp"

#include "ptx/check/block_watch.hpp"
#include "ptx/check/races/block.hpp"
#include "ptx/check/touched.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {
namespace {

using races::BlockState;
using races::RunningCopy;

constexpr std::uint64_t kWindowBits = std::uint64_t{0xFF} << 56;

BlockState& races_of(Warp& w) { return *w.block.watch()->races(); }

// A launch that is left out is executed without a look.
bool looks(Warp& w) { return w.block.watch() && checking.races; }

RunningCopy::Kind kind_of(const CheckedForm& form) { return static_cast<RunningCopy::Kind>(form.copies); }

void execute(Warp& w, const Instruction& i, Mask lanes) { checked_form(*w.frame().function, i).handler(w, i, lanes); }

template <class F>
void each(Mask lanes, F f) {
  for (Mask left = lanes; left != 0; left &= left - 1) f(first_of(left));
}

// An address of shared memory, without the window of the generic ones.
std::uint64_t in_shared(std::uint64_t address) {
  return (address & kWindowBits) == kSharedWindow ? address - kSharedWindow : address;
}

void check_fence(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  races_of(w).fence(w, checked_form(*w.frame().function, i).scope, lanes);
  execute(w, i, lanes);
}

// A barrier in memory is a word that threads change together, except when it is made.
void note_gate(Warp& w, const Instruction& i, const std::uint64_t* addresses, Mask lanes) {
  const auto& form = checked_form(*w.frame().function, i);
  if (form.op != Op::mbarrier_) return;
  std::uint64_t own[kLanes];
  each(lanes, [&](unsigned l) { own[l] = in_shared(addresses[l]); });
  races_of(w).access(w, i, Space::shared, form.scope == Scope::none ? Touch::writes : Touch::changes, 8, own, lanes);
}

void check_start(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  std::uint64_t addresses[kLanes];
  effective_addresses(w, i, addresses);
  note_gate(w, i, addresses, lanes);
  execute(w, i, lanes);
}

void check_arrival(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  effective_addresses(w, i, addresses);
  if (auto* const watch = w.block.watch()) watch->changes();
  if (!looks(w)) return execute(w, i, lanes);
  note_gate(w, i, addresses, lanes);
  // Copies of these lanes are done when the barrier counts them.
  auto& own = races_of(w);
  if (checked_form(*w.frame().function, i).op == Op::cp_) own.wait(w, RunningCopy::Kind::lanes, ~0u, false, lanes);
  each(lanes, [&](unsigned l) {
    const auto address = in_shared(addresses[l]);
    own.owner_of(address).arrive_at(Group::offset_of(address), own.hand_on(w, l));
  });
  execute(w, i, lanes);
}

void check_phase(Warp& w, const Instruction& i, Mask lanes) {
  if (auto* const watch = w.block.watch()) watch->polls();
  if (!looks(w)) return execute(w, i, lanes);
  std::uint64_t addresses[kLanes];
  effective_addresses(w, i, addresses);
  note_gate(w, i, addresses, lanes);
  execute(w, i, lanes);
  if (!i.d.is_there()) return;
  auto& own = races_of(w);
  each(w.predicate(i.d) & lanes, [&](unsigned l) {
    const auto address = in_shared(addresses[l]);
    own.learn(w, l, own.owner_of(address).arrived_at(Group::offset_of(address)));
  });
}

// Calls f(first, addresses, lanes) for accesses of one size and space, at most one of each lane.
template <class F>
void each_batch(Mask lanes, Touch touch, F f) {
  std::uint64_t addresses[kLanes];
  Mask known = 0;
  const Touched* first = nullptr;
  const auto finish = [&] {
    if (known != 0) f(*first, addresses, known);
    known = 0;
  };
  for (const auto& p : last_touched()) {
    if (p.size == 0 || p.touch != touch || !(lanes >> p.lane & 1)) continue;
    if (p.space != Space::shared && p.space != Space::global) continue;
    if (known != 0 && ((known >> p.lane & 1) || p.space != first->space || p.size != first->size)) finish();
    if (known == 0) first = &p;
    addresses[p.lane] = p.address;
    known |= Mask{1} << p.lane;
  }
  finish();
}

// Each lane accesses its part.
void note(Warp& w, const Instruction& i, Mask lanes, Touch touch) {
  each_batch(lanes, touch, [&](const Touched& first, const std::uint64_t* addresses, Mask of) {
    races_of(w).access(w, i, first.space, touch, first.size, addresses, of);
  });
}

void run(Warp& w, const Instruction& i, Mask lanes, Touch touch, RunningCopy::Kind kind) {
  each_batch(lanes, touch, [&](const Touched& first, const std::uint64_t* addresses, Mask of) {
    races_of(w).run(w, i, kind, first.space, touch, first.size, addresses, of);
  });
}

// Rows and tiles of matrices.
void check_tiles(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  note(w, i, lanes, Touch::reads);
  note(w, i, lanes, Touch::writes);
  execute(w, i, lanes);
}

void check_copy(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  note(w, i, lanes, Touch::reads);
  run(w, i, lanes, Touch::writes, RunningCopy::Kind::lanes);
  execute(w, i, lanes);
}

void check_products(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  run(w, i, lanes, Touch::reads, RunningCopy::Kind::products);
  execute(w, i, lanes);
}

// From shared to global memory.
void check_bulk_store(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  run(w, i, lanes, Touch::reads, RunningCopy::Kind::bulk);
  run(w, i, lanes, Touch::writes, RunningCopy::Kind::bulk);
  note(w, i, lanes, Touch::changes);
  execute(w, i, lanes);
}

// To shared memory of one or several blocks, with a barrier that learns of the end: it follows what is written.
void check_bulk_load(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  auto& own = races_of(w);
  const auto& all = last_touched();
  std::size_t first = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& barrier = all[k];
    if (barrier.touch != Touch::changes || barrier.size != 8) continue;
    for (; first < k; ++first) {
      const auto& p = all[first];
      if (p.touch != Touch::writes || p.size == 0 || !(lanes >> p.lane & 1)) continue;
      own.bulk_copy(w, i, own.owner_of(p.address), p.address, p.size, barrier.address, p.lane);
    }
  }
  note(w, i, lanes, Touch::reads);
  execute(w, i, lanes);
}

void check_commit(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  races_of(w).commit(w, kind_of(checked_form(*w.frame().function, i)), lanes);
  execute(w, i, lanes);
}

void check_wait(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  const auto& form = checked_form(*w.frame().function, i);
  races_of(w).wait(w, kind_of(form), form.number, form.only_reads, lanes);
  execute(w, i, lanes);
}

// Commits and waits for groups; null: it is neither.
Handler handler_for_groups(const Form& form, RunningCopy::Kind kind, CheckedForm& made) {
  made.copies = static_cast<std::uint8_t>(kind);
  if (form.has("commit_group")) return &check_commit;
  const bool waits_for_all = form.has("wait_all");
  if (!waits_for_all && !form.has("wait_group")) return nullptr;
  made.number = waits_for_all ? ~0u : form.count() > 0 ? static_cast<std::uint32_t>(form.term(0).value) : 0;
  made.only_reads = form.has("read");
  return &check_wait;
}

Handler handler_for_copies(const Form& form, CheckedForm& made) {
  const bool is_bulk = form.has("bulk");
  if (form.has("mbarrier") && !is_bulk) return &check_arrival;
  const auto kind = is_bulk ? RunningCopy::Kind::bulk : RunningCopy::Kind::lanes;
  if (const auto handler = handler_for_groups(form, kind, made)) return handler;
  if (!made.touched) return nullptr;
  if (form.has("reduce")) made.scope = Scope::all;
  return !is_bulk ? &check_copy : form.has("bulk_group") ? &check_bulk_store : &check_bulk_load;
}

Handler handler_for(const Form& form, CheckedForm& made) {
  switch (form.op()) {
    case Op::membar_:
      made.scope = form.has("cta") ? Scope::block : Scope::all;
      return &check_fence;
    case Op::fence_:
      if (form.has("proxy") || form.has("mbarrier_init")) return nullptr;
      made.scope = form.has("cta") ? Scope::block : form.has("cluster") ? Scope::cluster : Scope::all;
      return &check_fence;
    case Op::mbarrier_:
      made.ends_gate = form.has("inval");
      if (form.has("init") || made.ends_gate) return checking.races ? &check_start : nullptr;
      made.scope = Scope::cluster;
      if (form.has("test_wait") || form.has("try_wait")) return &check_phase;
      return form.has("arrive") || form.has("arrive_drop") ? &check_arrival : nullptr;
    case Op::cp_:
      return handler_for_copies(form, made);
    case Op::st_:  // .async
      return made.touched ? &check_bulk_load : nullptr;
    case Op::wgmma_:
      return made.touched ? &check_products : handler_for_groups(form, RunningCopy::Kind::products, made);
    case Op::ldmatrix_:
    case Op::stmatrix_:
    case Op::wmma_:
      return made.touched ? &check_tiles : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

void add_order_check(const Form& form, Instruction& out, CheckedForm& made) {
  const bool is_wait = form.op() == Op::mbarrier_ && checking.barriers;
  const bool is_plain = out.kind == Kind::plain || out.kind == Kind::guarded;
  if ((!checking.races && !is_wait) || !out.handler || (!is_plain && !made.touched)) return;
  const auto handler = handler_for(form, made);
  if (!handler) return;
  if (made.touched) {
    made.order = handler;
    return;
  }
  made.handler = out.handler;
  out.handler = handler;
}

void note_order(const Form& form, CheckedForm& made) {
  const bool changes = made.touch == Touch::changes;
  made.is_volatile = form.has("volatile");
  made.acquires = form.has("acquire") || form.has("acq_rel");
  made.releases = form.has("release") || form.has("acq_rel");
  const bool is_strong =
      changes || made.is_volatile || made.acquires || made.releases || form.has("relaxed") || form.has("mmio");
  if (is_strong) made.scope = form.has("cta") ? Scope::block : form.has("cluster") ? Scope::cluster : Scope::all;
}

}  // namespace nvmlkit::ptx
