// How a warp executes compiled code, and how that code comes back to the interpreter.
#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/compile/barriers.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/compile/library.hpp"
#include "ptx/compile/packed.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/places.hpp"
#include "ptx/run/try_pieces.hpp"

namespace nvmlkit::ptx {

bool Warp::execute_one(CodeContext& context, std::uint32_t at, std::int32_t place) {
  const auto& i = frame_->function->code[at];
  complete_values();
  const Mask guard = i.guard.is_there() ? (i.guard_negated ? ~predicate(i.guard) : predicate(i.guard)) : kAllLanes;
  const Mask lanes = context.lanes & guard;
  const auto before = budget_;
  if (lanes != 0) i.handler(*this, i, lanes);
  context.budget -= before - budget_;
  auto& worker = block.worker();
  if (worker.fault.kind != FaultKind::none) return false;
  if (place >= 0 && lanes != 0) {
    std::uint64_t addresses[kLanes];
    i.is_lane_copy ? sources_of_copies(*this, i, addresses) : effective_addresses(*this, i, addresses);
    worker.remember(addresses[first_of(lanes)], i.writes, context.reached[place]);
  }
  return true;
}

void Warp::complete_values() {
  unpack(frame_->registers.get(), frame_->function->register_bytes);
  if (std::exchange(places_, block.places()) == block.places()) return;
  for (auto& place : special_.ctaid) std::fill_n(place, kLanes, place[0]);
}

// All threads of the warp have, in the kernel itself.
void Warp::end_all() {
  fragments_.clear();
  block.threads_ended(static_cast<unsigned>(std::popcount(std::exchange(live_, 0))));
}

// Lanes of a fragment go on in several places.
void Warp::part(std::size_t number, const CodeContext& context) {
  const bool is_only = fragments_.size() == 1;  // its first part takes its place
  const auto own = is_only ? fragments_.front() : take(number);
  auto& compiled = *own.frame->function->compiled.load(std::memory_order_relaxed);
  bool is_first = is_only;
  for (std::uint32_t k = 0; k < context.part_count; ++k) {
    const auto& part = context.parts[k];
    if (part.lanes == 0) continue;
    compiled.has_left_at(part.at);
    if (std::exchange(is_first, false)) {
      fragments_.front().pc = part.at;
      fragments_.front().mask = part.lanes;
    } else {
      add({own.frame, part.at, part.lanes, Wait::none, 0});
    }
  }
}

// Lanes of a fragment have come to where another one waits.
void Warp::have_arrived(Fragment& own, CodeContext& context) {
  const auto lanes = std::exchange(context.arrived, 0);
  own.mask &= ~lanes;
  for (auto& other : fragments_) {
    if (&other == &own || other.frame != own.frame || other.pc != context.limit || other.wait == Wait::barrier)
      continue;
    other.mask |= lanes;
    other.wait = Wait::none;
    return;
  }
}

// Of a fragment, by code. Behind a barrier or a branch, more code may follow.
void Warp::leave_code(Fragment& fragment, std::uint32_t at) {
  fragment.pc = at;
  const auto& function = *fragment.frame->function;
  auto& compiled = *function.compiled.load(std::memory_order_relaxed);
  const auto& next = function.code[at];
  compiled.has_left_at(at);
  if (next.kind == Kind::plain || next.kind == Kind::guarded || at + 1 == function.code.size()) return;
  compiled.has_left_at(at + 1);
  if (next.kind == Kind::branch) compiled.has_left_at(static_cast<std::uint32_t>(next.immediate));
}

// More code may follow at once, or the interpreter goes on, up to where there may be code again.
void Warp::resumes_by(CodeContext& context) {
  const auto at = std::exchange(context.resumes, 0);
  const bool follows = at == kMoreCode;
  resumes_ = follows ? 0 : at;
  auto& compiled = *frame_->function->compiled.load(std::memory_order_relaxed);
  compiled.may_go_on_at(follows ? context.at : at);
  if (const auto* const unfit = std::exchange(context.unfit, nullptr)) compiled.give_up(*unfit);
}

// Of a function.
void Warp::put_frame_into(CodeContext& context) {
  context.registers = frame_->registers.get();
  context.frame_params = frame_->params.data();
  context.local = local();
  context.local_bytes = local_capacity_;
  context.local_start = frame_->local_start;
  context.image = frame_->function->image_address;
}

// Of a fragment, for its lanes.
CodeContext Warp::context(Mask lanes) {
  auto& worker = block.worker();
  CodeContext out;
  put_frame_into(out);
  out.special = reinterpret_cast<const std::byte*>(&special_);
  out.shared = block.shared().data();
  out.shared_bytes = block.shared().size();
  out.params = worker.grid.params.data();
  out.param_bytes = worker.grid.params.size();
  out.execute_one = [](CodeContext* context, std::uint32_t at, std::int32_t place) {
    return context->warp->execute_one(*context, at, place);
  };
  out.unpack = unpack_marked;
  out.unpack_register = unpack_register;
  out.warp = this;
  out.carry = &carry;
  out.is_alone = worker.is_alone;
  out.lanes = lanes;
  out.is_whole = lanes == live_ && block.has_barriers_of_one_warp();
  return out;
}

// The only fragment goes on by code, piece after piece, and the turn may end with it. No value of a class of its own
// comes back: what two stores write and one load reads costs as much as the rest.
bool Warp::takes_turn_by_code(Turn turn, Progress& out) {
  auto& fragment = fragments_.front();
  if (fragment.wait != Wait::none) return false;
  const auto lanes = fragment.mask == kAllLanes ? CodeFor::all_lanes : CodeFor::some_lanes;
  auto* compiled = fragment.frame->function->compiled.load(std::memory_order_acquire);
  if (!compiled) return false;
  const auto* node = compiled->pieces_at(fragment.pc, lanes);
  const auto first = fragment.frame->function->code[fragment.pc].kind;
  if (!node && first != Kind::call && first != Kind::ret) return false;
  enter(fragment);
  auto& worker = block.worker();
  auto context = this->context(fragment.mask);
  while (true) {
    if (!node) {
      if (!calls_or_returns_alone()) return false;
      if (ends_turn(turn, 0, out)) return true;
      compiled = frame_->function->compiled.load(std::memory_order_acquire);
      if (!compiled) return false;
      put_frame_into(context);
      node = compiled->pieces_at(fragment.pc, lanes);
      continue;
    }
    context.budget = budget_;
    const auto end = try_pieces(node, context, worker, polls_);
    if (end == CodeEnd::mismatch) complete_values();
    has_tried_code_ = end == CodeEnd::mismatch && !compiled->add(fragment.pc, context);
    if (end == CodeEnd::mismatch) return false;
    budget_ = context.budget - static_cast<std::int64_t>(context.executed);
    worker.instructions += context.executed;
    const auto* const next = end == CodeEnd::left ? &frame_->function->code[context.at] : nullptr;
    if (end == CodeEnd::left) leave_code(fragment, context.at);
    if (context.resumes != 0) resumes_by(context);
    if (end == CodeEnd::parted) part(0, context);
    if (end == CodeEnd::ended) end_all();
    const bool is_right = worker.fault.kind == FaultKind::none;
    if (is_right && next && next->kind == Kind::barrier) {  // to arrive there is no work
      has_tried_code_ = !arrives_whole(*next);
      if (has_tried_code_) return false;
      if (!ends_turn(turn, 0, out)) out = Progress::blocked;
      return true;
    }
    if (ends_turn(turn, 0, out)) return true;
    has_tried_code_ = context.executed == 0;
    if (!next || has_tried_code_ || !is_right) return false;
    node = compiled->pieces_at(fragment.pc, lanes);
  }
}

// Executes compiled code as far as one piece goes. Mismatch: nothing has happened.
CodeEnd Warp::run_code(std::size_t number, std::uint64_t& executed) {
  auto& fragment = fragments_[number];
  auto& compiled = Compiled::of(*fragment.frame->function);
  const auto lanes = fragment.mask == kAllLanes ? CodeFor::all_lanes : CodeFor::some_lanes;
  if (!compiled.is_worth_a_visit(fragment.pc, lanes)) return CodeEnd::mismatch;
  auto context = this->context(fragment.mask);
  context.budget = budget_ - static_cast<std::int64_t>(executed);
  if (fragments_.size() > 1) {
    if (is_ahead(number)) return CodeEnd::mismatch;
    context.limit = limit_of(number);
    if (context.limit == fragment.pc) return CodeEnd::mismatch;
  }
  if (!compiled.pieces_at(fragment.pc, lanes)) complete_values();  // the compiler looks at them
  const auto* const known = compiled.visit(fragment.pc, context);
  auto end = known ? try_pieces(known, context, block.worker(), polls_) : CodeEnd::mismatch;
  if (known && end == CodeEnd::mismatch) complete_values();
  if (known && end == CodeEnd::mismatch)
    if (const auto* const added = compiled.add(fragment.pc, context))
      end = try_pieces(added, context, block.worker(), polls_);
  if (end == CodeEnd::mismatch) return end;
  budget_ = context.budget + static_cast<std::int64_t>(executed);  // less what it waited
  executed += context.executed;
  if (context.arrived != 0) have_arrived(fragment, context);
  if (end == CodeEnd::left) leave_code(fragment, context.at);
  if (context.resumes != 0) resumes_by(context);
  if (end == CodeEnd::parted) part(number, context);
  if (end == CodeEnd::ended) end_all();
  return end;
}

// False: the interpreter goes on, with all values in their registers.
bool Warp::goes_by_code(std::size_t& number, std::uint64_t& executed) {
  if (!std::exchange(has_tried_code_, false) && ends_by_code(number, executed)) return true;
  if (limit_of(number) == fragments_[number].pc) {  // met another one
    add(take(number));
    return true;
  }
  complete_values();
  return false;
}

// Compiled code first, piece after piece where there is some. True: the step ends with it. Behind a call or a return,
// another fragment may go on.
bool Warp::ends_by_code(std::size_t& number, std::uint64_t& executed) {
  const auto& fault = block.worker().fault.kind;
  while (true) {
    if (calls_or_returns(number, executed)) {
      if (number == fragments_.size() || fault != FaultKind::none || budget_ <= static_cast<std::int64_t>(executed))
        return true;
      continue;
    }
    const auto before = executed;
    const auto end = run_code(number, executed);
    if (end == CodeEnd::mismatch) return false;
    if (end != CodeEnd::left || fault != FaultKind::none) return true;
    const auto& next = frame_->function->code[fragments_[number].pc];
    // To arrive at a barrier is no work.
    if (next.kind == Kind::barrier) return arrives_whole(next);
    if (fragments_.size() > 1 && is_ahead(number)) return true;  // those behind it may meet it here
    if (budget_ <= static_cast<std::int64_t>(executed)) return true;
    if (executed == before) return false;
  }
}

// By all lanes of a fragment, unless others behind it may still join them. `number` becomes the fragment that goes on.
bool Warp::calls_or_returns(std::size_t& number, std::uint64_t& executed) {
  const auto& own = fragments_[number];
  const auto& i = frame_->function->code[own.pc];
  const bool is_known =
      (i.kind == Kind::ret && frame_->caller) || (i.kind == Kind::call && frame_->function->calls[i.side].function);
  if (!is_known || i.guard.is_there() || block.worker().schedule) return false;
  if (fragments_.size() > 1 && (is_ahead(number) || limit_of(number) == own.pc)) return false;
  control(number, i, own.mask);
  ++executed;
  number = choose(Wait::none);
  if (number < fragments_.size()) enter(fragments_[number]);
  return true;
}

// All lanes of the warp wait at a barrier that every thread of the block comes to: the most common way to wait.
bool Warp::arrives_whole(const Instruction& i) {
  auto& fragment = fragments_.front();
  if (!is_of_all_threads(i) || fragments_.size() != 1) return false;
  const auto barrier = *at<std::uint32_t>(i.a);
  if (barrier >= Block::kBarriers) return false;
  ++block.worker().instructions;
  fragment.wait = Wait::barrier;
  fragment.barrier = static_cast<std::uint8_t>(barrier);
  block.arrive(barrier, votes_at(i, fragment.mask), 0);
  return true;
}

}  // namespace nvmlkit::ptx
