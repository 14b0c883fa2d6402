#include "ptx/check/races/clock.hpp"

#include <algorithm>

namespace nvmlkit::ptx::races {
namespace {

using Part = std::pair<std::uint32_t, Time>;

Time time_of(const Known& known, std::uint32_t part) {
  const auto at = std::ranges::lower_bound(known.parts, part, {}, &Part::first);
  return at == known.parts.end() || at->first != part ? 0 : at->second;
}

bool covers(const Known& a, const Known& b) {
  return a.all >= b.all && std::ranges::all_of(b.parts, [&](const Part& p) {
           return (p.second <= a.all && p.first / 64 != kCopyWarp) || p.second <= time_of(a, p.first);
         });
}

bool covers(const Clock& a, const Clock& b) {
  return std::ranges::all_of(b.blocks, [&](const Known& known) {
    const auto* const own = a.of(known.block);
    return own && covers(*own, known);
  });
}

Known joined(const Known& a, const Known& b) {
  Known out{a.block, std::max(a.all, b.all), {}};
  const auto take = [&](Part p) {
    if (p.second > out.all || p.first / 64 == kCopyWarp) out.parts.push_back(p);
  };
  auto i = a.parts.begin(), j = b.parts.begin();
  while (i != a.parts.end() || j != b.parts.end()) {
    if (j == b.parts.end() || (i != a.parts.end() && i->first < j->first))
      take(*i++);
    else if (i == a.parts.end() || j->first < i->first)
      take(*j++);
    else
      take({i->first, std::max(i->second, j->second)}), ++i, ++j;
  }
  return out;
}

Clock joined(const Clock& a, const Clock& b) {
  Clock out;
  auto i = a.blocks.begin(), j = b.blocks.begin();
  while (i != a.blocks.end() || j != b.blocks.end()) {
    if (j == b.blocks.end() || (i != a.blocks.end() && i->block < j->block))
      out.blocks.push_back(*i++);
    else if (i == a.blocks.end() || j->block < i->block)
      out.blocks.push_back(*j++);
    else
      out.blocks.push_back(joined(*i++, *j++));
  }
  return out;
}

}  // namespace

const Known* Clock::of(std::uint64_t block) const {
  const auto at = std::ranges::lower_bound(blocks, block, {}, &Known::block);
  return at == blocks.end() || at->block != block ? nullptr : &*at;
}

bool Clock::knows(std::uint64_t block, std::uint32_t warp, std::uint32_t lane, Time time) const {
  const auto* const known = of(block);
  if (!known) return false;
  if (warp != kCopyWarp && time < known->all) return true;
  return time < time_of(*known, part_of(warp, lane)) || time < time_of(*known, part_of(warp, kWholeWarp));
}

ClockRef joined(const ClockRef& a, const ClockRef& b) {
  if (!b || a == b) return a;
  if (!a || covers(*b, *a)) return b;
  if (covers(*a, *b)) return a;
  return std::make_shared<const Clock>(joined(*a, *b));
}

ClockRef with(const ClockRef& clock, const Known& known) {
  Clock one;
  one.blocks.push_back(known);
  return joined(clock, std::make_shared<const Clock>(std::move(one)));
}

}  // namespace nvmlkit::ptx::races
