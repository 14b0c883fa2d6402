#include "ptx/run/worker.hpp"

#include <algorithm>
#include <utility>

#include "ptx/compile/compiled.hpp"

namespace nvmlkit::ptx {

bool Worker::look() {
  looked_at_ = instructions;
  if (is_callers && grid.tick)
    if (const auto now = Clock::now(); now >= next_look_) {
      next_look_ = now + std::chrono::milliseconds(20);
      grid.tick(grid.tick_of);
    }
  return !ended.load(std::memory_order_relaxed) && !(grid.stop && grid.stop->load(std::memory_order_relaxed));
}

std::byte* Worker::find(std::uint64_t address, std::uint64_t size, bool writes) {
  const auto now = releases.load(std::memory_order_acquire);
  if (now != known_since_) {
    for (auto& region : recent_) region = {};
    for (auto& region : read_only_) region = {};
    known_since_ = now;
  }
  const auto is_in = [&](const Region& region) {
    return address - region.start < region.size && size <= region.size - (address - region.start);
  };
  if (!writes)
    for (const auto& region : read_only_)
      if (is_in(region)) return region.bytes + (address - region.start);
  Region found;
  if (!grid.memory->find(address, found)) return nullptr;
  if (!is_in(found) || (writes && found.is_read_only)) return nullptr;
  auto& kept = (found.is_read_only ? read_only_ : recent_)[next_++ % kRemembered];
  kept = std::move(found);
  return kept.bytes + (address - kept.start);
}

std::byte* Worker::written(std::uint64_t address) const {
  for (const auto* const regions : {recent_, read_only_})
    for (unsigned k = 0; k < kRemembered; ++k)
      if (const auto& region = regions[k]; address - region.start < region.size)
        return region.written ? region.written + (address - region.start) : nullptr;
  return nullptr;
}

Reached* Worker::make_reached(const NumberedPiece& code) {
  const auto now = releases.load(std::memory_order_acquire);
  if (now != reached_since_) {
    reached_.clear();
    held_.clear();
    reached_since_ = now;
  }
  if (reached_.size() <= code.number) reached_.resize(code.number + 1);
  auto& out = reached_[code.number];
  if (!out) out = std::make_unique<Reached[]>(code.piece.places);
  return out.get();
}

void Worker::remember(std::uint64_t address, bool writes, Reached& out) {
  Region found;
  if (!grid.memory->find(address, found) || (writes && found.is_read_only)) return;
  out = {found.start, found.size, reinterpret_cast<std::uintptr_t>(found.bytes) - found.start};
  if (found.holder && std::ranges::find(held_, found.holder) == held_.end()) held_.push_back(std::move(found.holder));
}

bool Worker::release(std::uint64_t address) {
  const bool out = grid.memory->release(address);
  releases.fetch_add(1, std::memory_order_release);
  return out;
}

}  // namespace nvmlkit::ptx
