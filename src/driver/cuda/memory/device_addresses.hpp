// Addresses and counted bytes of a GPU's memory, as its driver hands them out: blocks of 2 MiB at multiples of 2 MiB.
// Allocations of at most 1 MiB share blocks.
#pragma once

#include <cstdint>
#include <map>

#include "driver/cuda/memory/address_range.hpp"

namespace nvmlkit::cuda {

class DeviceAddresses {
 public:
  static constexpr std::uint64_t kBlock = 2 << 20, kLargestShared = 1 << 20;
  static constexpr std::uint64_t in_blocks(std::uint64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

  explicit operator bool() const { return bool{range_}; }
  bool reserve(std::uint64_t size) { return range_.reserve(size, kBlock); }
  bool contains(CUdeviceptr address) const { return range_.contains(address); }

  struct Taken {
    CUdeviceptr address = 0;    // 0: no room
    std::uint64_t counted = 0;  // bytes that the GPU has less
  };
  // At most `most` bytes of the GPU may go to it.
  Taken take(std::uint64_t size, std::uint64_t most);
  // The bytes that the GPU has again.
  std::uint64_t give_back(CUdeviceptr address, std::uint64_t size);

  // Addresses alone.
  CUdeviceptr take_blocks(std::uint64_t size);
  void give_blocks_back(CUdeviceptr address, std::uint64_t size);

 private:
  struct Shared {
    AddressRange free;
    std::uint64_t used = 0;
    std::uint64_t refused = kBlock;  // no piece of this size or more is free
  };
  CUdeviceptr take_shared(std::uint64_t size);

  AddressRange range_;
  std::map<CUdeviceptr, Shared> shared_;  // blocks with several allocations
  std::map<CUdeviceptr, Shared*> roomy_;  // those of them with free pieces
};

}  // namespace nvmlkit::cuda
