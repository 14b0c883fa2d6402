// Phases of a block between barriers, where all of its warps go on by compiled code. Turns have the order of
// Block::take_turns. No warp is seen to wait in between: that costs more than most phases.
#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/compile/barriers.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/try_pieces.hpp"

namespace nvmlkit::ptx {
namespace {

bool is_constant(const Operand& operand) { return operand.area() == Operand::constants; }

const PieceNode* pieces_of(const WholeWarp& warp, const Compiled& compiled) {
  return compiled.pieces_at(warp.pc, warp.has_all_lanes() ? CodeFor::all_lanes : CodeFor::some_lanes);
}

}  // namespace

// There is code, and nobody looks at the warps one by one. They begin, or a barrier has just let all of them go on.
bool Block::may_go_through_phases() const {
  const auto* const compiled = worker_->grid.entry->compiled.load(std::memory_order_acquire);
  if (!compiled || watch_ || worker_->grid.checks || waited_for_ > 0) return false;
  if (started_ == 0) return compiled->has_pieces_at(0);
  if (started_ < warps_.size() || first_turns_ != kFirstTurns || warps_.front()->fragments().empty()) return false;
  const auto begin = warps_.front()->place();
  return compiled->has_pieces_at(begin) &&
         std::ranges::all_of(warps_, [&](const auto& warp) { return warp->stands_whole_at(begin); });
}

// Where all warps of the block before ended in a phase, the table is still right: they begin anew.
void Block::begin_phases() {
  const bool begins = started_ == 0;
  const bool are_ready = std::exchange(are_whole_warps_ready_, false) && begins;
  const auto count = static_cast<unsigned>(warps_.size());
  started_ = count;
  whole_warps_.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    auto& own = whole_warps_[i];
    if (are_ready && !own.has_fragments)
      own.pc = 0, own.state = WholeWarp::State::runs;
    else
      own = begins ? warps_[i]->begins_whole(i, lanes_of(i)) : warps_[i]->whole();
  }
  begin_of_phase_ = whole_warps_.front().pc;
  are_alike_ = std::ranges::all_of(whole_warps_, &WholeWarp::is_plain);
}

// All warps, as far as code goes. False: they have to take their turns otherwise, from where they stand.
bool Block::goes_through_phases(std::uint64_t instructions_of_warp, Progress& out) {
  auto& worker = *worker_;
  if (!may_go_through_phases()) return false;
  const auto* const compiled = worker.grid.entry->compiled.load(std::memory_order_acquire);
  begin_phases();
  auto context = warps_.front()->context(kAllLanes);
  context.is_whole = has_barriers_of_one_warp();
  const auto most = [&] { return worker.instructions + instructions_of_warp * warps_.size(); };
  auto last = most();
  while (true) {
    const bool is_first = first_turns_ > 0;
    if (is_first) --first_turns_;
    const auto end = take_turn_of_phase(*compiled, context, is_first ? kFirstTurn : instructions_of_warp);
    if (end == PhaseEnd::ended) {
      are_whole_warps_ready_ = true;
      if (begins_next()) {
        last = most();
        continue;
      }
      return out = finish_turns(true, false), true;
    }
    if (end == PhaseEnd::elsewhere || (end == PhaseEnd::barrier && !pass_barrier(*worker.grid.entry))) break;
    if (worker.instructions < last && worker.goes_on()) continue;
    end_phases();
    return out = Progress::paused, true;
  }
  end_phases();
  if (worker.fault.kind == FaultKind::none) return false;
  flush();
  return out = Progress::faulted, true;
}

// All warps have ended. The next block of the turn needs nothing else than this one did.
bool Block::begins_next() {
  const auto number = worker_->next_block();
  if (!number) return false;
  flush();
  group_.starts_again();
  start(*number);
  begin_phases();
  return true;
}

// The turn of a warp, behind a piece that ended so.
PhaseEnd Block::goes_on_whole(WholeWarp& own, const Compiled& compiled, CodeContext& context, CodeEnd end, bool polls) {
  auto& worker = *worker_;
  while (true) {
    if (end == CodeEnd::mismatch) return PhaseEnd::elsewhere;
    const auto budget = context.budget - static_cast<std::int64_t>(context.executed);
    worker.instructions += context.executed;
    if (end == CodeEnd::ended) return ends_whole(own), PhaseEnd::ended;
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
    if (budget <= 0 || end == CodeEnd::parted) break;
    const auto* const node = pieces_of(own, compiled);
    if (!node) return ends_at(own) ? PhaseEnd::ended : PhaseEnd::elsewhere;
    context.budget = budget;
    end = try_pieces(node, context, worker, polls);
  }
  worker.spins |= polls;
  return PhaseEnd::turn;
}

void Block::ends_whole(WholeWarp& own) {
  if (own.has_fragments) return own.warp->end_all();
  threads_ended(own.has_all_lanes() ? kLanes : static_cast<unsigned>(std::popcount(own.lanes)));
}

