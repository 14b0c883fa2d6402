// Memory of a GPU that is kept for the next allocation when its user ends: of a pool, of graphs.
#pragma once

#include <cstdint>
#include <mutex>

#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda {

class MemoryReserve {
 public:
  // Grows and shrinks by chunks, as an H100 with driver 580 has them for pools.
  static constexpr std::uint64_t kChunkOfPools = 32 << 20;
  explicit MemoryReserve(Device& device, std::uint64_t chunk = kChunkOfPools) : device_(device), chunk_(chunk) {}
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  Device& device() const { return device_; }

  // False: the GPU has no more, or the most that the reserve may hold is reached (0: no limit).
  bool take(std::uint64_t size, std::uint64_t most = 0);
  // Keeps unused memory while the reserve is not larger than that.
  void give_back(std::uint64_t size, std::uint64_t kept);
  void trim(std::uint64_t least);

  struct Usage {
    std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  };
  Usage usage() const;
  void forget_used_high();
  void forget_reserved_high();

 private:
  void shrink(std::uint64_t least);  // with the lock held
  std::uint64_t in_chunks(std::uint64_t size) const { return (size + chunk_ - 1) / chunk_ * chunk_; }

  Device& device_;
  const std::uint64_t chunk_;
  mutable std::mutex mutex_;
  Usage usage_;
};

}  // namespace nvmlkit::cuda
