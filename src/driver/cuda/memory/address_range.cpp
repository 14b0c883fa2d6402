#include "driver/cuda/memory/address_range.hpp"

#include <sys/mman.h>

#include <iterator>

namespace nvmlkit::cuda {
namespace {

void* map_without_access(std::uint64_t size) {
  return mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace

AddressRange::~AddressRange() {
  if (size_) munmap(reinterpret_cast<void*>(start_), size_);
}

bool AddressRange::are_free(std::uint64_t size) {
  void* const at = map_without_access(size);
  return at != MAP_FAILED && munmap(at, size) == 0;
}

bool AddressRange::reserve(std::uint64_t size, std::uint64_t alignment) {
  const auto length = size + alignment;
  void* const at = map_without_access(length);
  if (at == MAP_FAILED) return false;
  const auto first = reinterpret_cast<CUdeviceptr>(at);
  start_ = (first + alignment - 1) / alignment * alignment;
  size_ = size;
  if (start_ > first) munmap(at, start_ - first);
  if (const auto rest = first + length - (start_ + size); rest > 0)
    munmap(reinterpret_cast<void*>(start_ + size), rest);
  free_.emplace(start_, size_);
  return true;
}

CUdeviceptr AddressRange::take(std::uint64_t size) { return take_whole(size + red_zone); }

void AddressRange::give_back(CUdeviceptr address, std::uint64_t size) { give_back_whole(address, size + red_zone); }

CUdeviceptr AddressRange::take_whole(std::uint64_t size) {
  const auto taken = take_free(size);
  if (taken != 0 || given_back_.empty()) return taken;
  for (const auto& [address, length] : std::exchange(given_back_, {})) join(address, length);
  return take_free(size);
}

void AddressRange::give_back_whole(CUdeviceptr address, std::uint64_t size) {
  if (red_zone == 0) return join(address, size);
  given_back_.emplace_back(address, size);
}

CUdeviceptr AddressRange::take_free(std::uint64_t size) {
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->second < size) continue;
    const auto [address, room] = *at;
    free_.erase(at);
    if (room > size) free_.emplace(address + size, room - size);
    return address;
  }
  return 0;
}

void AddressRange::join(CUdeviceptr address, std::uint64_t size) {
  auto after = free_.lower_bound(address);
  if (after != free_.end() && address + size == after->first) {
    size += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      before->second += size;
      return;
    }
  }
  free_.emplace(address, size);
}

}  // namespace nvmlkit::cuda
