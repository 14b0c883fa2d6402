// What threads of a block hand on to each other at barriers.
#include "ptx/check/races/block.hpp"

#include <algorithm>

#include "ptx/check/block_watch.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx::races {

BlockState::BlockState(Block& block)
    : block_(block),
      launch_(*block.worker().grid.checks->watched),
      warps_(block.warps().size()),
      is_in_cluster_(cluster_size(block.worker().grid) > 1) {}

void BlockState::start() {
  const auto& s = (*block_.warps()[0]).special();
  const auto& grid = block_.worker().grid;
  number_ = launch_.block(s.ctaid[0][0] + std::uint64_t{grid.blocks[0]} *
                                              (s.ctaid[1][0] + std::uint64_t{grid.blocks[1]} * s.ctaid[2][0]));
  cluster_ = launch_.cluster_of(number_);
  if (log_.next() > kMostEvents / 2) log_.forget_all();
  log_.forget_events();
  first_event_ = log_.next();
  flags_.clear();
  gates_.clear();
  floor_ = ++shared().now;
  has_clocks_ = false;
  for (auto& gathered : arrived_) gathered = nullptr;
  cluster_arrived_ = cluster_released_ = nullptr;
  for (auto& w : warps_) {
    w.since = floor_;
    w.floor = floor_;
    w.slots = {};
    w.matches = {};
    if (w.has_clocks) w.clocks = {};
    w.has_clocks = false;
    w.lanes.reset();
    w.order.reset();
    w.copies.clear();
    for (auto& groups : w.groups) std::ranges::fill(groups, 0u);
  }
}

Time BlockState::tick(WarpState& state) { return state.since = ++shared().now; }

void BlockState::learn(WarpState& state, unsigned lane, const ClockRef& clock) {
  if (!clock) return;
  state.clocks[lane] = joined(state.clocks[lane], clock);
  state.has_clocks = has_clocks_ = true;
}

// What a lane knows, and what it did itself before a time.
ClockRef BlockState::clock_of(const WarpState& state, unsigned warp, unsigned lane, Time own) const {
  Known known{number_, floor_, {}};
  const auto floor = state.floor;
  for (unsigned other = 0; other < kLanes; ++other) {
    const auto time = other == lane ? own : state.lanes ? (*state.lanes)[lane][other] : 0;
    if (time > std::max(floor, floor_)) known.parts.emplace_back(part_of(warp, other), time);
  }
  if (floor > floor_) known.parts.emplace_back(part_of(warp, kWholeWarp), floor);
  return with(state.clocks[lane], known);
}

// Lanes that arrive together hand on what all of them did.
void BlockState::arrive(Warp& w, unsigned barrier, Mask lanes) {
  auto& s = state(w);
  auto& gathered = arrived_[barrier];
  const auto now = tick(s);
  Known known{number_, floor_, {}};
  if (lanes == w.live()) {
    known.parts.emplace_back(part_of(w.index(), kWholeWarp), now);
  } else {
    for (Mask left = lanes; left != 0; left &= left - 1)
      known.parts.emplace_back(part_of(w.index(), first_of(left)), now);
  }
  gathered = with(gathered, known);
  if (!s.has_clocks) return;
  const ClockRef* last = nullptr;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto& clock = s.clocks[first_of(left)];
    if (!last || clock != *last) gathered = joined(gathered, clock);
    last = &clock;
  }
}

// All threads that live have arrived, and those that ended did before.
void BlockState::release_all() {
  const auto now = ++shared().now;
  ClockRef clock, seen[kLevels];
  bool has_order = false;
  for (auto& w : warps_) {
    if (w.has_clocks)
      for (const auto& own : w.clocks) clock = joined(clock, own);
    if (!w.order) continue;
    has_order = true;
    for (const auto& own : *w.order)
      for (unsigned k = 0; k < kLevels; ++k) seen[k] = joined(seen[k], own.seen[k]);
  }
  bool runs = false;
  for (auto& w : warps_) {
    w.since = w.floor = now;
    w.lanes.reset();
    runs |= !w.copies.empty();
    if (clock) w.clocks.fill(clock), w.has_clocks = true;
    if (has_order && (seen[0] || seen[1] || seen[2]))
      for (unsigned lane = 0; lane < kLanes; ++lane) std::ranges::copy(seen, w.order_of(lane).seen);
  }
  floor_ = now;
  for (auto& gathered : arrived_) gathered = nullptr;
  if (is_in_cluster_) return;
  first_event_ = log_.next();
  if (!runs && gates_.empty()) log_.forget_events();
}

void BlockState::release(unsigned barrier) {
  const auto clock = std::exchange(arrived_[barrier], nullptr);
  for (unsigned k = 0; k < block_.started(); ++k) {
    const auto& warp = *block_.warps()[k];
    for (const auto& f : warp.fragments()) {
      if (f.wait != Wait::barrier || f.barrier != barrier) continue;
      for (Mask left = f.mask; left != 0; left &= left - 1) learn(warps_[k], first_of(left), clock);
    }
  }
}

void BlockState::meet(Warp& w, Mask lanes) {
  auto& s = state(w);
  const auto now = tick(s);
  ClockRef clock;
  if (s.has_clocks) {
    for (Mask left = lanes; left != 0; left &= left - 1) clock = joined(clock, s.clocks[first_of(left)]);
    for (Mask left = lanes; left != 0; left &= left - 1) s.clocks[first_of(left)] = clock;
  }
  if (lanes == w.live()) {
    s.floor = now;
    s.lanes.reset();
    return;
  }
  if (!s.lanes) s.lanes = std::make_unique<std::array<std::array<Time, kLanes>, kLanes>>();
  std::array<Time, kLanes> all{};
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto& own = (*s.lanes)[first_of(left)];
    for (unsigned k = 0; k < kLanes; ++k) all[k] = std::max(all[k], own[k]);
  }
  for (Mask left = lanes; left != 0; left &= left - 1) all[first_of(left)] = now;
  for (Mask left = lanes; left != 0; left &= left - 1) (*s.lanes)[first_of(left)] = all;
}

void BlockState::match(Warp& w, Mask lanes) {
  auto& s = state(w);
  s.matches[s.matched++ % s.matches.size()] = {tick(s), lanes};
}

// The first member of the cluster keeps what all have handed on.
void BlockState::arrive_in_cluster(Warp& w, Mask lanes) {
  arrive(w, 0, lanes);
  auto& gathered = block_.group().member(0).watch()->races()->cluster_arrived_;
  gathered = joined(gathered, std::exchange(arrived_[0], nullptr));
}

void BlockState::leave_cluster(Warp& w, Mask lanes) {
  const auto& clock = block_.group().member(0).watch()->races()->cluster_released_;
  for (Mask left = lanes; left != 0; left &= left - 1) learn(state(w), first_of(left), clock);
}

}  // namespace nvmlkit::ptx::races
