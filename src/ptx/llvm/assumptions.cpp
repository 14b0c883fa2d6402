#include "ptx/llvm/assumptions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/llvm/thread_numbers.hpp"
#include "ptx/run/special.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// The same in all blocks of a launch, and often of all launches.
bool is_of_launch(std::uint32_t offset) {
  return offset >= offsetof(SpecialValues, ntid) && offset < offsetof(SpecialValues, ctaid);
}

}  // namespace

// Data are never assumed to be as they are in one warp: others have other data.
const Shape& Assumptions::assume(std::map<Key, Shape> Common::*kind, std::map<Key, Shape>& assumed, Key key,
                                 const Shape& now, bool is_data) {
  auto common = now;
  if (before_)
    if (const auto known = (before_->common_.*kind).find(key); known != (before_->common_.*kind).end())
      common = join(now, known->second);
  // Nothing is known of the warps of earlier processes. A single lane is like itself.
  if (takes_common_ && !before_ && (is_data || std::popcount(warp_->lanes) == 1) && kind == &Common::registers)
    common = Shape::any();
  (common_.*kind)[key] = common;
  return assumed[key] = takes_common_ || is_data ? common : now;
}

const Shape& Assumptions::of_register(Key key) {
  if (const auto known = registers_.find(key); known != registers_.end()) return known->second;
  Shape now = observed(warp_->registers + key.offset, key.size, warp_->lanes);
  // Data are alike by chance, except where they are equal or the next numbers: of an index.
  const bool is_data = data_.contains(key);
  if (is_data && !now.is_any && !now.is_same() && !now.is_row(now.more[1])) now = Shape::any();
  if (key.size == 0) {
    Mask mask = 0;
    std::memcpy(&mask, warp_->registers + key.offset, sizeof mask);
    mask &= warp_->lanes;
    if (mask == 0 || mask == warp_->lanes) now = Shape::same();
    if (mask == 0 || mask == warp_->lanes) now.example = mask != 0;
  }
  return assume(&Common::registers, registers_, key, now, is_data);
}

std::pair<std::uint64_t, std::uint64_t> Assumptions::range_of(Key key) const {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(warp_->lanes >> lane & 1)) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, warp_->registers + key.offset + lane * key.size, key.size);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return {least, most};
}

const Shape& Assumptions::of_special(Key key) {
  if (const auto known = special_.find(key); known != special_.end()) return known->second;
  Shape now = observed(warp_->special + key.offset, key.size, kAllLanes);
  if (now.is_same() && is_of_launch(key.offset)) {
    std::uint32_t value = 0;
    std::memcpy(&value, warp_->special + key.offset, sizeof value);
    now.value = value;
  }
  return assume(&Common::special, special_, key, now, /*is_data=*/false);
}

bool Assumptions::follows_from_block(Key special, const Shape& shape) {
  constexpr std::uint32_t kRow = sizeof(SpecialValues::tid[0]);
  static_assert(offsetof(SpecialValues, tid) == 0);
  const auto dimension = special.offset / kRow;
  if (dimension >= 3) return false;
  std::uint32_t now[2];
  for (unsigned k = 0; k < 2; ++k)
    std::memcpy(&now[k], warp_->special + offsetof(SpecialValues, ntid) + k * kRow, sizeof now[k]);
  if (!have_in_all_warps(shape, dimension, now[0], now[1])) return false;
  // Of blocks as wide as some warps, the height does not matter.
  const unsigned sizes = dimension == 0 || now[0] % kLanes == 0 ? 1 : 2;
  for (unsigned k = 0; k < sizes; ++k)
    if (!of_special({static_cast<std::uint32_t>(offsetof(SpecialValues, ntid)) + k * kRow, 4}).value) return false;
  return true;
}

const Shape& Assumptions::of_param(Key key) {
  if (const auto known = params_.find(key); known != params_.end()) return known->second;
  Shape now = Shape::same();
  const std::uint64_t end = std::uint64_t{key.offset} + key.size;
  if (end <= warp_->param_bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, warp_->params + key.offset, key.size);
    now.example = value;
    const bool varies = warp_->varied && std::any_of(warp_->varied + key.offset, warp_->varied + end,
                                                     [](std::byte b) { return b != std::byte{0}; });
    if (!varies) now.value = value;
  }
  return assume(&Common::params, params_, key, now, /*is_data=*/true);
}

}  // namespace nvmlkit::ptx::jit
