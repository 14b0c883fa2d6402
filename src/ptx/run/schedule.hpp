// The order in which blocks, warps and parts of warps have their turns, by a seed: what threads do without
// synchronization happens in another order with another seed, and in the same order with the same one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/checks.hpp"

namespace nvmlkit::ptx {

class Schedule {
 public:
  // Of a launch; null: the usual order.
  static std::unique_ptr<Schedule> make(const std::string& kernel);
  Schedule(std::uint64_t seed, const std::string& kernel, std::uint64_t launch);

  // A number below `count`, which is not 0.
  std::uint32_t pick(std::uint32_t count) { return static_cast<std::uint32_t>((next() >> 32) * count >> 32); }
  // The numbers below `count` in an order. It stays until the next call.
  const std::vector<std::uint32_t>& order(std::uint32_t count);
  // Instructions of a warp's next turn.
  std::uint64_t turn();
  // Lanes of a warp that have parted go on in any order.
  bool parts_lanes() const { return parts_lanes_; }
  // Groups of blocks that have begun, beside those that wait for others.
  std::uint32_t open_groups() const { return open_groups_; }

 private:
  std::uint64_t next();

  std::uint64_t state_;
  unsigned longest_turn_;  // as a power of 2
  bool parts_lanes_;
  std::uint32_t open_groups_;
  std::vector<std::uint32_t> order_;
};

}  // namespace nvmlkit::ptx
