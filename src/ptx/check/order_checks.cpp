// Instructions that order accesses, and copies, before they are executed: what the check of races learns of them.
#include "ptx/check/order_checks.hpp"

#include <cstring>

#include "ptx/check/block_watch.hpp"
#include "ptx/check/races/block.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/instructions/memory/bulk_copies.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {
namespace {

using races::BlockState;

constexpr std::uint64_t kWindowBits = std::uint64_t{0xFF} << 56;

BlockState& races_of(Warp& w) { return *w.block.watch()->races(); }

// A launch that is left out is executed without a look.
bool looks(Warp& w) { return w.block.watch() && checking.races; }

void execute(Warp& w, const Instruction& i, Mask lanes) { checked_form(*w.frame().function, i).handler(w, i, lanes); }

template <class F>
void each(Mask lanes, F f) {
  for (Mask left = lanes; left != 0; left &= left - 1) f(first_of(left));
}

// The block whose shared memory an address lies in; the address becomes one within it.
BlockState& owner_of(Warp& w, std::uint64_t& address) {
  if ((address & kWindowBits) == kSharedWindow) address -= kSharedWindow;
  const auto rank = address < Group::window_of(0) ? w.block.rank() : (address >> 24) - 1;
  address = Group::offset_of(address);
  auto& group = w.block.group();
  return rank < group.size() ? *group.member(static_cast<unsigned>(rank)).watch()->races() : races_of(w);
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
  each(lanes, [&](unsigned l) {
    own[l] = (addresses[l] & kWindowBits) == kSharedWindow ? addresses[l] - kSharedWindow : addresses[l];
  });
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
  if (checked_form(*w.frame().function, i).op == Op::cp_) races_of(w).wait(w, ~0u, lanes);
  each(lanes, [&](unsigned l) { owner_of(w, addresses[l]).arrive_at(addresses[l], races_of(w).hand_on(w, l)); });
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
  each(w.predicate(i.d) & lanes,
       [&](unsigned l) { races_of(w).learn(w, l, owner_of(w, addresses[l]).arrived_at(addresses[l])); });
}

void check_copy(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  const auto* const operands = w.frame().function->operands.data() + i.side;
  const auto* const to = w.at<std::byte>(operands[0]);
  const auto* const sources = w.at<std::uint64_t>(operands[1]);
  std::uint64_t targets[kLanes] = {}, from[kLanes] = {};
  Mask reads = 0;
  each(lanes, [&](unsigned l) {
    std::memcpy(&targets[l], to + l * (i.wide_address ? 8 : 4), i.wide_address ? 8 : 4);
    targets[l] += i.immediate & 0xFFFFFFFF;
    if ((targets[l] & kWindowBits) == kSharedWindow) targets[l] -= kSharedWindow;
    from[l] = sources[l] + static_cast<std::uint64_t>(static_cast<std::int32_t>(i.immediate >> 32));
    if (!i.c.is_there() || w.at<std::uint32_t>(i.c)[l] >= i.count) reads |= Mask{1} << l;
  });
  if (reads) races_of(w).access(w, i, Space::global, Touch::reads, i.count, from, reads);
  races_of(w).copy(w, i, i.count, targets, nullptr, lanes);
  execute(w, i, lanes);
}

void check_commit(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  races_of(w).commit(w, lanes);
  execute(w, i, lanes);
}

void check_wait(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  races_of(w).wait(w, checked_form(*w.frame().function, i).number, lanes);
  execute(w, i, lanes);
}

// To shared memory, with a barrier that learns of the end.
void check_bulk_copy(Warp& w, const Instruction& i, Mask lanes) {
  if (!looks(w)) return execute(w, i, lanes);
  each(lanes, [&](unsigned l) {
    auto to = number_at(w, i, 0, l), barrier = number_at(w, i, 3, l);
    const auto size = static_cast<std::uint32_t>(number_at(w, i, 2, l));
    owner_of(w, barrier);
    owner_of(w, to).bulk_copy(w, i, to, size, barrier, l);
  });
  execute(w, i, lanes);
}

Handler handler_for_copies(const Form& form, const Instruction& out, CheckedForm& made) {
  if (form.has("mbarrier") && !form.has("bulk")) return &check_arrival;
  if (form.has("bulk")) {
    const bool is_plain = !form.has("tensor") && !form.has("prefetch") && !form.has("bulk_group") &&
                          !form.has("reduce") && !form.has("multicast::cluster") && !form.has("commit_group") &&
                          !form.has("wait_group") && out.side != 0;
    return is_plain && form.count() == 4 ? &check_bulk_copy : nullptr;
  }
  if (form.has("commit_group")) return &check_commit;
  if (form.has("wait_all")) {
    made.number = ~0u;
    return &check_wait;
  }
  if (form.has("wait_group")) {
    made.number = form.count() > 0 ? static_cast<std::uint32_t>(form.term(0).value) : 0;
    return &check_wait;
  }
  return form.count() >= 3 ? &check_copy : nullptr;
}

Handler handler_for(const Form& form, const Instruction& out, CheckedForm& made) {
  switch (form.op()) {
    case Op::membar_:
      made.scope = form.has("cta") ? Scope::block : Scope::all;
      return &check_fence;
    case Op::fence_:
      if (form.has("proxy") || form.has("mbarrier_init")) return nullptr;
      made.scope = form.has("cta") ? Scope::block : form.has("cluster") ? Scope::cluster : Scope::all;
      return &check_fence;
    case Op::mbarrier_:
      if (form.has("init") || form.has("inval")) return checking.races ? &check_start : nullptr;
      made.scope = Scope::cluster;
      if (form.has("test_wait") || form.has("try_wait")) return &check_phase;
      return form.has("arrive") || form.has("arrive_drop") ? &check_arrival : nullptr;
    case Op::cp_:
      return handler_for_copies(form, out, made);
    default:
      return nullptr;
  }
}

}  // namespace

void add_order_check(const Form& form, Instruction& out, CheckedForm& made) {
  const bool is_wait = form.op() == Op::mbarrier_ && checking.barriers;
  if ((!checking.races && !is_wait) || !out.handler || (out.kind != Kind::plain && out.kind != Kind::guarded)) return;
  const auto handler = handler_for(form, out, made);
  if (!handler) return;
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

void note_matrix(Warp& w, const Instruction& i, Mask lanes) {
  const auto op = checked_form(*w.frame().function, i).op;
  if (op != Op::ldmatrix_ && op != Op::stmatrix_) return;
  std::uint64_t addresses[kLanes];
  effective_addresses(w, i, addresses);
  const Mask rows = i.count >= 4 ? kAllLanes : (Mask{1} << 8 * i.count) - 1;
  each(rows & lanes, [&](unsigned l) {
    if ((addresses[l] & kWindowBits) == kSharedWindow) addresses[l] -= kSharedWindow;
  });
  races_of(w).access(w, i, Space::shared, op == Op::ldmatrix_ ? Touch::reads : Touch::writes, 16, addresses,
                     rows & lanes);
}

}  // namespace nvmlkit::ptx
