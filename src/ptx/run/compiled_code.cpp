// How a warp executes compiled code, and how that code comes back to the interpreter.
#include "ptx/compile/compiled.hpp"
#include "ptx/compile/library.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {

bool Warp::execute_one(CodeContext& context, std::uint32_t at, std::int32_t place) {
  const auto& i = frame_->function->code[at];
  const Mask guard = i.guard.is_there() ? (i.guard_negated ? ~predicate(i.guard) : predicate(i.guard)) : kAllLanes;
  const Mask lanes = context.lanes & guard;
  const auto before = budget_;
  if (lanes != 0) i.handler(*this, i, lanes);
  context.budget -= before - budget_;
  auto& worker = block.worker();
  if (worker.fault.kind != FaultKind::none) return false;
  if (place >= 0) {
    std::uint64_t addresses[kLanes];
    effective_addresses(*this, i, addresses);
    worker.remember(addresses[first_of(context.lanes)], i.writes, context.reached[place]);
  }
  return true;
}

ExecuteOne execute_one() {
  return [](CodeContext* context, std::uint32_t at, std::int32_t place) {
    return context->warp->execute_one(*context, at, place);
  };
}

// The only fragment of the warp, in the kernel itself, has ended.
void Warp::end_all() {
  fragments_.clear();
  live_ = 0;
  block.threads_ended(kLanes);
}

// Executes compiled code as far as it goes. False: nothing has happened.
bool Warp::run_code(std::size_t number, std::uint64_t& executed) {
  auto& fragment = fragments_[number];
  auto& compiled = Compiled::of(*fragment.frame->function);
  const auto lanes = fragment.mask == kAllLanes ? CodeFor::all_lanes : CodeFor::some_lanes;
  if (!compiled.is_worth_a_visit(fragment.pc, lanes)) return false;
  auto& worker = block.worker();
  CodeContext context;
  context.registers = fragment.frame->registers.get();
  context.special = reinterpret_cast<const std::byte*>(&special_);
  context.shared = block.shared().data();
  context.shared_bytes = block.shared().size();
  context.params = worker.grid.params.data();
  context.param_bytes = worker.grid.params.size();
  context.warp = this;
  context.budget = budget_;
  context.lanes = fragment.mask;
  if (fragments_.size() > 1) {
    if (is_ahead(number)) return false;
    context.limit = limit_of(number);
    if (context.limit == fragment.pc) return false;
  }
  const auto try_one = [&](const Compiled::Node& node) {
    context.reached = worker.reached(node.code);
    const auto end = node.code.piece.code(&context);
    if (end == CodeEnd::mismatch) return false;
    executed = context.executed;
    polls_ |= context.polls != 0;
    if (end == CodeEnd::left) fragment.pc = context.at;
    if (end == CodeEnd::ended) end_all();
    return true;
  };
  const auto* node = compiled.visit(fragment.pc, context);
  if (!node) return false;
  for (; node; node = node->next)
    if (try_one(*node)) return true;
  node = compiled.add(fragment.pc, context);
  return node && try_one(*node);
}

// Compiled code first, where there is some. True: the step ends with it.
bool Warp::ends_by_code(std::size_t number, std::uint64_t& executed) {
  if (!run_code(number, executed)) return false;
  if (fragments_.empty() || block.worker().fault.kind != FaultKind::none) return true;
  // To arrive at a barrier is no work.
  const auto& fragment = fragments_[number];
  const bool arrives = fragment.frame->function->code[fragment.pc].kind == Kind::barrier;
  return !arrives && budget_ <= static_cast<std::int64_t>(executed);
}

}  // namespace nvmlkit::ptx
