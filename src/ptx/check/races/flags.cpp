// Order by memory: fences, atomic changes, barriers in memory, copies that run beside the threads.
#include <algorithm>

#include "ptx/check/races/look.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx::races {

void BlockState::fence(Warp& w, Scope scope, Mask lanes) {
  auto& s = state(w);
  const auto now = tick(s);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    auto& order = s.order_of(lane);
    for (unsigned k = 0; k <= level_of(scope); ++k) {
      learn(s, lane, std::exchange(order.seen[k], nullptr));
      order.fence[k] = now;
    }
  }
}

// Of a read: what those released who wrote the flag. Without .acquire it counts from the next fence on.
void BlockState::read_flag(Warp& w, const CheckedForm& form, const Flag& flag, unsigned lane) {
  auto& s = state(w);
  for (unsigned k = 0; k <= level_of(form.scope); ++k) {
    const auto near = k < 2 ? flag.near.find(place_of(k)) : flag.near.end();
    const auto clock = k == 2 ? flag.wide : near != flag.near.end() ? near->second : nullptr;
    if (!clock) continue;
    if (form.acquires) {
      learn(s, lane, clock);
    } else {
      auto& seen = s.order_of(lane).seen[k];
      seen = joined(seen, clock);
    }
  }
}

void BlockState::write_flag(Warp& w, const CheckedForm& form, Flag& flag, unsigned lane) {
  auto& s = state(w);
  ClockRef own[kLevels];
  const auto released = form.releases ? clock_of(s, w.index(), lane, tick(s)) : nullptr;
  for (unsigned k = 0; k <= level_of(form.scope); ++k) {
    const auto fence = s.order ? (*s.order)[lane].fence[k] : 0;
    own[k] = released ? released : fence ? clock_of(s, w.index(), lane, fence) : nullptr;
  }
  if (form.touch != Touch::changes) flag = {};
  for (unsigned k = 0; k < 2; ++k)
    if (own[k]) {
      auto& near = flag.near[place_of(k)];
      near = joined(near, own[k]);
    }
  flag.wide = joined(flag.wide, own[2]);
}

void BlockState::synchronize(Warp& w, const CheckedForm& form, Flags& flags, std::uint64_t address, unsigned lane) {
  auto at = flags.empty() ? flags.end() : flags.find(address);
  if (at != flags.end() && form.touch != Touch::writes) read_flag(w, form, at->second, lane);
  if (form.touch == Touch::reads) return;
  const auto& s = state(w);
  const bool hands_on = form.releases || (s.order && (*s.order)[lane].fence[0] != 0);
  if (!hands_on && at == flags.end()) return;
  if (at == flags.end()) at = flags.try_emplace(address).first;
  write_flag(w, form, at->second, lane);
}

void BlockState::synchronize(Warp& w, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes,
                             bool is_global) {
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    if (is_global || !is_in_cluster_)
      synchronize(w, form, is_global ? shared().flags : flags_, addresses[lane], lane);
    else
      synchronize(w, form, owner_of(addresses[lane]).flags_, Group::offset_of(addresses[lane]), lane);
  }
}

std::shared_ptr<const Birth> BlockState::launches(Warp& w, unsigned lane, std::uint64_t stream, bool in_order) {
  return launch_.child(hand_on(w, lane), number_, stream, in_order);
}

ClockRef BlockState::hand_on(Warp& w, unsigned lane) {
  auto& s = state(w);
  return clock_of(s, w.index(), lane, tick(s));
}

void BlockState::arrive_at(std::uint64_t address, const ClockRef& clock) {
  auto& arrived = gates_[address];
  arrived = joined(arrived, clock);
}

void BlockState::run(Warp& w, const Instruction& i, RunningCopy::Kind kind, Space space, Touch touch,
                     std::uint32_t size, const std::uint64_t* addresses, Mask lanes) {
  const bool is_global = space == Space::global;
  if (is_global && !launch_.looks_at_global) return;
  auto& s = state(w);
  auto& log = is_global ? shared().global : log_;
  const auto id = new_event(log, w, i, touch, w.index(), shared().now);
  Look look{w,
            i,
            nullptr,
            s,
            log,
            touch,
            Scope::none,
            false,
            size,
            id << kEventShift | kRunning,
            is_global ? launch_.first_global : first_event_,
            is_global,
            addresses};
  look_at(look, addresses, lanes, touch != Touch::reads);
  auto& running = s.copies.emplace_back();
  running.kind = kind;
  running.is_global = is_global;
  running.touch = touch;
  running.event = look.own;
  running.lanes = lanes;
  running.size = size;
  std::copy_n(addresses, kLanes, running.addresses);
  std::copy_n(s.groups[static_cast<unsigned>(kind)], kLanes, running.group);
}

