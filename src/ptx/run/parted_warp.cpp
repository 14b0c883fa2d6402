// A warp in a phase (phases.cpp) whose lanes have parted. Its fragments say where they stand.
#include "ptx/compile/barriers.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/try_pieces.hpp"

namespace nvmlkit::ptx {

// In a phase of the block: piece after piece, until the turn ends. What ends with lanes in two places is a turn: code
// ends there in front of what other warps may still have to read.
PhaseEnd Warp::takes_turn_of_phase(const Compiled& compiled, CodeContext& context, std::uint64_t instructions) {
  auto& worker = block.worker();
  const auto* const code = frame_->function->code.data();
  context.registers = frame_->registers.get();
  context.special = reinterpret_cast<const std::byte*>(&special_);
  context.frame_params = frame_->params.data();
  context.local = local();
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

}  // namespace nvmlkit::ptx
