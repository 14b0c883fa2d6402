// Data that a worker of a launch keeps from block to block.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ptx/compile/piece.hpp"
#include "ptx/launch.hpp"

namespace nvmlkit::ptx {

// Grows whenever a kernel frees memory, so that no worker keeps what is gone.
inline constinit std::atomic<std::uint32_t> releases{0};

class Schedule;

// Groups of blocks of a launch, which its workers begin in order.
struct Groups {
  const std::uint64_t count;
  alignas(64) std::atomic<std::uint64_t> begun{0};  // by all workers, and more at the end

  // Nothing: all have begun.
  std::optional<std::uint64_t> next() {
    const auto number = begun.fetch_add(1, std::memory_order_relaxed);
    return number < count ? std::optional(number) : std::nullopt;
  }
};

struct Worker {
  Worker(const Grid& launched, Groups& of_launch, const std::atomic<bool>& stop, Schedule* order = nullptr)
      : grid(launched),
        groups(of_launch),
        threads_of_block(launched.threads[0] * launched.threads[1] * launched.threads[2]),
        ended(stop),
        schedule(order) {}

  const Grid& grid;
  Groups& groups;
  const std::uint32_t threads_of_block;
  const std::atomic<bool>& ended;  // by a fault of any worker
  Schedule* const schedule;        // null: the usual order
  Fault fault;
  std::uint64_t instructions = 0;
  bool is_callers = false;  // of the thread that launched the kernel
  bool is_alone = false;    // no other thread changes memory (alone.hpp)
  bool changes = false;     // compiled code changed memory that others may change, too
  bool spins = false;       // a warp used up its slice while it looked for what other threads do
  // In one turn, the worker goes from block to block until it has executed so many instructions. 0: it does not.
  std::uint64_t begins_blocks_until = 0;

  // The next block of this turn, if there is one. Where others wait for something, they have their turns first.
  std::optional<std::uint64_t> next_block() {
    const bool may_begin = instructions < begins_blocks_until && !spins && !ended.load(std::memory_order_relaxed);
    return may_begin ? groups.next() : std::nullopt;
  }

  // Between two turns of warps: whether the kernel goes on. The driver looks every 20 ms: each store of a warp may
  // write the first byte of 32 pages, and soon the memory of the host is full.
  bool goes_on() { return instructions - looked_at_ < kLook || look(); }

  // Bytes of global memory for an instruction, or null. The last allocations are remembered.
  std::byte* global(std::uint64_t address, std::uint64_t size, const Instruction& i) {
    for (const auto& region : recent_)
      if (address - region.start < region.size && size <= region.size - (address - region.start)) [[likely]]
        return known_since_ == releases.load(std::memory_order_acquire) ? region.bytes + (address - region.start)
                                                                        : find(address, size, i.writes);
    return find(address, size, i.writes);
  }

  // What of memory was written, at an address that was just found; null: it is not watched.
  std::byte* written(std::uint64_t address) const;

  // What the instructions of a piece of compiled code reached last.
  Reached* reached(const NumberedPiece& code) {
    if (code.piece.places == 0) return nullptr;
    const bool is_there = reached_since_ == releases.load(std::memory_order_acquire) && code.number < reached_.size() &&
                          reached_[code.number];
    return is_there ? reached_[code.number].get() : make_reached(code);
  }
  // Whether a warp that fitted a piece, or one of several, is among those that are counted.
  bool counts_warp(std::uint64_t warps = 1) {
    until_counted_ -= std::min(warps, until_counted_);
    if (until_counted_ > 0) return false;
    until_counted_ = 1 + (instructions * 0x9E3779B97F4A7C15 >> 32) % (2 * kWarpsForOneCounted - 1);
    return true;
  }
  // The allocation at an address, if there is one.
  void remember(std::uint64_t address, bool writes, Reached& out);

  // Ends an allocation; no thread that executes kernels remembers it from then on. False: there is none.
  bool release(std::uint64_t address);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kLook = 1 << 13;  // instructions between two looks at the clock
  static constexpr unsigned kRemembered = 4;
  bool look();
  std::byte* find(std::uint64_t address, std::uint64_t size, bool writes);
  Reached* make_reached(const NumberedPiece& code);

  std::uint64_t looked_at_ = 0;
  Clock::time_point next_look_{};
  std::uint32_t known_since_ = releases.load(std::memory_order_acquire);
  Region recent_[kRemembered];     // that may be written
  Region read_only_[kRemembered];  // looked through when it is in none of those
  unsigned next_ = 0;
  std::vector<std::unique_ptr<Reached[]>> reached_;  // by the number of the code
  std::vector<std::shared_ptr<const void>> held_;
  std::uint32_t reached_since_ = known_since_;
  std::uint64_t until_counted_ = 1;  // warps
};

}  // namespace nvmlkit::ptx
