// Two accesses that nothing orders: whether that is a race, and how bad.
#include <algorithm>
#include <cstring>

#include "ptx/check/extents.hpp"
#include "ptx/check/races/look.hpp"
#include "ptx/run/block.hpp"

namespace nvmlkit::ptx::races {
namespace {

constexpr const char* kRunningCopy = "The copy has not been waited for";
constexpr const char* kOneWarp = "Both threads are in one warp; a barrier of the warp would order them";
constexpr const char* kNoFence = "A fence is missing behind the read of the flag that would order them";
constexpr const char* kScope = "Both are atomic, but a scope leaves out the other thread";

}  // namespace

// The same bytes are written: by lanes of this instruction, or what is there already.
bool BlockState::is_same_value(Look& look, const Event& event, Stamp earlier, std::uint64_t address, unsigned lane) {
  const auto size = look.size;
  if (!look.form || look.touch != Touch::writes || event.touch != Touch::writes || size > 16) return false;
  const auto memory = (look.owner ? look.owner : &block_)->shared();
  auto* const bytes =
      look.is_global ? block_.worker().global(address, size, look.instruction) : memory.data() + address;
  if (!bytes || (!look.is_global && address + size > memory.size())) return false;
  const auto other = lane_of(earlier);
  if (event_of(earlier) == event_of(look.own) && look.addresses[other] == look.addresses[lane])
    look.form->handler(look.warp, look.instruction, Mask{1} << other);
  std::byte before[16];
  std::memcpy(before, bytes, size);
  look.form->handler(look.warp, look.instruction, Mask{1} << lane);
  return std::memcmp(before, bytes, size) == 0;
}

Race::Severity BlockState::severity_of(Look& look, const Event& event, Stamp earlier, std::uint64_t address,
                                       unsigned lane, const char*& reason) {
  using Severity = Race::Severity;
  if (earlier & kRunning) {
    reason = kRunningCopy;
    return Severity::error;
  }
  if (is_same_value(look, event, earlier, address, lane)) return Severity::info;
  if (event.block >> 32 != launch_.id) reason = kUnorderedLaunches;
  if (event.scope != Scope::none && look.scope != Scope::none && event.block != number_) reason = kScope;
  if (event.block == number_ && event.warp == look.warp.index()) {
    reason = kOneWarp;
    return Severity::warning;
  }
  if (look.state.order) {
    const auto& order = (*look.state.order)[lane];
    for (const auto& seen : order.seen)
      if (seen && seen->knows(event.block, event.warp, lane_of(earlier), event.time)) {
        reason = kNoFence;
        return Severity::warning;
      }
  }
  return Severity::error;
}

// The end of a barrier in memory, behind its uses: those of lanes that came together for `match` before one of them
// handed on that it is done. The pipelines of CCCL end so.
bool BlockState::is_matched(const Look& look, const Event& event, unsigned other, unsigned lane) const {
  const auto& form = checked_form(*look.warp.frame().function, look.instruction);
  if (!form.ends_gate || event.touch != Touch::changes || event.block != number_ || event.warp >= warps_.size())
    return false;
  const auto& clock = look.state.clocks[lane];
  for (const auto& [time, lanes] : warps_[event.warp].matches) {
    if (time <= event.time || !(lanes >> other & 1)) continue;
    if (event.warp == look.warp.index() && (lanes >> lane & 1)) return true;
    for (Mask left = clock ? lanes : 0; left != 0; left &= left - 1)
      if (clock->knows(event.block, event.warp, first_of(left), time)) return true;
  }
  return false;
}

void BlockState::conflict(Look& look, Stamp earlier, std::uint64_t address, unsigned lane) {
  const auto& event = look.log.event(event_of(earlier));
  if (event.is_of_host()) {
    if (look.scope == Scope::all) launch_.talks_with_host = true;
    if (launch_.talks_with_host) return;
  }
  const bool are_strong = event.scope != Scope::none && look.scope != Scope::none && !(earlier & kRunning);
  if (are_strong) {
    const auto least = std::min(event.scope, look.scope);
    const bool reach = event.block == number_ || least == Scope::all ||
                       (least == Scope::cluster && is_in_cluster_ && event.block >> 32 == launch_.id &&
                        launch_.cluster_of(event.block) == cluster_);
    const bool is_by_warp = !look.is_global && event.block == number_ && event.warp == look.warp.index() &&
                            event.is_volatile && look.is_volatile;
    if (reach && !is_by_warp) return;
  }
  const auto* const other = launch_.launch_of(event);
  if (!other || is_matched(look, event, lane_of(earlier), lane)) return;
  Race race;
  race.severity = severity_of(look, event, earlier, address, lane, race.reason);
  const Event own = look.log.event(event_of(look.own));
  if (launch_.count(race.severity, event, own, look.hazards)) return;
  race.count = look.hazards;
  race.space = look.is_global ? Space::global : Space::shared;
  race.address = address;
  race.size = look.size;
  other->describe(event, lane_of(earlier), race.first);
  if (other != &launch_) race.first.launch = other->about;
  launch_.describe(own, lane, race.second);
  const auto pc = static_cast<std::uint32_t>(&look.instruction - look.warp.frame().function->code.data());
  race.second.places = Warp::places_of(&look.warp.frame(), pc);
  if (const auto* const extents = block_.worker().grid.module->extents.get()) {
    const auto base = look.is_global ? extents->image_start : 0;
    const bool is_near = !look.is_global || address - base < extents->image_size;
    const auto* const near =
        is_near ? (look.is_global ? extents->image : extents->shared).nearest(address - base) : nullptr;
    if (near && near->holds(address - base, 1)) race.variable = near->variable;
  }
  launch_.note(std::move(race), event, own);
}

}  // namespace nvmlkit::ptx::races
