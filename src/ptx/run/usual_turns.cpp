// The turns that most warps of a block take in a phase: one piece of code takes each of them to a barrier or to its
// end.
#include "ptx/compile/barriers.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/try_pieces.hpp"

namespace nvmlkit::ptx {

// Whether all threads of the block come to this instruction. It is remembered for the next warp.
bool Block::is_new_barrier(std::uint32_t pc) {
  if (!is_of_all_threads(worker_->grid.entry->code[pc])) return false;
  barrier_of_phase_ = pc;
  return true;
}

// Whether a turn has ended between two instructions, and there is code for the next one. A short turn ends where code
// does. Where all warps stop, they begin their next turn.
bool Block::stops_turn(const CodeContext& context, const Compiled& compiled, bool is_short) {
  const bool is_between = context.resumes == 0 || context.resumes == kMoreCode;
  if (!is_between || (!is_short && static_cast<std::int64_t>(context.executed) < context.budget)) return false;
  if (context.at == stop_of_phase_) return true;
  if (!compiled.pieces_at(context.at, CodeFor::all_lanes)) return false;
  stop_of_phase_ = context.at;
  stopped_ = 0;
  return true;
}

// The first warp from `number` on that is not where `number` is, with all of its lanes and without fragments.
std::size_t Block::end_of_alike(std::size_t number) const {
  const auto count = whole_warps_.size();
  if (are_alike_) return count;
  while (number < count && whole_warps_[number].is_at(begin_of_phase_) && whole_warps_[number].is_plain()) ++number;
  return number;
}

// The turns of the warps from `number` on, as long as the first piece takes them to a barrier, to their end, or to
// where a short turn stops. Most blocks need no more. Returns the number of the warp where this ended. There is as
// little between two warps as possible: code of a stencil has some 200 instructions for one. So it goes on to the next
// warp itself. `alike` is an end_of_alike(), or less than `number`.
std::size_t Block::take_usual_turns(std::size_t number, std::size_t& alike, const Compiled& compiled,
                                    CodeContext& context, FirstTry& tried) {
  const auto& first = *compiled.pieces_at(begin_of_phase_, CodeFor::all_lanes);
  auto& worker = *worker_;
  const auto code = first.code.piece.code;
  const auto begin = begin_of_phase_;
  const auto start = number, count = whole_warps_.size();
  const auto budget = context.budget;
  const bool is_short = budget <= static_cast<std::int64_t>(kFirstTurn);
  unsigned ended = 0;  // warps
  context.reached = worker.reached(first.code);
  while (number < count && whole_warps_[number].is_at(begin) && worker.goes_on()) {
    whole_warps_[number].put_into(context);
    context.budget = budget;
    context.own = &whole_warps_[number];
    if (alike <= number) alike = end_of_alike(number);
    const auto more = static_cast<std::uint32_t>(alike > number ? alike - number - 1 : 0);  // that code may go on to
    context.more = more;
    context.stops_at = is_short ? stop_of_phase_ : ~0u;
    context.ended_before = context.stopped_before = 0, context.executed_before = 0;
    const auto end = code(&context);
    const auto done = more - context.more;
    if (done > 0) {
      ended += context.ended_before;
      stopped_ += context.stopped_before;
      worker.instructions += context.executed_before;
      if (worker.counts_warp(done)) count_warp(first, first, context, false);
      if (whole_warps_[number].state == WholeWarp::State::at_barrier) is_barrier(whole_warps_[number].pc);
    }
    number += done;
    auto& own = whole_warps_[number];
    const bool arrives = end == CodeEnd::left && is_barrier(context.at);
    const bool stops = end == CodeEnd::left && !arrives && stops_turn(context, compiled, is_short);
    if (stops) context.resumes = 0;
    const bool is_plain =
        (context.resumes | context.polls) == 0 && context.executed != 0 && worker.fault.kind == FaultKind::none;
    if (is_plain && arrives) [[likely]] {
      own.arrives(context.at);
    } else if (is_plain && end == CodeEnd::ended && !own.has_fragments) {
      own.state = WholeWarp::State::ended;
      ++ended;
    } else if (is_plain && stops) {
      own.pc = context.at;
      ++stopped_;
    } else {
      tried.piece = &first;
      tried.end = end;
      break;
    }
    if (worker.counts_warp()) count_warp(first, first, context, false);
    worker.instructions += context.executed;
    ++number;
  }
  context.more = 0;
  if (ended > 0) threads_ended(ended * kLanes);
  if (number > start) first.use();
  return number;
}

}  // namespace nvmlkit::ptx
