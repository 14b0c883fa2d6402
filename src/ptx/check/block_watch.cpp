// Barriers of a block, and instructions for sets of lanes: who is there, who is not.
#include "ptx/check/block_watch.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/check/checked.hpp"
#include "ptx/check/races/block.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

std::string hex(Mask mask) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[mask >> shift & 15];
  return out;
}

const Instruction& instruction_of(const Fragment& f) { return f.frame->function->code[f.pc]; }

Mask set_of(const Fragment& f, unsigned lane) {
  const auto& i = instruction_of(f);
  const auto* const area =
      i.c.area() == Operand::constants ? f.frame->function->constants.data() : f.frame->registers.get();
  return reinterpret_cast<const Mask*>(area + i.c.offset())[lane];
}

bool is_warp_barrier(const Fragment& f) {
  const auto op = checked_form(*f.frame->function, instruction_of(f)).op;
  return instruction_of(f).kind == Kind::converge && (op == Op::bar_ || op == Op::barrier_);
}

// Threads may also arrive without waiting.
bool all_wait(const Block& block, unsigned barrier) {
  for (unsigned k = 0; k < block.started(); ++k) {
    Mask there = 0;
    for (const auto& f : block.warps()[k]->fragments())
      if (f.wait == Wait::barrier && f.barrier == barrier) there |= f.mask;
    if (there != block.warps()[k]->live()) return false;
  }
  return block.started() == block.warps().size();
}

}  // namespace

BlockWatch::BlockWatch(Block& block) : block_(block) {
  if (checking.races) races_ = std::make_unique<races::BlockState>(block);
}

BlockWatch::~BlockWatch() = default;

void BlockWatch::start() {
  std::ranges::fill(expected_, 0u);
  alive_.assign(block_.warps().size(), {});
  refused_ = 0;
  polled_ = changed_ = false;
  if (races_) races_->start();
}

bool BlockWatch::only_polled() {
  const bool out = polled_ && !changed_ && live_ == block_.live_threads();
  polled_ = changed_ = false;
  live_ = block_.live_threads();
  return out;
}

void BlockWatch::report(BadBarrier::Kind kind, std::string text, const Warp& warp, const Frame* frame, std::uint32_t pc,
                        Mask lanes) {
  BadBarrier bad;
  bad.kind = kind;
  bad.text = std::move(text);
  const auto lane = first_of(lanes);
  for (int k = 0; k < 3; ++k) {
    bad.block[k] = warp.special().ctaid[k][0];
    bad.thread[k] = warp.special().tid[k][lane];
  }
  bad.places = Warp::places_of(frame, pc);
  block_.worker().grid.checks->found(bad);
}

void BlockWatch::arrives(Warp& warp, const Fragment& own, Mask lanes, unsigned barrier, unsigned expected) {
  if (races_ && expected != 0) races_->arrive(warp, barrier, lanes);
  if (!checking.barriers) return;
  alive_[warp.index()][barrier] |= warp.live();
  const auto threads = block_.worker().threads_of_block;
  const auto bad = [&](std::string text) {
    report(BadBarrier::Kind::invalid_arguments, std::move(text), warp, own.frame, own.pc, lanes);
  };
  if (expected % kLanes != 0)
    bad("The barrier counts " + std::to_string(expected) + " threads, which is no multiple of a warp");
  else if (expected > (threads + kLanes - 1) / kLanes * kLanes)
    bad("The barrier counts " + std::to_string(expected) + " threads, and the block has " + std::to_string(threads));
  auto& known = expected_[barrier];
  const auto own_count = expected ? expected : ~0u;
  if (known != 0 && known != own_count)
    bad("Threads at barrier " + std::to_string(barrier) + " count different numbers of threads");
  known = own_count;
}

// Threads wait that have not come together: some lanes are elsewhere, or at another instruction.
bool BlockWatch::check_warp(const Warp& warp, unsigned barrier, Mask alive, bool is_for_block) {
  Mask there = 0;
  const Fragment* first = nullptr;
  bool is_apart = false;
  for (const auto& f : warp.fragments()) {
    if (f.wait != Wait::barrier || f.barrier != barrier) continue;
    if (!checked_form(*f.frame->function, instruction_of(f)).is_aligned) return true;
    is_apart |= first && (f.frame != first->frame || f.pc != first->pc);
    if (!first) first = &f;
    there |= f.mask;
  }
  if (!first || (there == alive && !is_apart)) return true;
  const auto text = is_apart ? std::string("Lanes of the warp wait at different instructions")
                             : "Lanes " + hex(there) + " of the warp arrive, and not " + hex(alive & ~there);
  const auto kind = is_for_block ? BadBarrier::Kind::divergent_block : BadBarrier::Kind::divergent_warp;
  report(kind, text, warp, first->frame, first->pc, is_apart ? first->mask : there);
  return false;
}

void BlockWatch::releases(unsigned barrier, unsigned arrived, unsigned expected) {
  changed_ = true;
  if (checking.barriers) check_release(barrier, arrived, expected);
  if (!races_) return;
  if (arrived == block_.live_threads() && all_wait(block_, barrier))
    races_->release_all();
  else
    races_->release(barrier);
}

void BlockWatch::ends(const Warp& warp, Mask lanes) {
  refused_ += static_cast<unsigned>(std::popcount(lanes));
  if (!alive_.empty())
    for (auto& alive : alive_[warp.index()]) alive &= ~lanes;
}

