#include "driver/cuda/memory/device_addresses.hpp"

#include <iterator>

namespace nvmlkit::cuda {
namespace {

// Blocks are looked through in the order of their addresses, and no more of them than that: a program may have
// thousands with a little room each.
constexpr int kTries = 256;

bool is_shared(std::uint64_t size) {
  return size <= DeviceAddresses::kLargestShared && size + AddressRange::red_zone <= DeviceAddresses::kBlock;
}

}  // namespace

DeviceAddresses::Taken DeviceAddresses::take(std::uint64_t size, std::uint64_t most) {
  if (!is_shared(size)) {
    const auto whole = in_blocks(size);
    if (whole < size || whole > most) return {};
    return {take_blocks(size), whole};
  }
  const auto rounded = AddressRange::rounded(size);
  if (const auto address = take_shared(rounded)) return {address, 0};
  if (most < kBlock) return {};
  const auto block = range_.take_whole(kBlock);
  if (block == 0) return {};
  auto& shared = shared_[block];
  shared.free.lend(block, kBlock);
  roomy_.emplace(block, &shared);
  return {take_shared(rounded), kBlock};
}

CUdeviceptr DeviceAddresses::take_shared(std::uint64_t size) {
  int tries = 0;
  for (auto at = roomy_.begin(); at != roomy_.end() && tries < kTries; ++at) {
    auto& shared = *at->second;
    if (size >= shared.refused) continue;
    ++tries;
    const auto address = shared.free.take(size);
    if (address == 0) {
      shared.refused = size;
      continue;
    }
    shared.used += size;
    if (shared.free.is_spent()) roomy_.erase(at);
    return address;
  }
  return 0;
}

std::uint64_t DeviceAddresses::give_back(CUdeviceptr address, std::uint64_t size) {
  if (!is_shared(size)) {
    give_blocks_back(address, size);
    return in_blocks(size);
  }
  const auto rounded = AddressRange::rounded(size);
  const auto at = std::prev(shared_.upper_bound(address));
  auto& shared = at->second;
  shared.free.give_back(address, rounded);
  shared.used -= rounded;
  shared.refused = kBlock;
  if (shared.used != 0) {
    roomy_.emplace(at->first, &shared);
    return 0;
  }
  const auto block = at->first;
  roomy_.erase(block);
  shared_.erase(at);
  range_.give_back_whole(block, kBlock);
  return kBlock;
}

CUdeviceptr DeviceAddresses::take_blocks(std::uint64_t size) {
  return range_.take_whole(in_blocks(size + AddressRange::red_zone));
}

void DeviceAddresses::give_blocks_back(CUdeviceptr address, std::uint64_t size) {
  range_.give_back_whole(address, in_blocks(size + AddressRange::red_zone));
}

}  // namespace nvmlkit::cuda
