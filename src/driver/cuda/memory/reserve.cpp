#include "driver/cuda/memory/reserve.hpp"

#include <algorithm>

namespace nvmlkit::cuda {

MemoryReserve::~MemoryReserve() {
  if (usage_.reserved > 0) device_.give_back(usage_.reserved);
}

bool MemoryReserve::take(std::uint64_t size, std::uint64_t most) {
  const auto rounded = AddressRange::rounded(size);
  const std::lock_guard lock(mutex_);
  auto& u = usage_;
  if (rounded < size || rounded > ~std::uint64_t{0} - u.used) return false;
  const auto wanted = u.used + rounded;
  if (most != 0 && wanted > most) return false;
  if (wanted > u.reserved) {
    if (!device_.take(wanted - u.reserved)) return false;
    u.reserved = wanted;
  }
  u.used = wanted;
  u.used_high = std::max(u.used_high, u.used);
  u.reserved_high = std::max(u.reserved_high, u.reserved);
  return true;
}

void MemoryReserve::give_back(std::uint64_t size, std::uint64_t kept) {
  const std::lock_guard lock(mutex_);
  usage_.used -= AddressRange::rounded(size);
  shrink(kept);
}

void MemoryReserve::trim(std::uint64_t least) {
  const std::lock_guard lock(mutex_);
  shrink(least);
}

void MemoryReserve::shrink(std::uint64_t least) {
  const auto target = std::max(usage_.used, least);
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
