#include "driver/cuda/memory/reserve.hpp"

#include <algorithm>

namespace nvmlkit::cuda {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 62;

}  // namespace

MemoryReserve::~MemoryReserve() {
  if (usage_.reserved > 0) device_.give_back(usage_.reserved);
}

bool MemoryReserve::take(std::uint64_t size, std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  auto& u = usage_;
  if (size > kMost - u.used) return false;
  const auto wanted = u.used + size;
  if (most != 0 && wanted > most) return false;
  if (wanted > u.reserved) {
    const auto whole = most == 0 ? in_chunks(wanted) : std::min(in_chunks(wanted), most);
    const bool has_chunks = device_.take(whole - u.reserved);
    // The last memory of a GPU is too little for a chunk.
    const auto exact = DeviceAddresses::in_blocks(wanted);
    if (!has_chunks && (exact <= u.reserved || !device_.take(exact - u.reserved))) return false;
    u.reserved = has_chunks ? whole : exact;
  }
  u.used = wanted;
  u.used_high = std::max(u.used_high, u.used);
  u.reserved_high = std::max(u.reserved_high, u.reserved);
  return true;
}

void MemoryReserve::give_back(std::uint64_t size, std::uint64_t kept) {
  const std::lock_guard lock(mutex_);
  usage_.used -= size;
  shrink(kept);
}

void MemoryReserve::trim(std::uint64_t least) {
  const std::lock_guard lock(mutex_);
  shrink(least);
}

void MemoryReserve::shrink(std::uint64_t least) {
  // A chunk beyond what is to be kept goes as a whole.
  const auto target = std::max(in_chunks(usage_.used), std::min(least, kMost) / chunk_ * chunk_);
  if (target >= usage_.reserved) return;
  device_.give_back(usage_.reserved - target);
  usage_.reserved = target;
}

MemoryReserve::Usage MemoryReserve::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

void MemoryReserve::forget_used_high() {
  const std::lock_guard lock(mutex_);
  usage_.used_high = usage_.used;
}

void MemoryReserve::forget_reserved_high() {
  const std::lock_guard lock(mutex_);
  usage_.reserved_high = usage_.reserved;
}

}  // namespace nvmlkit::cuda
