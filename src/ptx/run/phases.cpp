// Phases of a block between barriers, where all of its warps go on by the same compiled code. Turns have the order of
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
  while (end == PhaseEnd::turn && first_turns_ > 0) {
    --first_turns_;
    end = take_turn_of_phase(*compiled, context);
    if (end != PhaseEnd::barrier) continue;
    for (const auto& warp : warps_) warp->passes_barrier();
    first_turns_ = kFirstTurns;
    out = Progress::paused;
    if (worker.instructions >= most || worker.ended.load(std::memory_order_relaxed)) return true;
    end = PhaseEnd::turn;
  }
  if (end == PhaseEnd::ended) return out = finish_turns(true, false), true;
  if (worker.fault.kind == FaultKind::none) return false;
  flush();
  return out = Progress::faulted, true;
}

// How it ended for all warps. If not for all in the same way, those at a barrier wait there.
PhaseEnd Block::take_turn_of_phase(const Compiled& compiled, CodeContext& context) {
  PhaseEnd first = PhaseEnd::elsewhere;
  for (unsigned i = 0; i < warps_.size(); ++i) {
    auto& warp = *warps_[i];
    const auto end = warp.takes_turn_of_phase(compiled, context, kFirstTurn);
    if (i == 0) first = end;
    const bool is_alike = end == first && end != PhaseEnd::elsewhere &&
                          (end == PhaseEnd::ended || warp.place() == warps_.front()->place()) &&
                          (end != PhaseEnd::barrier || warp.barrier_ahead() == warps_.front()->barrier_ahead());
    if (is_alike) continue;
    for (unsigned k = 0; first == PhaseEnd::barrier && k < i; ++k) warps_[k]->waits_at_barrier();
    if (end == PhaseEnd::barrier) warp.waits_at_barrier();
    return PhaseEnd::elsewhere;
  }
  return first;
}

}  // namespace nvmlkit::ptx
