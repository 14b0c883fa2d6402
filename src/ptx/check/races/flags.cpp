// Order by memory: fences, atomic changes, barriers in memory, copies that run beside the threads.
#include <algorithm>

#include "ptx/check/races/look.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx::races {

void BlockState::fence(Warp& w, Scope scope, Mask lanes) {
  auto& s = state(w);
  const auto now = tick(s);
  const bool is_wide = scope >= Scope::cluster;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    auto& order = s.order_of(lane);
    learn(s, lane, std::exchange(order.seen_near, nullptr));
    if (is_wide) learn(s, lane, std::exchange(order.seen_wide, nullptr));
    order.fence_near = now;
    if (is_wide) order.fence_wide = now;
  }
}

// Of a read: what those released who wrote the flag. Without .acquire it counts from the next fence on.
void BlockState::read_flag(Warp& w, const CheckedForm& form, const Flag& flag, unsigned lane) {
  auto& s = state(w);
  const auto near = flag.near.find(number_);
  const bool is_wide = form.scope >= Scope::cluster;
  if (form.acquires) {
    if (near != flag.near.end()) learn(s, lane, near->second);
    if (is_wide) learn(s, lane, flag.wide);
    return;
  }
  auto& order = s.order_of(lane);
  if (near != flag.near.end()) order.seen_near = joined(order.seen_near, near->second);
  if (is_wide) order.seen_wide = joined(order.seen_wide, flag.wide);
}

void BlockState::write_flag(Warp& w, const CheckedForm& form, Flag& flag, unsigned lane) {
  auto& s = state(w);
  const bool changes = form.touch == Touch::changes, is_wide = form.scope >= Scope::cluster;
  ClockRef near, wide;
  if (form.releases) {
    near = clock_of(s, w.index(), lane, tick(s));
    if (is_wide) wide = near;
  } else if (s.order) {
    const auto& order = (*s.order)[lane];
    if (order.fence_near) near = clock_of(s, w.index(), lane, order.fence_near);
    if (order.fence_wide && is_wide) wide = clock_of(s, w.index(), lane, order.fence_wide);
  }
  auto& own = flag.near[number_];
  if (!changes) {
    flag.near = {};
    flag.near[number_] = near;
    flag.wide = wide;
    return;
  }
  own = joined(own, near);
  flag.wide = joined(flag.wide, wide);
}

void BlockState::synchronize(Warp& w, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes,
                             Flags& flags) {
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    auto at = flags.empty() ? flags.end() : flags.find(addresses[lane]);
    if (at != flags.end() && form.touch != Touch::writes) read_flag(w, form, at->second, lane);
    if (form.touch == Touch::reads) continue;
    const auto& s = state(w);
    const bool hands_on = form.releases || (s.order && (*s.order)[lane].fence_near != 0);
    if (!hands_on && at == flags.end()) continue;
    if (at == flags.end()) at = flags.try_emplace(addresses[lane]).first;
    write_flag(w, form, at->second, lane);
  }
}

ClockRef BlockState::hand_on(Warp& w, unsigned lane) {
  auto& s = state(w);
  return clock_of(s, w.index(), lane, tick(s));
}

void BlockState::arrive_at(std::uint64_t address, const ClockRef& clock) {
  auto& arrived = gates_[address];
  arrived = joined(arrived, clock);
}

// A copy by a lane: until it is waited for, it is ordered before nothing.
void BlockState::copy(Warp& w, const Instruction& i, std::uint32_t size, const std::uint64_t* to,
                      const std::uint64_t* from, Mask lanes) {
  if (from) access(w, i, Space::global, Touch::reads, size, from, lanes);
  auto& s = state(w);
  const auto& function = *w.frame().function;
  const auto number = static_cast<std::uint32_t>(&i - function.code.data());
  const auto id = log_.add(
      {&function, number_, number, shared().now, static_cast<std::uint16_t>(w.index()), Touch::writes, {}, false});
  Look look{
      w,     i, nullptr, s, log_, Touch::writes, Scope::none, false, size, id << kEventShift | kRunning, first_event_,
      false, to};
  look_at(look, to, lanes, true);
  auto& running = s.copies.emplace_back();
  running.event = look.own;
  running.instruction = &i;
  running.function = &function;
  running.lanes = lanes;
  running.size = size;
  std::copy_n(to, kLanes, running.addresses);
  std::copy_n(s.groups, kLanes, running.group);
}

void BlockState::commit(Warp& w, Mask lanes) {
  for (Mask left = lanes; left != 0; left &= left - 1) ++state(w).groups[first_of(left)];
}

// Copies that are done now count as what their lane wrote just now.
void BlockState::wait(Warp& w, std::uint32_t most_left, Mask lanes) {
  auto& s = state(w);
  if (s.copies.empty()) return;
  for (auto& running : s.copies) {
    Mask done = 0;
    for (Mask left = running.lanes & lanes; left != 0; left &= left - 1) {
      const auto lane = first_of(left);
      const bool is_open = running.group[lane] == s.groups[lane];  // not committed
      if (most_left == ~0u || (!is_open && running.group[lane] + most_left < s.groups[lane])) done |= Mask{1} << lane;
    }
    if (done == 0) continue;
    auto event = log_.event(event_of(running.event));
    event.time = shared().now;
    const Stamp landed = log_.add(event) << kEventShift;
    for (Mask left = done; left != 0; left &= left - 1) {
      const auto lane = first_of(left);
      each_cell(log_, running.addresses[lane], running.size, [&](Page& page, std::uint32_t number) {
        auto& cell = page.cells[number];
        if (cell.write == (running.event | lane)) cell.write = landed | lane;
      });
    }
    running.lanes &= ~done;
  }
  std::erase_if(s.copies, [](const RunningCopy& c) { return c.lanes == 0; });
}

// A copy whose end a barrier in memory learns of: it counts as a thread of its own, one for each barrier.
void BlockState::bulk_copy(Warp& w, const Instruction& i, std::uint64_t to, std::uint32_t size, std::uint64_t barrier,
                           unsigned lane) {
  const auto& function = *w.frame().function;
  const auto number = static_cast<std::uint32_t>(&i - function.code.data());
  const auto of_barrier = static_cast<unsigned>(barrier / 8 % kLanes);
  const auto now = ++shared().now;
  const auto id = log_.add({&function, number_, number, now, kCopyWarp, Touch::writes, {}, false});
  Look look{w,
            i,
            nullptr,
            state(w),
            log_,
            Touch::writes,
            Scope::none,
            false,
            size,
            id << kEventShift | kRunning,
            first_event_,
            false,
            &to};
  // What it writes over has to be ordered before the instruction of the thread.
  each_cell(log_, to, size, [&](Page& page, std::uint32_t cell_number) {
    auto& cell = page.cells[cell_number];
    for (const auto stamp : {cell.write, cell.read})
      if (stamp != 0 && !is_before(look, stamp, lane)) conflict(look, stamp, to, lane);
    cell = {look.own | of_barrier, 0};
    if (!page.others.empty()) page.others[cell_number] = 0;
  });
  arrive_at(barrier, with(nullptr, {number_, 0, {{part_of(kCopyWarp, of_barrier), now + 1}}}));
}

}  // namespace nvmlkit::ptx::races
