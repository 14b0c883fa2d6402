// Memory of a GPU that is kept for the next allocation when its user ends: of a pool, of graphs.
#pragma once

#include <cstdint>
#include <mutex>

#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda {

class MemoryReserve {
 public:
  explicit MemoryReserve(Device& device) : device_(device) {}
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

  Device& device_;
  mutable std::mutex mutex_;
  Usage usage_;
};

}  // namespace nvmlkit::cuda
