// Effects of instructions besides values: branches, calls, barriers, ends.
#include <bit>
#include <cstring>

#include "ptx/builtins/builtins.hpp"
#include "ptx/check/bits/unwritten.hpp"
#include "ptx/check/block_watch.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/lanes.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::uint32_t kDeepest = 4096;  // calls within calls

// A parameter of each lane, which lies `stride` bytes behind that of the lane before.
struct LaneParams {
  std::byte* first;
  std::size_t stride;
};

template <std::size_t size>
void copy_params(LaneParams to, LaneParams from, Mask lanes) {
  const auto copy = [&](unsigned lane) {
    std::memcpy(to.first + lane * to.stride, from.first + lane * from.stride, size);
  };
  if (lanes == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) copy(lane);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) copy(first_of(lanes));
}

// Nearly all have one of two sizes, for which a copy is one instruction.
void copy_params(LaneParams to, LaneParams from, std::size_t size, Mask lanes) {
  if (size == 8) return copy_params<8>(to, from, lanes);
  if (size == 4) return copy_params<4>(to, from, lanes);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = first_of(lanes);
    std::memcpy(to.first + lane * to.stride, from.first + lane * from.stride, size);
  }
}

LaneParams params_of(Frame& frame, std::size_t offset) {
  return {frame.params.data() + offset, frame.function->frame_param_bytes};
}

}  // namespace

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

void Warp::call(const Fragment& own, const Instruction& i, Mask lanes) {
  const auto& site = own.frame->function->calls[i.side];
  if (site.builtin >= 0) {
    if (own.frame->unwritten) check_builtin(*this, site, lanes);
    call_builtin(site, *this, i, lanes);
    const auto kind = block.worker().fault.kind;
    if (kind != FaultKind::none && kind != FaultKind::lanes_ended) return;
    return add({own.frame, own.pc + 1, lanes, Wait::none, 0});
  }
  if (site.function) return call_function(own, site, *site.function, lanes, i);
  // By address: lanes that call one function call it together.
  const auto& functions = block.worker().grid.module->functions;
  const auto* const targets = at<std::uint64_t>(i.a);
  while (lanes != 0) {
    const auto target = targets[std::countr_zero(lanes)];
    const auto index = (target - kCodeWindow) / 16;
    if (target < kCodeWindow || target % 16 != 0 || index >= functions.size() || !functions[index].is_defined ||
        functions[index].is_entry || functions[index].parameters.size() != site.arguments.size() ||
        functions[index].results.size() != site.results.size())
      return fault(FaultKind::illegal_instruction, target, i, first_of(lanes));
    Mask same = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((lanes >> lane & 1) && targets[lane] == target) same |= Mask{1} << lane;
    call_function(own, site, functions[index], same, i);
    lanes &= ~same;
  }
}

void Warp::call_function(const Fragment& own, const CallSite& site, const Function& callee, Mask lanes,
                         const Instruction& i) {
  const auto start = (own.frame->local_start + own.frame->function->local_bytes + 15) / 16 * 16;
  if (own.frame->depth >= kDeepest || start + callee.local_bytes > block.worker().grid.most_local)
    return fault(FaultKind::stack_overflow, 0, i, first_of(lanes));
  if (!has_local(start + callee.local_bytes)) return fault(FaultKind::stack_overflow, 0, i, first_of(lanes));
  Frame* const frame = new_frame(callee);
  frame->caller = own.frame;
  frame->site = &site;
  frame->return_to = own.pc + 1;
  frame->depth = own.frame->depth + 1;
  frame->local_start = start;
  if (checking.initialized) forget_local(start, callee.local_bytes, lanes);
  frame->inside = lanes;
  for (std::size_t k = 0; k < site.arguments.size(); ++k)
    copy_params(params_of(*frame, callee.parameters[k].offset), params_of(*own.frame, site.arguments[k]),
                callee.parameters[k].size, lanes);
  for (std::size_t k = 0; own.frame->unwritten && k < site.arguments.size(); ++k)
    hand_on_param(*own.frame, site.arguments[k], *frame, static_cast<std::uint32_t>(callee.parameters[k].offset),
                  static_cast<std::uint32_t>(callee.parameters[k].size), lanes);
  fragments_.push_back({frame, 0, lanes, Wait::none, 0});
}

void Warp::leave(const Fragment& own, Mask lanes) {
  Frame* const frame = own.frame;
  if (!frame->caller) return end(frame, lanes);
  const auto& function = *frame->function;
  for (std::size_t k = 0; k < function.results.size(); ++k)
    copy_params(params_of(*frame->caller, frame->site->results[k]), params_of(*frame, function.results[k].offset),
                function.results[k].size, lanes);
  const bool is_followed = frame->unwritten || frame->caller->unwritten;
  for (std::size_t k = 0; is_followed && k < function.results.size(); ++k)
    hand_on_param(*frame, static_cast<std::uint32_t>(function.results[k].offset), *frame->caller,
                  frame->site->results[k], static_cast<std::uint32_t>(function.results[k].size), lanes);
  add({frame->caller, frame->return_to, lanes, Wait::none, 0});
  frame->inside &= ~lanes;
  if (frame->inside == 0) free_frames_.push_back(frame);
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