void BlockState::commit(Warp& w, RunningCopy::Kind kind, Mask lanes) {
  for (Mask left = lanes; left != 0; left &= left - 1) ++state(w).groups[static_cast<unsigned>(kind)][first_of(left)];
}

namespace {

constexpr Stamp kOfLane = kLaneBits | kSeveral | kFar;

// A stamp of an access that has come to its end gets that of the end.
void land(Stamp& stamp, Stamp running, unsigned lane, Stamp landed) {
  if ((stamp & ~kOfLane) != running || (lane_of(stamp) != lane && !(stamp & kSeveral))) return;
  stamp = (stamp & kOfLane) | landed;
}

}  // namespace

// What is done now counts as what their lane did just now.
void BlockState::wait(Warp& w, RunningCopy::Kind kind, std::uint32_t most_left, bool reads, Mask lanes) {
  auto& s = state(w);
  if (s.copies.empty()) return;
  const auto* const groups = s.groups[static_cast<unsigned>(kind)];
  for (auto& running : s.copies) {
    if (running.kind != kind || (reads && running.touch != Touch::reads)) continue;
    Mask done = 0;
    for (Mask left = running.lanes & lanes; left != 0; left &= left - 1) {
      const auto lane = first_of(left);
      const bool is_open = running.group[lane] == groups[lane];  // not committed
      if (most_left == ~0u || (!is_open && running.group[lane] + most_left < groups[lane])) done |= Mask{1} << lane;
    }
    if (done == 0) continue;
    auto& log = running.is_global ? shared().global : log_;
    running.lanes &= ~done;
    if (event_of(running.event) < log.base() || event_of(running.event) >= log.next()) continue;
    auto event = log.event(event_of(running.event));
    event.time = shared().now;
    const Stamp landed = log.add(event) << kEventShift;
    for (Mask left = done; left != 0; left &= left - 1) {
      const auto lane = first_of(left);
      each_cell(log, running.addresses[lane], running.size, [&](Page& page, std::uint32_t number) {
        auto& cell = page.cells[number];
        land(cell.write, running.event, lane, landed);
        if (running.touch != Touch::reads) return;
        land(cell.read, running.event, lane, landed);
        if (!page.others.empty()) land(page.others[number], running.event, lane, landed);
      });
    }
  }
  std::erase_if(s.copies, [](const RunningCopy& c) { return c.lanes == 0; });
}

// It counts as a thread of its own, one for each barrier.
void BlockState::bulk_copy(Warp& w, const Instruction& i, BlockState& of, std::uint64_t to, std::uint32_t size,
                           std::uint64_t barrier, unsigned lane) {
  const auto of_barrier = static_cast<unsigned>(barrier / 8 % kLanes);
  const auto now = ++shared().now;
  const auto id = new_event(of.log_, w, i, Touch::writes, kCopyWarp, now);
  to = Group::offset_of(to);
  Look look{w,
            i,
            nullptr,
            state(w),
            of.log_,
            Touch::writes,
            Scope::none,
            false,
            size,
            id << kEventShift | kRunning,
            of.first_event_,
            false,
            &to,
            &of.block_};
  // What it writes over has to be ordered before the instruction of the thread.
  each_cell(of.log_, to, size, [&](Page& page, std::uint32_t cell_number) {
    auto& cell = page.cells[cell_number];
    look.hazards = page.of_bytes ? 1 : 4;
    for (const auto stamp : {cell.write, cell.read})
      if (stamp != 0 && event_of(stamp) != id && !is_before(look, stamp, lane)) conflict(look, stamp, to, lane);
    cell = {look.own | of_barrier, 0};
    if (!page.others.empty()) page.others[cell_number] = 0;
  });
  owner_of(barrier).arrive_at(Group::offset_of(barrier),
                              with(nullptr, {number_, 0, {{part_of(kCopyWarp, of_barrier), now + 1}}}));
}

}  // namespace nvmlkit::ptx::races