void BlockWatch::check_release(unsigned barrier, unsigned arrived, unsigned expected) {
  expected_[barrier] = 0;
  const auto exited = block_.worker().threads_of_block - block_.live_threads() - refused_;
  const Fragment* some = nullptr;
  const Warp* of = nullptr;
  bool is_whole = true;
  for (unsigned k = 0; k < block_.started(); ++k) {
    const auto& warp = *block_.warps()[k];
    is_whole &= check_warp(warp, barrier, std::exchange(alive_[k][barrier], 0), expected == 0);
    for (const auto& f : warp.fragments())
      if (!some && f.wait == Wait::barrier && f.barrier == barrier) some = &f, of = &warp;
  }
  if (!some) return;
  if (expected != 0 && arrived > expected)
    report(BadBarrier::Kind::invalid_arguments,
           std::to_string(arrived) + " threads arrive at a barrier that counts " + std::to_string(expected), *of,
           some->frame, some->pc, some->mask);
  if (is_whole && expected == 0 && exited > 0)
    report(BadBarrier::Kind::divergent_block,
           std::to_string(exited) + (exited == 1 ? " thread" : " threads") + " of the block ended before the barrier",
           *of, some->frame, some->pc, some->mask);
}

void BlockWatch::arrives_in_cluster(Warp& warp, Mask lanes) {
  if (races_) races_->arrive_in_cluster(warp, lanes);
}

void BlockWatch::leaves_cluster(Warp& warp, Mask lanes) {
  if (races_) races_->leave_cluster(warp, lanes);
}

void BlockWatch::releases_cluster() {
  if (!races_) return;
  if (block_.rank() == 0) races_->end_phase_of_cluster();
  for (unsigned k = 0; k < block_.started(); ++k)
    for (const auto& f : block_.warps()[k]->fragments())
      if (f.wait == Wait::barrier && f.barrier == Block::kClusterBarrier)
        races_->leave_cluster(*block_.warps()[k], f.mask);
}

// Barriers of a warp may stand at different places of the program, as long as their sets are the same.
void BlockWatch::goes_on_without(Warp& warp, const Fragment& own, Mask lanes) {
  together_ = 0;
  together_in_ = &warp;
  if (!is_warp_barrier(own)) return;
  const auto set = set_of(own, first_of(lanes));
  Mask there = lanes;
  for (const auto& f : warp.fragments())
    if (&f != &own && f.wait == Wait::lanes && is_warp_barrier(f) && set_of(f, first_of(f.mask)) == set)
      there |= f.mask;
  if ((set & warp.live() & ~there) != 0) return;
  together_ = there;
  if (races_) races_->meet(warp, there);
}

// Only barriers of a warp order what its lanes do; sets may differ between lanes that come together.
void BlockWatch::meet(Warp& warp, const Instruction& i, Mask lanes) {
  const auto* const sets = warp.at<Mask>(i.c);
  const bool is_match = checked_form(*warp.frame().function, i).op == Op::match_;
  while (lanes != 0) {
    const auto set = sets[first_of(lanes)];
    Mask same = 0;
    for (Mask left = lanes; left != 0; left &= left - 1)
      if (sets[first_of(left)] == set) same |= Mask{1} << first_of(left);
    if (is_match)
      races_->match(warp, same);
    else
      races_->meet(warp, same);
    lanes &= ~same;
  }
}

void BlockWatch::check_lanes(Warp& warp, const Instruction& i, Mask lanes) {
  const auto* const frame = &warp.frame();
  const auto pc = static_cast<std::uint32_t>(&i - frame->function->code.data());
  const auto& form = frame->function->checked[pc];
  if (races_ && (form.op == Op::bar_ || form.op == Op::barrier_ || form.op == Op::match_)) meet(warp, i, lanes);
  if (!checking.barriers) return;
  if (!form.names_lanes) {
    if (lanes != kAllLanes)
      report(BadBarrier::Kind::divergent_warp, "The instruction needs all lanes, and only " + hex(lanes) + " are there",
             warp, frame, pc, lanes);
    return;
  }
  const auto* const sets = warp.at<Mask>(i.c);
  if (lanes == kAllLanes) {  // the usual case: all lanes, and the same mask for all
    Mask differs = 0;
    for (unsigned l = 0; l < kLanes; ++l) differs |= ~sets[l];
    if (differs == 0) return;
  }
  const Mask there = lanes | (together_in_ == &warp ? together_ : 0);
  Mask outside = 0, alone = 0, differ = 0, missing = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto l = first_of(left);
    const Mask own = Mask{1} << l;
    if (!(sets[l] & own)) outside |= own;
    if (const Mask absent = sets[l] & warp.live() & ~there) alone |= own, missing |= absent;
    for (Mask others = sets[l] & lanes; others != 0; others &= others - 1)
      if (sets[first_of(others)] != sets[l]) differ |= own;
  }
  const auto bad = [&](BadBarrier::Kind kind, std::string text, Mask of) {
    report(kind, std::move(text), warp, frame, pc, of);
  };
  if (outside)
    bad(BadBarrier::Kind::invalid_arguments, "The mask " + hex(sets[first_of(outside)]) + " does not name the thread",
        outside);
  if (alone)
    bad(BadBarrier::Kind::divergent_warp,
        "The mask " + hex(sets[first_of(alone)]) + " names lanes " + hex(missing) + ", which do not come", alone);
  if (differ & ~outside & ~alone)
    bad(BadBarrier::Kind::invalid_arguments, "Lanes that wait for each other name different masks", differ);
}

}  // namespace nvmlkit::ptx
