// Fragments of a warp: their order, divergence and convergence.
#include "ptx/run/warp.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/check/bits/unwritten.hpp"
#include "ptx/check/block_watch.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/compile/packed.hpp"
#include "ptx/lane_bytes.hpp"
#include "ptx/local_words.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/schedule.hpp"

namespace nvmlkit::ptx {

void Warp::start(unsigned index, Mask lanes) {
  index_ = index;
  live_ = lanes;
  refused_ = 0;
  fragments_.clear();
  if (free_frames_.size() != frames_.size()) {
    free_frames_.clear();
    for (const auto& frame : frames_) free_frames_.push_back(frame.get());
  }
  const auto* entry = block.worker().grid.entry;
  local_capacity_ = std::max(local_capacity_, lane_bytes(entry->local_bytes));
  has_local_words_ = has_local_words(*entry) && !block.worker().grid.checks;
  if (local_capacity_ > 0) local_.assign(local_capacity_ * kLanes / sizeof(Line), Line{});
  if (checking.initialized && block.worker().grid.checks) local_written_.assign(local_capacity_ * kLanes, std::byte{});
  areas_[Operand::special] = reinterpret_cast<std::byte*>(&special_);
  Frame* const frame = new_frame(*entry);
  frame->inside = lanes;
  fragments_.push_back({frame, 0, lanes, Wait::none, 0});
  forced_ = false;
  turn_ = 0;
}

Frame* Warp::new_frame(const Function& function) {
  // Most kernels need one frame.
  if (free_frames_.size() == 1 && free_frames_[0]->function == &function) {
    Frame* const only = free_frames_[0];
    free_frames_.clear();
    return begin(only);
  }
  // Of the function that has ended last, mostly.
  const auto last = free_frames_.rbegin(), end = free_frames_.rend();
  const auto at = std::find_if(last, end, [&](Frame* f) { return f->function == &function; });
  Frame* frame = nullptr;
  if (at != end) {
    frame = std::exchange(*at, *last);
    free_frames_.pop_back();
  } else {
    frames_.push_back(std::make_unique<Frame>());
    frame = frames_.back().get();
    frame->registers.reset(new (std::align_val_t{64}) std::byte[Marks::end(function.register_bytes)]());
    frame->params.resize(std::size_t{function.frame_param_bytes} * kLanes);
    frame->function = &function;
  }
  return begin(frame);
}

Frame* Warp::begin(Frame* frame) {
  frame->caller = nullptr;
  frame->site = nullptr;
  frame->depth = 0;
  frame->local_start = 0;
  frame->unwritten.reset();
  return frame;
}

void Warp::enter(const Fragment& fragment) {
  frame_ = fragment.frame;
  areas_[Operand::registers] = frame_->registers.get();
  areas_[Operand::constants] = const_cast<std::byte*>(frame_->function->constants.data());
}

// Among those that wait so: the innermost function first, then what is furthest behind.
std::size_t Warp::choose(Wait wait) {
  std::size_t best = fragments_.size();
  for (std::size_t i = 0; i < fragments_.size(); ++i) {
    const auto& f = fragments_[i];
    if (f.wait != wait) continue;
    if (best == fragments_.size()) {
      best = i;
      continue;
    }
    const auto& b = fragments_[best];
    if (f.frame->depth != b.frame->depth ? f.frame->depth > b.frame->depth : f.pc < b.pc) best = i;
  }
  return best;
}

// After a slice that did not end, another one has its turn: it may be what the first one waits for.
std::size_t Warp::choose_next(std::size_t last) {
  for (std::size_t k = 1; k <= fragments_.size(); ++k) {
    const auto i = (last + k) % fragments_.size();
    if (fragments_[i].wait == Wait::none) return i;
  }
  return fragments_.size();
}

// One that can go on, by the schedule. What lies behind, goes first, unless lanes go on in any order.
std::size_t Warp::choose_by(Schedule& schedule) {
  if (fragments_.size() == 1 || !schedule.parts_lanes()) return choose(Wait::none);
  return choose_next(schedule.pick(static_cast<std::uint32_t>(fragments_.size())));
}

Progress Warp::execute(Turn turn) {
  budget_ = static_cast<std::int64_t>(turn.instructions);
  polls_ = false;
  has_tried_code_ = false;
  if (auto out = Progress::blocked; fragments_.size() == 1 && takes_turn_by_code(turn, out)) return out;
  while (!fragments_.empty()) {
    auto* const schedule = block.worker().schedule;
    auto number = turn_ ? choose_next(turn_ - 1) : schedule ? choose_by(*schedule) : choose(Wait::none);
    turn_ = 0;
    if (number == fragments_.size()) {
      number = choose(Wait::lanes);
      if (number == fragments_.size()) return Progress::blocked;
      fragments_[number].wait = Wait::none;
      forced_ = true;
    }
    auto& worker = block.worker();
    const auto executed = step(number);
    budget_ -= static_cast<std::int64_t>(executed);
    worker.instructions += executed;
    if (auto out = Progress::blocked; ends_turn(turn, number, out)) return out;
  }
  return Progress::finished;
}

// Behind a step of a fragment.
bool Warp::ends_turn(Turn turn, std::size_t number, Progress& out) {
  auto& worker = block.worker();
  if (worker.fault.kind != FaultKind::none && !ends_refused()) return out = Progress::faulted, true;
  out = Progress::paused;
  if (budget_ <= 0) {
    worker.spins |= polls_;
    turn_ = fragments_.size() > 1 && !turn.is_first_of_phase ? number + 1 : 0;
    return true;
  }
  return block.has_released() && !fragments_.empty();
}

// The first instruction at or behind the fragment's where another one of its frame stands.
std::uint32_t Warp::limit_of(std::size_t number) const {
  const auto& own = fragments_[number];
  std::uint32_t limit = ~0u;
  for (std::size_t i = 0; i < fragments_.size(); ++i) {
    const auto& other = fragments_[i];
    if (i != number && other.frame == own.frame && other.wait != Wait::barrier && other.pc >= own.pc)
      limit = std::min(limit, other.pc);
  }
  return limit;
}

// Lanes that stand at one instruction of one frame go on together.
void Warp::add(const Fragment& fragment) {
  for (auto& known : fragments_) {
    if (known.frame != fragment.frame || known.pc != fragment.pc || known.wait == Wait::barrier) continue;
    known.mask |= fragment.mask;
    known.wait = Wait::none;
    return;
  }
  fragments_.push_back(fragment);
}

// Takes a fragment out; what becomes of its lanes is added anew.
Fragment Warp::take(std::size_t number) {
  const auto out = fragments_[number];
  fragments_[number] = fragments_.back();
  fragments_.pop_back();
  return out;
}

// Those of a fragment's lanes for which the guard of an instruction holds.
inline Mask Warp::guarded(const Instruction& i, Mask lanes) const {
  if (!i.guard.is_there()) return lanes;
  const Mask p = predicate(i.guard);
  return lanes & (i.guard_negated ? ~p : p);
}

// Where a fragment at `pc` must stop after so many instructions of this step: at its limit, or when the turn ends. One
// instruction is always left, so that the step advances.
inline std::uint32_t Warp::end_of_turn(std::uint32_t pc, std::uint32_t limit, std::uint64_t executed) const {
  const auto left = std::max<std::int64_t>(budget_ - static_cast<std::int64_t>(executed), 1);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, pc + static_cast<std::uint64_t>(left)));
}

