// Resident blocks that may share memory: one block, or those of a cluster. One worker at a time executes them, in
// turns.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/run/block.hpp"

namespace nvmlkit::ptx {

// How many blocks a cluster has.
inline unsigned cluster_size(const Grid& grid) { return grid.cluster[0] * grid.cluster[1] * grid.cluster[2]; }

class Group {
 public:
  explicit Group(Worker& worker);

  void start(std::uint64_t number);
  // Of a group of one block, which has ended and begins anew.
  void starts_again() {
    live_ = threads_;
    arrived_ = 0;
  }
  // Until all blocks have ended, nothing moves, or each warp has executed about so many instructions.
  Progress execute(Worker& worker, std::uint64_t instructions_of_warp);

  bool polls = false;  // it gave its turn away because it looks at memory again and again

  unsigned size() const { return static_cast<unsigned>(members_.size()); }
  Block& member(unsigned rank) const { return *members_[rank].block; }

  // The barrier of all threads. Who arrives learns the phase of which it will wait for the end.
  std::uint32_t arrive(unsigned threads);
  bool has_ended(std::uint32_t phase) const { return phase != phase_; }
  void threads_ended(unsigned threads);

  // `size` bytes at an address in the shared memory of a block, or null.
  std::byte* bytes(std::uint64_t address, std::uint64_t size);

  // Where the addresses of a block begin that mapa gives; each block has its own memory at 0, too.
  static constexpr unsigned kRankShift = 24;
  static constexpr std::uint64_t window_of(std::uint32_t rank) { return (std::uint64_t{rank} + 1) << kRankShift; }
  static constexpr std::uint64_t offset_of(std::uint64_t address) { return address & (window_of(0) - 1); }

 private:
  struct Member {
    std::unique_ptr<Block> block;
    bool has_finished = false;
  };
  void check();

  std::vector<Member> members_;
  std::vector<std::uint32_t> turns_;  // the order of members, where a schedule chooses it
  const Grid& grid_;
  unsigned threads_, live_ = 0, arrived_ = 0;
  std::uint32_t phase_ = 0;
};

}  // namespace nvmlkit::ptx
