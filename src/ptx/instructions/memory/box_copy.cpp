#include "ptx/instructions/memory/box_copy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/run/block.hpp"

namespace nvmlkit::ptx {
namespace {

// Where a byte of a box lies in shared memory: 16 bytes each are exchanged within a row, by the number of the row.
std::uint64_t swizzled(std::uint64_t address, TensorMap::Swizzle swizzle) {
  const std::uint64_t bits = (1u << static_cast<unsigned>(swizzle)) - 1;
  return address ^ ((address >> 7 & bits) << 4);
}

}  // namespace

BoxCopy::BoxCopy(Warp& w, const Instruction& i, unsigned lane, const TensorMap& map)
    : w_(w), i_(i), lane_(lane), copy_(std::bit_cast<TensorCopy>(i.immediate)), map_(map) {
  for (unsigned k = 0; k < map.rank; ++k)
    at_[k] = static_cast<std::int32_t>(number_at(w, i, kBoxCoordinates + k, lane));
  const auto size = map.element_size();
  row_bytes_ = map.box[0] * size;
  const unsigned span = map.swizzle == TensorMap::Swizzle::none ? 0 : 16u << static_cast<unsigned>(map.swizzle);
  pitch_ = std::max(row_bytes_, span);
}

bool BoxCopy::copy(std::uint64_t shared) {
  shared_ = shared;
  rows_ = 0;
  return copy_.is_columns ? columns() : rows(map_.rank - 1);
}

bool BoxCopy::rows(unsigned dimension) {
  if (dimension == 0) return row();
  const auto start = at_[dimension];
  for (unsigned k = 0; k < map_.box[dimension]; k += map_.steps[dimension]) {
    at_[dimension] = start + static_cast<std::int64_t>(k);
    if (!rows(dimension - 1)) return false;
  }
  at_[dimension] = start;
  return true;
}

bool BoxCopy::columns() {
  const unsigned spatial = map_.rank - 2u;
  std::int64_t base[3];
  std::copy_n(at_ + 1, spatial, base);
  for (unsigned pixel = 0; pixel < map_.box[1]; ++pixel) {
    for (unsigned k = 0; k < spatial; ++k) {
      const auto offset = copy_.is_store ? 0 : w_.at<std::uint16_t>(operand(kBoxOffsets + k))[lane_];
      at_[1 + k] = base[k] + offset;
    }
    if (!row()) return false;
    for (unsigned k = 0; k <= spatial; ++k) {
      if (k == spatial) {
        ++at_[map_.rank - 1];
        break;
      }
      base[k] += map_.steps[1 + k];
      if (base[k] <= std::int64_t{map_.last[1 + k]} + map_.upper[k]) break;
      base[k] = map_.lower[k];
    }
  }
  return true;
}

BoxCopy::Row BoxCopy::place_of_row() {
  const auto size = map_.element_size();
  Row out{shared_ + rows_++ * pitch_, map_.address, 0, 0};
  for (unsigned k = 1; k < map_.rank; ++k) {
    if (at_[k] < 0 || at_[k] > std::int64_t{map_.last[k]}) return out;
    out.global += static_cast<std::uint64_t>(at_[k]) * map_.strides[k - 1];
  }
  const auto first = std::clamp<std::int64_t>(-at_[0], 0, map_.box[0]);
  const auto end = std::clamp<std::int64_t>(std::int64_t{map_.last[0]} + 1 - at_[0], first, map_.box[0]);
  out.global += static_cast<std::uint64_t>(at_[0] + first) * size;
  out.from = static_cast<unsigned>(first) * size;
  out.until = static_cast<unsigned>(end) * size;
  return out;
}

bool BoxCopy::row() {
  const auto place = place_of_row();
  if (!list_) return copy_row(place);
  list_row(place);
  return true;
}

bool BoxCopy::copy_row(const Row& row) {
  std::byte* global = nullptr;
  if (row.until > row.from) {
    global = w_.block.worker().global(row.global, row.until - row.from, i_);
    if (!global) {
      w_.fault(FaultKind::illegal_address, row.global, i_, lane_);
      return false;
    }
  }
  for (unsigned at = 0; at < row_bytes_; at += 16) {
    auto* const bytes = w_.resolve(Space::shared, i_, swizzled(row.shared + at, map_.swizzle), 16, lane_);
    if (!bytes) return false;
    const auto low = std::clamp(row.from, at, at + 16), high = std::clamp(row.until, low, at + 16);
    if (copy_.is_store) {
      if (high > low) put(global + (low - row.from), bytes + (low - at), high - low);
      continue;
    }
    if (high - low < 16) fill(bytes);
    if (high > low) std::memcpy(bytes + (low - at), global + (low - row.from), high - low);
  }
  return true;
}

void BoxCopy::list(std::uint64_t shared, TouchedBytes& out) {
  list_ = &out;
  copy(shared);
  list_ = nullptr;
}

void BoxCopy::list_row(const Row& row) {
  const auto lane = static_cast<std::uint8_t>(lane_);
  const bool copies = copy_.how == Reduction::copy;
  const auto add = [&](Space space, std::uint64_t address, std::uint32_t size, Touch touch, bool is_copy) {
    list_->push_back({address, size, 1, touch, space, lane, is_copy});
  };
  const auto step = map_.swizzle == TensorMap::Swizzle::none ? row_bytes_ : 16;
  for (unsigned at = 0; at < row_bytes_; at += step) {
    const auto shared = swizzled(row.shared + at, map_.swizzle);
    const auto low = std::clamp(row.from, at, at + step), high = std::clamp(row.until, low, at + step);
    if (!copy_.is_store && low > at) add(Space::shared, shared, low - at, Touch::writes, false);
    if (!copy_.is_store && at + step > high)
      add(Space::shared, shared + (high - at), at + step - high, Touch::writes, false);
    if (high == low) continue;
    const auto near = shared + (low - at), far = row.global + (low - row.from);
    add(copy_.is_store ? Space::shared : Space::global, copy_.is_store ? near : far, high - low, Touch::reads, false);
    if (copy_.is_store)
      add(Space::global, far, high - low, copies ? Touch::writes : Touch::changes, copies);
    else
      add(Space::shared, near, high - low, Touch::writes, true);
  }
}

void BoxCopy::put(std::byte* to, const std::byte* from, std::size_t size) const {
  if (copy_.how == Reduction::copy)
    std::memcpy(to, from, size);
  else
    reduce(copy_.how, TensorMap::element(map_.type), to, from, size);
}

void BoxCopy::fill(std::byte* bytes) const {
  std::memset(bytes, map_.fills_with_nan ? 0xFF : 0, 16);
  if (!map_.fills_with_nan) return;
  const auto size = map_.element_size();
  for (unsigned at = size - 1; at < 16; at += size) bytes[at] = std::byte{0x7F};
}

}  // namespace nvmlkit::ptx
