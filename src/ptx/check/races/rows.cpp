// Accesses of a whole warp to words side by side: usually one decision holds for all of them.
#include <algorithm>

#include "ptx/check/races/look.hpp"

namespace nvmlkit::ptx::races {
namespace {

bool are_side_by_side(const std::uint64_t* addresses, std::uint32_t size) {
  std::uint64_t differs = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    differs |= addresses[lane] ^ (addresses[0] + std::uint64_t{lane} * size);
  return differs == 0;
}

// Cells of a row, and the other readers of each; null where the page has none.
struct Row {
  Cell* cells;
  Stamp* others;
  unsigned count;
};

// Whether all of these stamps are of events below a limit that are done. 0 is one.
template <class F>
bool all_below(const Row& row, std::uint32_t limit, F stamp_of) {
  unsigned above = 0;
  for (unsigned k = 0; k < row.count; ++k) {
    const Stamp stamp = stamp_of(k) & ~kFar;
    above |= (stamp >> kEventShift >= limit ? 1u : 0u) | (stamp & kRunning);
  }
  return above == 0;
}

template <class F>
bool all_are_far(const Row& row, std::uint32_t base, F stamp_of) {
  unsigned others = 0;
  for (unsigned k = 0; k < row.count; ++k) {
    const Stamp stamp = stamp_of(k);
    others |= (stamp & kFar) == 0 || event_of(stamp) < base ? 1u : 0u;
  }
  return others == 0;
}

}  // namespace

// A read of a row that needs no look at each cell: nobody has read it yet, or two blocks have.
bool BlockState::read_row(const Look& look, Cell* cells, Stamp* others, unsigned count) const {
  const Row row{cells, others, count};
  if (!all_below(row, look.ordered, [&](unsigned k) { return cells[k].write; })) return false;
  if (all_below(row, look.log.base(), [&](unsigned k) { return cells[k].read; })) {
    const auto of_lane = count / kLanes;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned k = 0; k < of_lane; ++k) cells[lane * of_lane + k].read = look.own | lane;
    return true;
  }
  if (!others || look.state.has_clocks) return false;
  if (all_are_far(row, look.log.base(), [&](unsigned k) { return others[k]; })) return true;
  return false;
}

// A word that nobody writes: each reader of it, where the last one is of this launch and of another block. False: look.
bool BlockState::read_far(const Look& look, Cell& cell, Stamp& other, Stamp own, FarReader& last) const {
  const auto event = event_of(cell.read);
  if (event < look.log.base()) {
    cell.read = own;
    return true;
  }
  if (event != last.event) last = {event, event >= look.ordered && look.log.event(event).block != number_};
  if (!last.is_far || (cell.read & kRunning) != 0) return false;
  if (event_of(other) >= look.log.base()) return (other & kFar) != 0;
  other = cell.read | kFar;
  cell.read = own;
  return true;
}

// A write of a row of which all that was done before is ordered before.
bool BlockState::write_row(const Look& look, Cell* cells, Stamp* others, unsigned count) {
  const Row row{cells, others, count};
  if (look.scope != Scope::none || !all_below(row, look.ordered, [&](unsigned k) { return cells[k].write; }) ||
      !all_below(row, look.ordered, [&](unsigned k) { return cells[k].read; }))
    return false;
  if (others && !all_below(row, look.ordered, [&](unsigned k) { return others[k]; })) return false;
  const auto of_lane = count / kLanes;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned k = 0; k < of_lane; ++k) cells[lane * of_lane + k] = {look.own | lane, 0};
  if (others) std::fill_n(others, count, 0u);
  return true;
}

// False: each lane has to be looked at.
bool BlockState::touch_row(Look& look, const std::uint64_t* addresses, Mask lanes, bool writes) {
  if (lanes != kAllLanes || (look.size & 3) != 0 || (addresses[0] & 3) != 0) return false;
  const auto offset = addresses[0] & (Page::kBytes - 1), length = std::uint64_t{look.size} * kLanes;
  if (offset + length > Page::kBytes || !are_side_by_side(addresses, look.size)) return false;
  auto& page = look.log.page(addresses[0]);
  if (page.of_bytes || (look.own & kRunning) != 0) return false;
  auto* const others = page.others.empty() ? nullptr : page.others.data() + offset / 4;
  auto* const cells = page.cells.data() + offset / 4;
  const auto count = static_cast<unsigned>(length / 4);
  if (writes) return write_row(look, cells, others, count);
  if (read_row(look, cells, others, count)) return true;
  if (look.state.has_clocks || !others ||
      !all_below({cells, others, count}, look.ordered, [&](unsigned k) { return cells[k].write; }))
    return false;
  FarReader last;
  for (unsigned k = 0; k < count; ++k) {
    const auto lane = k / (count / kLanes);
    if (!read_far(look, cells[k], others[k], look.own | lane, last))
      touch_cell<false>(look, page, static_cast<std::uint32_t>(offset / 4) + k, addresses[lane], lane);
  }
  return true;
}

}  // namespace nvmlkit::ptx::races
