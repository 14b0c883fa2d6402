// Accesses to memory: each is compared with those that were made before.
#include "ptx/check/block_watch.hpp"
#include "ptx/check/races/look.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx::races {
namespace {

constexpr std::uint64_t kWindows = std::uint64_t{0xFF} << 56;

}  // namespace

std::uint32_t BlockState::event_for(Warp& w, const Instruction& i, const CheckedForm& form, Touch touch, bool global) {
  auto& s = state(w);
  auto& log = global ? shared().global : log_;
  const auto& function = *w.frame().function;
  const auto number = static_cast<std::uint32_t>(&i - function.code.data());
  auto& slot = s.slots[number % s.slots.size()];
  if (slot.instruction != &i || slot.since != s.since) slot = {&i, s.since, {}};
  auto& id = slot.event[global];
  if (id >= log.base() && id < log.next() && id != 0) return id;
  Event event{&function, number_,    number,          shared().now, static_cast<std::uint16_t>(w.index()),
              touch,     form.scope, form.is_volatile};
  return id = log.add(event);
}

std::uint32_t BlockState::new_event(Log& log, Warp& w, const Instruction& i, Touch touch, std::uint32_t warp, Time time,
                                    const CheckedForm* form) const {
  const auto& function = *w.frame().function;
  const auto number = static_cast<std::uint32_t>(&i - function.code.data());
  return log.add({&function, number_, number, time, static_cast<std::uint16_t>(warp), touch,
                  form ? form->scope : Scope::none, form && form->is_volatile});
}

BlockState& BlockState::owner_of(std::uint64_t address) {
  const auto rank = address < Group::window_of(0) ? block_.rank() : (address >> Group::kRankShift) - 1;
  auto& group = block_.group();
  return rank < group.size() ? *group.member(static_cast<unsigned>(rank)).watch()->races() : *this;
}

bool BlockState::is_before_by_clocks(const Look& look, const Event& event, unsigned other, unsigned lane) const {
  const auto& clock = look.state.clocks[lane];
  return clock && clock->knows(event.block, event.warp, other, event.time);
}

// Whether what was done is ordered before what the lane does now.
bool BlockState::is_before(Look& look, Stamp stamp, unsigned lane) {
  const auto id = event_of(stamp);
  if (id < look.log.base()) return true;
  bool runs = (stamp & kRunning) != 0;
  if (id < look.ordered && (!runs || look.is_global)) return true;
  auto& known = look.answers[id % Look::kAnswers];
  if (known >> 1 == id && !runs) return (known & 1) != 0;
  const auto& event = look.log.event(id);
  const auto other = lane_of(stamp);
  runs = runs && event.block >> 32 == launch_.id;  // the end of a launch is that of its copies
  if (runs) return event.warp == kCopyWarp && is_before_by_clocks(look, event, other, lane);
  const auto answer = [&](bool is) {
    known = id << 1 | (is ? 1u : 0u);
    return is;
  };
  if (event.block == number_) {
    if (event.time < floor_) return answer(true);
    if (event.warp == look.warp.index()) {
      if (event.time < look.state.floor) return answer(true);
      if (other == lane && !(stamp & kSeveral)) return true;
      const auto& lanes = look.state.lanes;
      if (lanes && !(stamp & kSeveral) && event.time < (*lanes)[lane][other]) return true;
    }
  } else if (event.block >> 32 != launch_.id && launch_.is_after(event, other)) {
    return launch_.birth ? true : answer(true);  // of its parent, not all lanes
  }
  if (look.state.has_clocks) return is_before_by_clocks(look, event, other, lane);
  const bool holds_for_all = event.warp != look.warp.index() && !launch_.birth;
  return holds_for_all ? answer(false) : false;
}