// Where there is no code. False: the warp has more to do.
bool Block::ends_at(WholeWarp& own) {
  if (!ends_threads(worker_->grid.entry->code[own.pc])) return false;
  ++worker_->instructions;
  ends_whole(own);
  return true;
}

// The turn of a warp, or the rest of it behind its first piece.
PhaseEnd Block::take_turn_of_whole(WholeWarp& own, const Compiled& compiled, CodeContext& context,
                                   const FirstTry& tried) {
  bool polls = false;
  auto end = tried.end;
  if (!tried.piece) {
    const auto* const node = pieces_of(own, compiled);
    if (!node) return ends_at(own) ? PhaseEnd::ended : PhaseEnd::elsewhere;
    own.put_into(context);
    end = try_pieces(node, context, *worker_, polls);
  } else if (end == CodeEnd::mismatch) {
    const auto* const next = tried.piece->next.load(std::memory_order_acquire);
    end = try_pieces_from(next, *tried.piece, context, *worker_, polls);
  } else {
    note_fit(*tried.piece, *tried.piece, context, *worker_, polls);
  }
  return goes_on_whole(own, compiled, context, end, polls);
}

// Of those that are not at the barrier yet. How it ended for all warps; elsewhere, if one needs more than code.
PhaseEnd Block::take_turn_of_phase(const Compiled& compiled, CodeContext& context, std::uint64_t instructions) {
  using State = WholeWarp::State;
  bool has_turns = false;
  const bool are_alike = are_alike_;
  const auto* const first = compiled.pieces_at(begin_of_phase_, CodeFor::all_lanes);
  stopped_ = 0;
  std::size_t alike = 0;
  for (std::size_t number = 0; number < whole_warps_.size(); ++number) {
    context.budget = static_cast<std::int64_t>(instructions);
    FirstTry tried;
    if (first && whole_warps_[number].is_at(begin_of_phase_)) {
      number = take_usual_turns(number, alike, compiled, context, tried);
      if (number == whole_warps_.size()) break;
    }
    auto& own = whole_warps_[number];
    if (own.state == State::ended || own.state == State::at_barrier) continue;
    if (!tried.piece && !worker_->goes_on()) return PhaseEnd::turn;
    const auto end = own.state == State::parted ? own.warp->takes_turn_of_phase(compiled, context, instructions)
                                                : take_turn_of_whole(own, compiled, context, tried);
    if (end == PhaseEnd::elsewhere) return end;
    if (end == PhaseEnd::barrier && own.state == State::parted) {  // its lanes have met, those that have not ended
      const auto& only = own.warp->fragments().front();
      own.pc = only.pc;
      own.lanes = only.mask;
      if (own.has_all_lanes()) own.has_fragments = !own.warp->drops_fragments();
    }
    if (end == PhaseEnd::barrier && !is_barrier(own.pc)) return PhaseEnd::elsewhere;
    if (end == PhaseEnd::barrier) own.arrives(own.pc);
    if (end == PhaseEnd::ended) own.state = State::ended;
    has_turns |= end == PhaseEnd::turn;
  }
  are_alike_ = are_alike && stopped_ == whole_warps_.size();
  if (stopped_ > 0) begin_of_phase_ = stop_of_phase_;
  if (has_turns || stopped_ > 0) return PhaseEnd::turn;
  if (live_threads_ == 0) return PhaseEnd::ended;
  const auto is_at_barrier = [](const WholeWarp& own) { return own.state == State::at_barrier; };
  return std::ranges::any_of(whole_warps_, is_at_barrier) ? PhaseEnd::barrier : PhaseEnd::ended;
}

// All that have not ended stand at a barrier. False: it may not be the same one.
bool Block::pass_barrier(const Function& kernel) {
  using State = WholeWarp::State;
  for (const auto& own : whole_warps_)
    if (own.state != State::ended && own.pc != barrier_of_phase_) return false;
  const auto& barrier = kernel.code[barrier_of_phase_];
  if (!is_constant(barrier.a) || is_constant(barrier.c)) return false;
  if (barrier.d.is_there()) put_result_of_barrier(kernel, barrier);
  begin_of_phase_ = barrier_of_phase_ + 1;
  unsigned passed = 0, plain = 0;
  for (auto& own : whole_warps_) {
    if (own.state == State::ended) continue;
    own.state = State::runs;
    own.pc = begin_of_phase_;
    ++passed;
    plain += own.is_plain() ? 1 : 0;
  }
  are_alike_ = plain == whole_warps_.size();
  worker_->instructions += passed;
  if (warps_.size() > 1) first_turns_ = kFirstTurns;
  return true;
}

void Block::put_result_of_barrier(const Function& kernel, const Instruction& barrier) {
  Votes votes;
  const auto waits = [](const WholeWarp& own) { return own.state != WholeWarp::State::ended; };
  for (const auto& own : whole_warps_)
    if (waits(own))
      votes += votes_of(barrier, own.lanes, *reinterpret_cast<const Mask*>(own.registers + barrier.c.offset()));
  for (const auto& own : whole_warps_)
    if (waits(own)) put_result(barrier, votes, kernel, own.registers, own.lanes);
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
