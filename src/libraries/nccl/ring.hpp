// Bytes on their way from one rank to another: a ring with one writer and one reader, in memory that both see.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace nvmlkit::nccl {

// What begins at a multiple of this is never torn: the ring's size is one.
constexpr std::size_t kRingGrain = 64;
constexpr std::uint64_t kRingBytes = 256 * 1024;

struct Ring {
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> read;
  alignas(64) std::byte bytes[kRingBytes];

  // What can be read or written without a turn.
  std::span<const std::byte> ready() const {
    const auto from = read.load(std::memory_order_relaxed);
    const auto count = written.load(std::memory_order_acquire) - from;
    const auto at = from % kRingBytes;
    return {bytes + at, std::min(count, kRingBytes - at)};
  }
  void release(std::uint64_t count) { read.store(read.load(std::memory_order_relaxed) + count); }

  std::span<std::byte> space() {
    const auto to = written.load(std::memory_order_relaxed);
    const auto room = kRingBytes - (to - read.load(std::memory_order_acquire));
    const auto at = to % kRingBytes;
    return {bytes + at, std::min(room, kRingBytes - at)};
  }
  void commit(std::uint64_t count) { written.store(written.load(std::memory_order_relaxed) + count); }
  bool is_empty() const { return written.load() == read.load(); }
};

}  // namespace nvmlkit::nccl
