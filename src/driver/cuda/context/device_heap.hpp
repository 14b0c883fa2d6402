// The heap from which malloc() in device code takes its memory.
#pragma once

#include <atomic>
#include <cstdint>

namespace nvmlkit::cuda {

class DeviceHeap {
 public:
  static constexpr std::uint64_t kDefaultSize = 8 * 1024 * 1024;  // CU_LIMIT_MALLOC_HEAP_SIZE
  static constexpr unsigned kFlag = 1u << 31;                     // of an allocation that lies in it

  // False where the heap of `most` bytes has no room for them.
  bool take(std::uint64_t size, std::uint64_t most) {
    auto used = used_.load(std::memory_order_relaxed);
    do {
      if (used > most || rounded(size) > most - used) return false;
    } while (!used_.compare_exchange_weak(used, used + rounded(size), std::memory_order_relaxed));
    return true;
  }
  void give_back(std::uint64_t size) { used_.fetch_sub(rounded(size), std::memory_order_relaxed); }

 private:
  // What malloc() returns is aligned so.
  static constexpr std::uint64_t rounded(std::uint64_t size) { return (size + 15) / 16 * 16; }
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace nvmlkit::cuda
