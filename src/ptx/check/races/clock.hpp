// What a thread knows of others: up to which time what they did is ordered before what it does now.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace nvmlkit::ptx::races {

// One counter for all threads. It grows when a thread hands on what it knows.
using Time = std::uint32_t;

// Threads of a block: a lane of a warp, or the whole warp.
constexpr std::uint32_t kWholeWarp = 32;
constexpr std::uint32_t part_of(std::uint32_t warp, std::uint32_t lane) { return warp * 64 + lane; }
// Copies that run beside the threads of a block count as a warp of their own.
constexpr std::uint32_t kCopyWarp = 0x3FF;

struct Known {
  std::uint64_t block = 0;
  Time all = 0;  // of all threads: what was before is known
  std::vector<std::pair<std::uint32_t, Time>> parts;
};

struct Clock {
  std::vector<Known> blocks;  // sorted
  const Known* of(std::uint64_t block) const;
  bool knows(std::uint64_t block, std::uint32_t warp, std::uint32_t lane, Time time) const;
};
using ClockRef = std::shared_ptr<const Clock>;

// Null: nothing.
ClockRef joined(const ClockRef& a, const ClockRef& b);
ClockRef with(const ClockRef& clock, const Known& known);

}  // namespace nvmlkit::ptx::races
