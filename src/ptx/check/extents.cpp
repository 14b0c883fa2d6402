#include "ptx/check/extents.hpp"

#include <algorithm>

namespace nvmlkit::ptx {

void Extents::sort() { std::ranges::sort(all_, {}, &Extent::start); }

const Extent* Extents::before(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(all_, address, {}, &Extent::start);
  return next == all_.begin() ? nullptr : &*std::prev(next);
}

const Extent* Extents::nearest(std::uint64_t address) const {
  const auto* const last = before(address);
  const auto* const next = last ? last + 1 : all_.data();
  if (next == all_.data() + all_.size()) return last;
  if (!last) return next;
  const auto end = last->start + last->size;
  const auto behind = address < end ? 0 : address - end;
  return behind <= next->start - address ? last : next;
}

}  // namespace nvmlkit::ptx
