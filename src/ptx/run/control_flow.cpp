// Effects of instructions besides values: branches, barriers, ends. Calls are in calls.cpp.
#include <bit>

#include "ptx/check/block_watch.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/lanes.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

void Warp::control(std::size_t number, const Instruction& i, Mask lanes) {
  const auto own = take(number);
  const auto with = [&](Mask mask, std::uint32_t pc) { return Fragment{own.frame, pc, mask, Wait::none, 0}; };
  if (const Mask others = own.mask & ~lanes) add(with(others, own.pc + 1));
  switch (i.kind) {
    case Kind::branch:
      return add(with(lanes, static_cast<std::uint32_t>(i.immediate)));
    case Kind::branch_table: {
      const auto& table = own.frame->function->tables[i.side];
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        const auto index = at<std::uint32_t>(i.a)[lane];
        if (index >= table.size()) return fault(FaultKind::illegal_instruction, index, i, lane);
        add(with(Mask{1} << lane, table[index]));
      }
      return;
    }
    case Kind::call:
      return call(own, i, lanes);
    case Kind::ret:
      return leave(own, lanes);
    case Kind::exit:
      return end(own.frame, lanes);
    case Kind::barrier:
      return arrive(own, i, lanes);
    case Kind::trap:
      return fault(FaultKind::trap, 0, i, first_of(lanes));
    case Kind::plain:
    case Kind::guarded:
    case Kind::converge:
      return;
  }
}

void Warp::end(Frame* frame, Mask lanes) {
  for (; frame; frame = frame->caller) {
    frame->inside &= ~lanes;
    if (frame->inside == 0) free_frames_.push_back(frame);
  }
  live_ &= ~lanes;
  // What waits for these lanes looks again.
  for (auto& f : fragments_)
    if (f.wait == Wait::lanes) f.wait = Wait::none;
  block.threads_ended(static_cast<unsigned>(std::popcount(lanes)));
}

void Warp::arrive(const Fragment& own, const Instruction& i, Mask lanes) {
  if (i.detail == 'W') return wait_for_cluster(own, lanes);
  if (i.detail == 'A') return arrive_in_cluster(own, lanes);
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const auto barrier = at<std::uint32_t>(i.a)[first];
  const auto expected = i.b.is_there() ? at<std::uint32_t>(i.b)[first] : 0;
  if (barrier >= Block::kBarriers) return fault(FaultKind::illegal_instruction, barrier, i, first);
  Fragment waiting{own.frame, own.pc, lanes, Wait::barrier, static_cast<std::uint8_t>(barrier)};
  const bool only_arrives = i.detail == 'a';
  if (auto* const watch = block.watch()) watch->arrives(*this, own, lanes, barrier, expected);
  if (only_arrives) waiting = {own.frame, own.pc + 1, lanes, Wait::none, 0};
  if (only_arrives)
    add(waiting);
  else
    fragments_.push_back(waiting);
  block.arrive(barrier, votes_at(i, lanes), expected);
}

Votes Warp::votes_at(const Instruction& barrier, Mask lanes) const {
  return votes_of(barrier, lanes, barrier.c.is_there() ? predicate(barrier.c) : 0);
}

void Warp::arrive_in_cluster(const Fragment& own, Mask lanes) {
  if (auto* const watch = block.watch()) watch->arrives_in_cluster(*this, lanes);
  add({own.frame, own.pc + 1, lanes, Wait::none, 0});
  const auto phase = block.group().arrive(static_cast<unsigned>(std::popcount(lanes)));
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1) cluster_phase_[lane] = phase;
}

void Warp::wait_for_cluster(const Fragment& own, Mask lanes) {
  Mask done = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) && block.group().has_ended(cluster_phase_[lane])) done |= Mask{1} << lane;
  if (auto* const watch = block.watch(); watch && done) watch->leaves_cluster(*this, done);
  if (done) add({own.frame, own.pc + 1, done, Wait::none, 0});
  if (lanes & ~done) fragments_.push_back({own.frame, own.pc, lanes & ~done, Wait::barrier, Block::kClusterBarrier});
}

void Warp::release(unsigned barrier, const Votes& votes) {
  if (fragments_.size() == 1 && fragments_[0].wait == Wait::barrier && fragments_[0].barrier == barrier) {
    release(fragments_[0], votes);
    return;
  }
  auto& released = released_;
  released.clear();
  for (std::size_t n = 0; n < fragments_.size();) {
    if (fragments_[n].wait != Wait::barrier || fragments_[n].barrier != barrier) {
      ++n;
      continue;
    }
    released.push_back(take(n));
  }
  for (auto& f : released) {
    release(f, votes);
    add(f);
  }
}

// To the instruction behind the barrier.
void Warp::release(Fragment& f, const Votes& votes) {
  const auto& i = f.frame->function->code[f.pc];
  if (i.d.is_there()) put_result(i, votes, *f.frame->function, f.frame->registers.get(), f.mask);
  f.wait = Wait::none;
  ++f.pc;
}

}  // namespace nvmlkit::ptx