// The next place, behind `pc`, where code may go on.
inline std::uint32_t Warp::place_of_more_code(std::uint32_t pc) {
  const auto at = std::exchange(resumes_, 0);
  return at > pc ? at : ~0u;
}

// A step ends in front of an instruction, after so many of them.
std::uint64_t Warp::stop(std::size_t number, std::uint32_t pc, std::uint64_t executed) {
  fragments_[number].pc = pc;
  return executed;
}

// Gives the number of instructions.
std::uint64_t Warp::step(std::size_t number) {
  enter(fragments_[number]);
  std::uint64_t before = 0;  // instructions up to `start`
  const bool may_compile = engine() != Engine::interpret;
  if (may_compile && goes_by_code(number, before)) return before;
  const Instruction* const code = frame_->function->code.data();
  const FaultKind& fault_kind = block.worker().fault.kind;
  const Mask mask = fragments_[number].mask;
  auto pc = fragments_[number].pc;
  auto limit = limit_of(number);
  auto start = pc;
  auto end = end_of_turn(pc, std::min(limit, place_of_more_code(pc)), before);
  while (pc < end) {
    const auto& i = code[pc];
    if (i.kind == Kind::plain) [[likely]] {
      i.handler(*this, i, mask);
      ++pc;
      if (fault_kind != FaultKind::none) [[unlikely]]
        return stop(number, pc, before + pc - start);
      continue;
    }
    if (frame_->unwritten) [[unlikely]]
      check_guard(*this, i, mask);
    const Mask lanes = guarded(i, mask);
    if (lanes == 0) {
      ++pc;
      continue;
    }
    if (i.kind == Kind::guarded) {
      i.handler(*this, i, lanes);
      ++pc;
      if (fault_kind != FaultKind::none) return stop(number, pc, before + pc - start);
      continue;
    }
    fragments_[number].pc = pc;
    if (i.kind == Kind::branch && lanes == mask) {
      const bool back = i.immediate <= pc;
      before += pc + 1 - start;
      fragments_[number].pc = start = pc = static_cast<std::uint32_t>(i.immediate);
      if (back && (may_compile || budget_ <= static_cast<std::int64_t>(before))) return before;
      if (fragments_.size() > 1) {
        limit = limit_of(number);
        if (is_ahead(number)) return before;
      }
      end = end_of_turn(pc, limit, before);
      continue;
    }
    if (i.kind == Kind::converge) {
      if (!converge(number, i, lanes)) return before + pc - start;
      i.handler(*this, i, lanes);
      ++pc;
      if (fault_kind != FaultKind::none) return stop(number, pc, before + pc - start);
      continue;
    }
    control(number, i, lanes);
    return before + pc + 1 - start;
  }
  fragments_[number].pc = pc;
  if (pc >= limit) add(take(number));  // met another one
  return before + pc - start;
}

// Is there one of the same frame further behind that can go on?
bool Warp::is_ahead(std::size_t number) const {
  const auto& own = fragments_[number];
  return std::any_of(fragments_.begin(), fragments_.end(),
                     [&](const auto& f) { return f.frame == own.frame && f.wait == Wait::none && f.pc < own.pc; });
}

// Lanes of an instruction for all of a set of lanes wait for the others of it; false: not all are here yet.
bool Warp::converge(std::size_t number, const Instruction& i, Mask lanes) {
  const bool is_forced = std::exchange(forced_, false);
  if (auto* const watch = block.watch(); watch && is_forced) watch->goes_on_without(*this, fragments_[number], lanes);
  const bool waits = !is_forced && fragments_.size() > 1;
  const auto* const sets = at<Mask>(i.c);
  Mask wanted = 0;
  for (Mask left = waits ? lanes : 0; left != 0; left &= left - 1) wanted |= sets[std::countr_zero(left)];
  if ((wanted & live_ & ~lanes) == 0) return true;
  fragments_[number].wait = Wait::lanes;
  return false;
}

}  // namespace nvmlkit::ptx