// A reader beside others that are not ordered before it: of three, the one that is nearest to the new one goes.
void BlockState::add_reader(Look& look, Page& page, std::uint32_t number, Stamp own) {
  auto& cell = page.cells[number];
  if (page.others.empty()) page.others.resize(page.cells.size());
  auto& other = page.others[number];
  if (other != 0 && !is_before(look, other, lane_of(own))) {
    if (other & kFar) return;
    const auto &first = look.log.event(event_of(cell.read)), &second = look.log.event(event_of(other));
    const auto distance = [&](const Event& e) { return e.block != number_ ? 2 : e.warp != look.warp.index() ? 1 : 0; };
    if (distance(second) > distance(first)) {
      cell.read = own;
      if (distance(second) == 2) other |= kFar;
      return;
    }
  }
  other = cell.read | (look.log.event(event_of(cell.read)).block != number_ ? kFar : 0);
  cell.read = own;
}

// Whether the lane wrote it itself, and has handed on nothing since.
bool BlockState::is_plain_write_of(const Look& look, Stamp stamp, unsigned lane) const {
  if (stamp == 0 || (stamp & (kRunning | kSeveral)) != 0 || lane_of(stamp) != lane || event_of(stamp) < look.log.base())
    return false;
  const auto& event = look.log.event(event_of(stamp));
  return event.scope == Scope::none && event.block == number_ && event.warp == look.warp.index() &&
         event.time >= look.state.since;
}

template <bool writes>
void BlockState::touch_cell(Look& look, Page& page, std::uint32_t number, std::uint64_t address, unsigned lane) {
  auto& cell = page.cells[number];
  look.hazards = page.of_bytes ? 1 : 4;
  const Stamp own = look.own | lane;
  if (cell.write != 0 && cell.write != own && !is_before(look, cell.write, lane))
    conflict(look, cell.write, address, lane);
  if constexpr (writes) {
    if (cell.read != 0 && cell.read != own && !is_before(look, cell.read, lane))
      conflict(look, cell.read, address, lane);
    if (!page.others.empty()) {
      auto& other = page.others[number];
      if (other != 0 && !is_before(look, other, lane)) conflict(look, other, address, lane);
      other = 0;
    }
    // A plain write says more than an atomic change of its thread behind it: that one races with less.
    if (look.scope != Scope::none && is_plain_write_of(look, cell.write, lane)) return;
    cell = {own, 0};
  } else {
    if (cell.read == own) return;
    if (cell.read == 0 || event_of(cell.read) < look.log.base())
      cell.read = own;
    else if (event_of(cell.read) == event_of(own))
      cell.read |= kSeveral;
    else if (is_before(look, cell.read, lane)) {
      cell.read = own;
      if (!page.others.empty()) page.others[number] &= ~kFar;
    } else
      add_reader(look, page, number, own);
  }
}

template void BlockState::touch_cell<false>(Look&, Page&, std::uint32_t, std::uint64_t, unsigned);

template <bool writes>
inline void BlockState::touch(Look& look, std::uint64_t address, unsigned lane) {
  each_cell(look.log, address, look.size,
            [&](Page& page, std::uint32_t number) { touch_cell<writes>(look, page, number, address, lane); });
}

namespace {

// Of these lanes, those that access another address.
Mask elsewhere(const std::uint64_t* addresses, std::uint64_t address, Mask lanes) {
  Mask same = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) same |= Mask{addresses[lane] == address ? 1u : 0u} << lane;
  return lanes & ~same;
}

}  // namespace

// Most accesses are to whole words, side by side or all to one place.
template <bool writes>
inline void BlockState::touch_lanes(Look& look, const std::uint64_t* addresses, Mask lanes) {
  Page* page = nullptr;
  std::uint64_t number = 0;
  for (Mask left = lanes; left != 0;) {
    const auto lane = first_of(left);
    const auto address = addresses[lane];
    left &= left - 1;
    if (look.size != 4) {
      touch<writes>(look, address, lane);
    } else {
      if (!page || address >> Page::kShift != number) {
        number = address >> Page::kShift;
        page = &look.log.page(address);
      }
      if (page->of_bytes)
        touch<writes>(look, address, lane);
      else
        touch_cell<writes>(look, *page, (address & (Page::kBytes - 1)) / 4, address, lane);
    }
    if (writes || left == 0 || addresses[first_of(left)] != address) continue;
    each_cell(look.log, address, look.size, [&](Page& of, std::uint32_t k) {
      if (event_of(of.cells[k].read) == event_of(look.own)) of.cells[k].read |= kSeveral;
    });
    left = elsewhere(addresses, address, left);
  }
}

