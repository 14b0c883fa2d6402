// Phases of a block between barriers, where all of its warps go on by compiled code. Turns have the order of
// Block::take_turns. No warp is seen to wait in between: that costs more than most phases.
#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/compile/barriers.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/try_pieces.hpp"

namespace nvmlkit::ptx {
namespace {

// Threads end here, and nothing is left for code. Many kernels have one end, to which their lanes come at different
// times.
bool ends_threads(const Instruction& i) { return (i.kind == Kind::ret || i.kind == Kind::exit) && !i.guard.is_there(); }

}  // namespace

// In a phase of the block: piece after piece, until the turn ends. What ends with lanes in two places is a turn: code
// ends there in front of what other warps may still have to read.
PhaseEnd Warp::takes_turn_of_phase(const Compiled& compiled, CodeContext& context, std::uint64_t instructions) {
  auto& worker = block.worker();
  const auto* const code = frame_->function->code.data();
  context.registers = frame_->registers.get();
  context.special = reinterpret_cast<const std::byte*>(&special_);
  context.frame_params = frame_->params.data();
  context.local = local_.data();
  context.local_bytes = local_capacity_;
  context.local_start = frame_->local_start;
  context.warp = this;
  context.carry = &carry;
  budget_ = static_cast<std::int64_t>(instructions);
  polls_ = false;
  while (true) {
    auto& fragment = fragment_of_phase();
    const auto* const node =
        compiled.pieces_at(fragment.pc, fragment.mask == kAllLanes ? CodeFor::all_lanes : CodeFor::some_lanes);
    const auto number = static_cast<std::size_t>(&fragment - fragments_.data());
    if (!node) {
      if (!ends_in_phase(number)) break;
      if (fragments_.empty()) return PhaseEnd::ended;
      continue;
    }
    context.lanes = fragment.mask;
    context.limit = fragments_.size() > 1 ? limit_of(number) : ~0u;
    context.budget = budget_;
    const auto end = try_pieces(node, context, worker, polls_);
    if (end == CodeEnd::mismatch) return PhaseEnd::elsewhere;
    budget_ = context.budget - static_cast<std::int64_t>(context.executed);
    worker.instructions += context.executed;
    if (context.arrived != 0) have_arrived(fragment, context);
    if (end == CodeEnd::ended) {
      end_all();
      return PhaseEnd::ended;
    }
    if (end == CodeEnd::faulted) return PhaseEnd::elsewhere;
    if (end == CodeEnd::left) {
      fragment.pc = context.at;
      if (context.resumes != 0) resumes_by(context);
      join_in_phase(number);
    } else {
      part(number, context);
    }
    if (worker.fault.kind != FaultKind::none) return PhaseEnd::elsewhere;
    if (context.executed == 0) break;  // it needs the interpreter at its start
    const bool is_whole = fragments_.size() == 1;
    if (is_whole && is_of_all_threads(code[place()])) return PhaseEnd::barrier;
    if (budget_ <= 0 || end == CodeEnd::parted) {
      worker.spins |= polls_;
      return PhaseEnd::turn;
    }
  }
  leave_code(fragment_of_phase(), fragment_of_phase().pc);
  return PhaseEnd::elsewhere;
}

// False: the fragment stands elsewhere.
bool Warp::ends_in_phase(std::size_t number) {
  if (!ends_threads(frame_->function->code[fragments_[number].pc])) return false;
  ++block.worker().instructions;
  if (fragments_.size() == 1) {
    end_all();
  } else {
    const auto own = take(number);
    end(own.frame, own.mask);
  }
  return true;
}

// Lanes that have come to where others are. Fields are written one by one: what several stores wrote, one load has to
// wait for.
void Warp::join_in_phase(std::size_t number) {
  auto &own = fragments_[number], &last = fragments_.back();
  for (auto& other : fragments_) {
    if (&other == &own || other.pc != own.pc) continue;
    other.mask |= own.mask;
    if (&last == &other) {  // it takes the place of the other one
      own.mask = other.mask;
    } else {
      own.pc = last.pc;
      own.mask = last.mask;
    }
    return fragments_.pop_back();
  }
}

// The one that is furthest behind.
Fragment& Warp::fragment_of_phase() {
  auto* out = &fragments_.front();
  for (auto& other : fragments_)
    if (other.pc < out->pc) out = &other;
  return *out;
}

namespace {

bool is_constant(const Operand& operand) { return operand.area() == Operand::constants; }

}  // namespace

// There is code, and nobody looks at the warps one by one. They begin, or a barrier has just let all of them go on.
bool Block::may_go_through_phases(const Compiled* compiled) const {
  if (!compiled || watch_ || worker_->grid.checks || waited_for_ > 0) return false;
  if (started_ == 0) return compiled->has_pieces_at(0);
  if (started_ < warps_.size() || first_turns_ != kFirstTurns || warps_.front()->fragments().empty()) return false;
  const auto begin = warps_.front()->place();
  return compiled->has_pieces_at(begin) &&
         std::ranges::all_of(warps_, [&](const auto& warp) { return warp->stands_whole_at(begin); });
}

// Where the block before needed no fragments, its warps begin anew, and nobody looks at more of them.
void Block::begin_phases() {
  const bool begins = started_ == 0;
  started_ = static_cast<unsigned>(warps_.size());
  begin_of_phase_ = 0;
  if (begins && std::exchange(are_whole_warps_ready_, false)) {
    for (auto& own : whole_warps_) own.pc = 0, own.state = WholeWarp::State::runs;
    return;
  }
  whole_warps_.clear();
  for (unsigned i = 0; i < warps_.size(); ++i)
    whole_warps_.push_back(begins ? warps_[i]->begins_whole(i, lanes_of(i)) : warps_[i]->whole());
  begin_of_phase_ = whole_warps_.front().pc;
}

// All warps, as far as code goes. False: they have to take their turns otherwise, from where they stand.
bool Block::goes_through_phases(std::uint64_t instructions_of_warp, Progress& out) {
  auto& worker = *worker_;
  const auto* const compiled = worker.grid.entry->compiled.load(std::memory_order_acquire);
  if (!may_go_through_phases(compiled)) return false;
  begin_phases();
  auto context = warps_.front()->context(kAllLanes);
  context.is_whole = has_barriers_of_one_warp();
  const auto most = worker.instructions + instructions_of_warp * warps_.size();
  while (true) {
    const bool is_first = first_turns_ > 0;
    if (is_first) --first_turns_;
    const auto end = take_turn_of_phase(*compiled, context, is_first ? kFirstTurn : instructions_of_warp);
    if (end == PhaseEnd::ended) {
      are_whole_warps_ready_ = std::ranges::none_of(whole_warps_, &WholeWarp::has_fragments);
      return out = finish_turns(true, false), true;
    }
    if (end == PhaseEnd::elsewhere || (end == PhaseEnd::barrier && !pass_barrier(*worker.grid.entry))) break;
    if (worker.instructions < most && worker.goes_on()) continue;
    end_phases();
    return out = Progress::paused, true;
  }
  end_phases();
  if (worker.fault.kind == FaultKind::none) return false;
  flush();
  return out = Progress::faulted, true;
}

// Whether all threads of the block come to this instruction. The one that the warp before came to is remembered.
inline bool Block::is_barrier(std::uint32_t pc) {
  if (pc == barrier_of_phase_) return true;
  if (!is_of_all_threads(worker_->grid.entry->code[pc])) return false;
  barrier_of_phase_ = pc;
  return true;
}

// `first_pieces` are those for all lanes where the phase began. Its call would count: a stencil's
// launch took 6.6 ms with it, and 6.3 without.
[[gnu::always_inline]] inline PhaseEnd Block::take_turn_of_whole(WholeWarp& own, const Compiled& compiled,
                                                                 const PieceNode* first_pieces, CodeContext& context,
                                                                 std::uint64_t instructions) {
  auto& worker = *worker_;
  own.put_into(context);
  auto budget = static_cast<std::int64_t>(instructions);
  bool polls = false;
  while (true) {
    const auto* node = first_pieces;
    if (own.pc != begin_of_phase_ || !own.has_all_lanes())
      node = compiled.pieces_at(own.pc, own.has_all_lanes() ? CodeFor::all_lanes : CodeFor::some_lanes);
    auto end = CodeEnd::ended;
    if (node) {
      context.budget = budget;
      end = try_pieces(node, context, worker, polls);
      if (end == CodeEnd::mismatch) return PhaseEnd::elsewhere;
      budget = context.budget - static_cast<std::int64_t>(context.executed);
      worker.instructions += context.executed;
    } else {
      if (!ends_threads(worker.grid.entry->code[own.pc])) return PhaseEnd::elsewhere;
      ++worker.instructions;
    }
    if (end == CodeEnd::ended) {
      if (own.has_fragments)
        own.warp->end_all();
      else
        threads_ended(own.has_all_lanes() ? kLanes : static_cast<unsigned>(std::popcount(own.lanes)));
      return PhaseEnd::ended;
    }
    if (end == CodeEnd::parted) {
      own.warp->parts_at(own.pc, context);
      own.state = WholeWarp::State::parted;
      own.has_fragments = true;
    } else if (end == CodeEnd::left) {
      own.pc = context.at;
      if (context.resumes != 0) own.warp->resumes_by(context);
    }
    if (worker.fault.kind != FaultKind::none || context.executed == 0) return PhaseEnd::elsewhere;
    if (end == CodeEnd::left && is_barrier(own.pc)) return PhaseEnd::barrier;
    if (budget > 0 && end != CodeEnd::parted) continue;
    worker.spins |= polls;
    return PhaseEnd::turn;
  }
}

// Of those that are not at the barrier yet. How it ended for all warps; elsewhere, if one needs more than code.
PhaseEnd Block::take_turn_of_phase(const Compiled& compiled, CodeContext& context, std::uint64_t instructions) {
  using State = WholeWarp::State;
  bool has_turns = false, has_barrier = false;
  const auto* const first_pieces = compiled.pieces_at(begin_of_phase_, CodeFor::all_lanes);
  for (auto& own : whole_warps_) {
    if (own.state == State::ended) continue;
    has_barrier |= own.state == State::at_barrier;
    if (own.state == State::at_barrier) continue;
    if (!worker_->goes_on()) return PhaseEnd::turn;
    const auto end = own.state == State::parted
                         ? own.warp->takes_turn_of_phase(compiled, context, instructions)
                         : take_turn_of_whole(own, compiled, first_pieces, context, instructions);
    if (end == PhaseEnd::elsewhere) return end;
    if (end == PhaseEnd::barrier && own.state == State::parted) {  // its lanes have met, those that have not ended
      const auto& only = own.warp->fragments().front();
      own.pc = only.pc;
      own.lanes = only.mask;
    }
    if (end == PhaseEnd::barrier && !is_barrier(own.pc)) return PhaseEnd::elsewhere;
    if (end == PhaseEnd::barrier) own.state = State::at_barrier;
    if (end == PhaseEnd::ended) own.state = State::ended;
    has_turns |= end == PhaseEnd::turn;
    has_barrier |= end == PhaseEnd::barrier;
  }
  return has_turns ? PhaseEnd::turn : has_barrier ? PhaseEnd::barrier : PhaseEnd::ended;
}

// All that have not ended stand at a barrier. False: it may not be the same one.
bool Block::pass_barrier(const Function& kernel) {
  using State = WholeWarp::State;
  for (const auto& own : whole_warps_)
    if (own.state != State::ended && own.pc != barrier_of_phase_) return false;
  if (!is_constant(kernel.code[barrier_of_phase_].a)) return false;
  for (auto& own : whole_warps_) {
    if (own.state == State::ended) continue;
    own.state = State::runs;
    ++own.pc;
    ++worker_->instructions;
  }
  begin_of_phase_ = barrier_of_phase_ + 1;
  if (warps_.size() > 1) first_turns_ = kFirstTurns;
  return true;
}

// Fragments say again where the warps stand.
void Block::end_phases() {
  using State = WholeWarp::State;
  for (const auto& own : whole_warps_) {
    if (own.state == State::ended || own.state == State::parted) continue;
    own.warp->stands_at(own.pc, own.lanes);
    if (own.state == State::runs) own.warp->leaves_code();
  }
  for (const auto& own : whole_warps_)
    if (own.state == State::at_barrier) own.warp->waits_at_barrier();
}

}  // namespace nvmlkit::ptx
