// Blocks that run at once and reach each other's shared memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/block.hpp"

namespace nvmlkit::ptx {

// How many blocks one has.
inline unsigned cluster_size(const Grid& grid) { return grid.cluster[0] * grid.cluster[1] * grid.cluster[2]; }

class Cluster {
 public:
  explicit Cluster(Run& run);

  void start(std::uint64_t number);
  Block& block(unsigned rank) { return *blocks_[rank]; }
  unsigned size() const { return static_cast<unsigned>(blocks_.size()); }

  // The barrier of all threads. What arrives learns the phase that it will wait for the end of.
  std::uint32_t arrive(unsigned threads);
  bool has_ended(std::uint32_t phase) const { return phase != phase_; }
  void threads_ended(unsigned threads);

  // `size` bytes at an address that mapa gave, or null.
  std::byte* bytes(std::uint64_t address, std::uint64_t size);

  // Addresses in the shared memory of a block begin here; those of the own block, as programs usually have them, at 0.
  static constexpr std::uint64_t window_of(std::uint32_t rank) { return std::uint64_t{rank + 1} << kRankShift; }
  static constexpr std::uint64_t offset_of(std::uint64_t address) { return address & (window_of(0) - 1); }

 private:
  static constexpr unsigned kRankShift = 24;
  void check();

  std::vector<std::unique_ptr<Block>> blocks_;
  const Grid& grid_;
  unsigned threads_ = 0, live_ = 0, arrived_ = 0;
  std::uint32_t phase_ = 0;
};

}  // namespace nvmlkit::ptx