void BlockState::look_at(Look& look, const std::uint64_t* addresses, Mask lanes, bool writes) {
  if (touch_row(look, addresses, lanes, writes)) return;
  if (writes)
    touch_lanes<true>(look, addresses, lanes);
  else
    touch_lanes<false>(look, addresses, lanes);
}

void BlockState::access(Warp& w, const Instruction& i, const CheckedForm& form, const std::uint64_t* addresses,
                        Mask lanes) {
  if (i.space == Space::shared || i.space == Space::global) {
    access(w, i, i.space, form.touch, form.size, addresses, lanes);
    if (form.scope != Scope::none && (i.space == Space::shared || launch_.looks_at_global))
      synchronize(w, form, addresses, lanes, i.space == Space::global);
    return;
  }
  if (i.space != Space::generic) return;
  std::uint64_t own[kLanes];
  Mask in_shared = 0, in_global = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    const auto window = addresses[lane] & kWindows;
    const bool is_shared = window == kSharedWindow;
    const bool is_global = !is_shared && window != kLocalWindow && window != kParamWindow;
    own[lane] = is_shared ? addresses[lane] - window : addresses[lane];
    (is_shared ? in_shared : in_global) |= Mask{is_shared || is_global ? 1u : 0u} << lane;
  }
  if (!launch_.looks_at_global) in_global = 0;
  for (const auto& [mask, space] : {std::pair{in_shared, Space::shared}, std::pair{in_global, Space::global}}) {
    if (mask == 0) continue;
    access(w, i, space, form.touch, form.size, own, mask);
    if (form.scope != Scope::none) synchronize(w, form, own, mask, space == Space::global);
  }
}

void BlockState::access(Warp& w, const Instruction& i, Space space, Touch touch, std::uint32_t size,
                        const std::uint64_t* addresses, Mask lanes) {
  const bool is_global = space == Space::global;
  if (is_global && !launch_.looks_at_global) return;
  const auto& form = checked_form(*w.frame().function, i);
  const bool is_known = form.size != 0;  // a load, store or atomic change
  auto* log = is_global ? &shared().global : &log_;
  const auto id = event_for(w, i, form, touch, is_global);
  Look look{w,
            i,
            is_known ? &form : nullptr,
            state(w),
            *log,
            touch,
            form.scope,
            form.is_volatile,
            size,
            id << kEventShift,
            is_global ? launch_.first_global : first_event_,
            is_global,
            addresses};
  if (is_global || !is_in_cluster_) return look_at(look, addresses, lanes, touch != Touch::reads);
  // Shared memory of a block of the cluster; each one has what was done to its own.
  std::uint64_t own[kLanes];
  look.addresses = own;
  for (Mask left = lanes; left != 0;) {
    auto& of = owner_of(addresses[first_of(left)]);
    Mask here = 0;
    for (Mask rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = first_of(rest);
      own[lane] = Group::offset_of(addresses[lane]);
      if (&owner_of(addresses[lane]) == &of) here |= Mask{1} << lane;
    }
    left &= ~here;
    if (&of == this) {
      look_at(look, own, here, touch != Touch::reads);
      continue;
    }
    const auto far = new_event(of.log_, w, i, touch, w.index(), shared().now, &form);
    Look other{w,
               i,
               look.form,
               look.state,
               of.log_,
               touch,
               form.scope,
               form.is_volatile,
               size,
               far << kEventShift,
               of.first_event_,
               false,
               own,
               &of.block_};
    look_at(other, own, here, touch != Touch::reads);
  }
}

}  // namespace nvmlkit::ptx::races
