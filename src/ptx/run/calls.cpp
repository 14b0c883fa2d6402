// Calls of functions, and returns from them.
#include <bit>
#include <cstring>

#include "ptx/builtins/builtins.hpp"
#include "ptx/check/bits/unwritten.hpp"
#include "ptx/check/block_watch.hpp"
#include "ptx/run/block.hpp"
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

// Where local memory of a function begins that this one calls.
std::uint64_t local_behind(const Frame& caller) {
  return (caller.local_start + caller.function->local_bytes + 15) / 16 * 16;
}

}  // namespace

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

bool Warp::has_room_for(const Frame& caller, const Function& callee) {
  const auto end = local_behind(caller) + callee.local_bytes;
  return caller.depth < kDeepest && end <= block.worker().grid.most_local && has_local(end);
}

// The frame of lanes that call a function, with their arguments.
Frame* Warp::frame_of_call(const Fragment& own, const CallSite& site, const Function& callee, Mask lanes) {
  Frame* const frame = new_frame(callee);
  frame->caller = own.frame;
  frame->site = &site;
  frame->return_to = own.pc + 1;
  frame->depth = own.frame->depth + 1;
  frame->local_start = local_behind(*own.frame);
  frame->inside = lanes;
  for (std::size_t k = 0; k < site.arguments.size(); ++k)
    copy_params(params_of(*frame, callee.parameters[k].offset), params_of(*own.frame, site.arguments[k]),
                callee.parameters[k].size, lanes);
  return frame;
}

void Warp::call_function(const Fragment& own, const CallSite& site, const Function& callee, Mask lanes,
                         const Instruction& i) {
  if (!has_room_for(*own.frame, callee)) return fault(FaultKind::stack_overflow, 0, i, first_of(lanes));
  Frame* const frame = frame_of_call(own, site, callee, lanes);
  if (checking.initialized) forget_local(frame->local_start, callee.local_bytes, lanes);
  for (std::size_t k = 0; own.frame->unwritten && k < site.arguments.size(); ++k)
    hand_on_param(*own.frame, site.arguments[k], *frame, static_cast<std::uint32_t>(callee.parameters[k].offset),
                  static_cast<std::uint32_t>(callee.parameters[k].size), lanes);
  fragments_.push_back({frame, 0, lanes, Wait::none, 0});
}

// Lanes of a function have ended it. Gives where they go on, with its results.
Fragment Warp::return_from(Frame& frame, Mask lanes) {
  const auto& function = *frame.function;
  for (std::size_t k = 0; k < function.results.size(); ++k)
    copy_params(params_of(*frame.caller, frame.site->results[k]), params_of(frame, function.results[k].offset),
                function.results[k].size, lanes);
  const bool is_followed = frame.unwritten || frame.caller->unwritten;
  for (std::size_t k = 0; is_followed && k < function.results.size(); ++k)
    hand_on_param(frame, static_cast<std::uint32_t>(function.results[k].offset), *frame.caller, frame.site->results[k],
                  static_cast<std::uint32_t>(function.results[k].size), lanes);
  frame.inside &= ~lanes;
  if (frame.inside == 0) free_frames_.push_back(&frame);
  return {frame.caller, frame.return_to, lanes, Wait::none, 0};
}

void Warp::leave(const Fragment& own, Mask lanes) {
  if (!own.frame->caller) return end(own.frame, lanes);
  add(return_from(*own.frame, lanes));
}

// The only fragment of the warp, between two pieces of code. Nobody looks at the call or can wait for its lanes, so it
// goes on in the other function. False: it stands elsewhere, or the call needs more.
bool Warp::calls_or_returns_alone() {
  auto& own = fragments_.front();
  const auto& i = own.frame->function->code[own.pc];
  if (i.guard.is_there() || block.worker().schedule || own.frame->unwritten || checking.initialized) return false;
  if (i.kind == Kind::call) {
    const auto& site = own.frame->function->calls[i.side];
    if (!site.function || !has_room_for(*own.frame, *site.function)) return false;
    own.frame = frame_of_call(own, site, *site.function, own.mask);
    own.pc = 0;
  } else if (i.kind == Kind::ret && own.frame->caller) {
    own = return_from(*own.frame, own.mask);
  } else {
    return false;
  }
  enter(own);
  --budget_;
  ++block.worker().instructions;
  return true;
}

}  // namespace nvmlkit::ptx
