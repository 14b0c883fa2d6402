// Phases of a block between barriers, where all of its warps go on by compiled code. Turns have the order of
// Block::take_turns. No warp is seen to wait in between: that costs more than most phases.
#include "ptx/compile/barriers.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/run/block.hpp"

namespace nvmlkit::ptx {

bool Warp::stands_whole_at(std::uint32_t pc) {
  if (fragments_.size() != 1) return false;
  const auto& only = fragments_.front();
  if (only.pc != pc || only.wait != Wait::none || only.frame->caller) return false;
  enter(only);
  return true;
}

std::uint32_t Warp::barrier_ahead() const {
  return *at<std::uint32_t>(frame_->function->code[fragments_.front().pc].a);
}

// The others are there as well.
void Warp::passes_barrier() {
  ++fragments_.front().pc;
  ++block.worker().instructions;
}

// For those that came to the barrier of a phase that not all come to.
void Warp::waits_at_barrier() {
  auto& fragment = fragments_.front();
  leave_code(fragment, fragment.pc);
  arrives_whole(frame_->function->code[fragment.pc]);
}

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
    if (!node) break;
    const auto number = static_cast<std::size_t>(&fragment - fragments_.data());
    context.lanes = fragment.mask;
    context.limit = fragments_.size() > 1 ? limit_of(number) : ~0u;
    context.budget = budget_;
    context.polls = 0;
    const auto end = try_pieces(node, context);
    if (end == CodeEnd::mismatch) return PhaseEnd::elsewhere;
    budget_ -= static_cast<std::int64_t>(context.executed);
    worker.instructions += context.executed;
    if (end == CodeEnd::ended) {
      end_all();
      return PhaseEnd::ended;
    }
    if (end == CodeEnd::faulted) return PhaseEnd::elsewhere;
    if (end == CodeEnd::left) {
      fragment.pc = context.at;
      join_in_phase();
    } else {
      part(number, context);
    }
    if (worker.fault.kind != FaultKind::none) return PhaseEnd::elsewhere;
    if (context.executed == 0) break;  // it needs the interpreter at its start
    const bool is_whole = fragments_.size() == 1;
    if (is_whole && is_of_all_threads(code[place()])) return PhaseEnd::barrier;
    if (fragments_.size() > 2) return PhaseEnd::elsewhere;
    if (budget_ <= 0 || end == CodeEnd::parted) {
      worker.spins |= polls_;
      return PhaseEnd::turn;
    }
  }
  leave_code(fragment_of_phase(), fragment_of_phase().pc);
  return PhaseEnd::elsewhere;
}

// Two that have met. Their fields are written one by one: what several stores wrote, one load has to wait for.
void Warp::join_in_phase() {
  if (fragments_.size() != 2 || fragments_[0].pc != fragments_[1].pc) return;
  fragments_[0].mask |= fragments_[1].mask;
  fragments_.pop_back();
}

// The one that is furthest behind.
Fragment& Warp::fragment_of_phase() {
  auto& first = fragments_.front();
  return fragments_.size() == 1 || first.pc < fragments_.back().pc ? first : fragments_.back();
}

// There is code, and nobody looks at the warps one by one.
bool Block::may_go_through_phases(const Compiled* compiled) const {
  return compiled && !watch_ && !worker_->grid.checks && waited_for_ == 0 && started_ == warps_.size();
}

// All warps, from one place on. False: they have to take their turns otherwise, from where they stand.
bool Block::goes_through_phases(std::uint64_t instructions_of_warp, Progress& out) {
  auto& worker = *worker_;
  const auto* const compiled = worker.grid.entry->compiled.load(std::memory_order_acquire);
  if (!may_go_through_phases(compiled) || warps_.front()->fragments().empty()) return false;
  const auto begin = warps_.front()->place();
  if (!compiled->has_pieces_at(begin)) return false;
  for (const auto& warp : warps_)
    if (!warp->stands_whole_at(begin)) return false;
  auto context = warps_.front()->context(kAllLanes);
  const auto most = worker.instructions + instructions_of_warp * warps_.size();
  auto end = PhaseEnd::turn;
  at_barrier_.assign(warps_.size(), false);
  while (end == PhaseEnd::turn && first_turns_ > 0) {
    --first_turns_;
    end = take_turn_of_phase(*compiled, context);
    if (end != PhaseEnd::barrier) continue;
    for (const auto& warp : warps_) warp->passes_barrier();
    at_barrier_.assign(warps_.size(), false);
    first_turns_ = kFirstTurns;
    out = Progress::paused;
    if (worker.instructions >= most || worker.ended.load(std::memory_order_relaxed)) return true;
    end = PhaseEnd::turn;
  }
  if (end == PhaseEnd::ended) return out = finish_turns(true, false), true;
  for (unsigned i = 0; i < warps_.size(); ++i)
    if (at_barrier_[i]) warps_[i]->waits_at_barrier();
  if (worker.fault.kind == FaultKind::none) return false;
  flush();
  return out = Progress::faulted, true;
}

// Of those that are not at the barrier yet. How it ended for all warps; elsewhere, if not for all in the same way.
PhaseEnd Block::take_turn_of_phase(const Compiled& compiled, CodeContext& context) {
  std::size_t turns = 0, ended = 0;
  for (unsigned i = 0; i < warps_.size(); ++i) {
    if (at_barrier_[i]) continue;
    const auto end = warps_[i]->takes_turn_of_phase(compiled, context, kFirstTurn);
    if (end == PhaseEnd::elsewhere) return end;
    at_barrier_[i] = end == PhaseEnd::barrier;
    turns += end == PhaseEnd::turn;
    ended += end == PhaseEnd::ended;
  }
  if (ended > 0) return ended == warps_.size() ? PhaseEnd::ended : PhaseEnd::elsewhere;
  if (turns > 0) return PhaseEnd::turn;
  for (const auto& warp : warps_)
    if (warp->place() != warps_.front()->place() || warp->barrier_ahead() != warps_.front()->barrier_ahead())
      return PhaseEnd::elsewhere;
  return PhaseEnd::barrier;
}

}  // namespace nvmlkit::ptx
