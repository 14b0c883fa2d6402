// A block of a launch: warps that share memory and wait for each other at barriers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/launch.hpp"
#include "ptx/warp.hpp"

namespace nvmlkit::ptx {

// What the blocks of a launch have in common.
struct Run {
  explicit Run(const Grid& launched)
      : grid(launched), threads_of_block(launched.threads[0] * launched.threads[1] * launched.threads[2]) {}

  const Grid& grid;
  const std::uint32_t threads_of_block;
  Fault fault;
  std::uint64_t instructions = 0;
  unsigned ticks = 0;

  // Bytes of global memory, or null. The last allocations are remembered.
  std::byte* global(std::uint64_t address, std::uint64_t size) {
    for (const auto& region : recent_)
      if (address - region.start < region.size && size <= region.size - (address - region.start))
        return region.bytes + (address - region.start);
    return find(address, size);
  }
  void forget(std::uint64_t address);

 private:
  std::byte* find(std::uint64_t address, std::uint64_t size);

  Region recent_[4];
  unsigned next_ = 0;
};

class Cluster;

class Block {
 public:
  explicit Block(Run& run, Cluster* cluster = nullptr, unsigned rank = 0);

  void start(std::uint64_t number);
  // Until all threads have ended, or nothing moves for now.
  Progress execute(std::uint64_t instructions_of_warp);

  Run& run() { return run_; }
  std::vector<std::byte>& shared() { return shared_; }
  // Null for a block alone.
  Cluster* cluster() { return cluster_; }
  unsigned rank() const { return rank_; }
  // `size` bytes of shared memory of a block of the cluster, or null.
  std::byte* shared_of_peer(std::uint64_t address, std::uint64_t size);

  static constexpr unsigned kBarriers = 16;
  static constexpr unsigned kClusterBarrier = kBarriers;  // what waits for the barrier of the cluster
  // Bytes of shared memory for the libraries that come with the compiler.
  static constexpr std::size_t kReserved = 1024;
  // `expected` threads, 0 for all that live.
  void arrive(unsigned barrier, unsigned threads, unsigned with_true, unsigned expected);
  void threads_ended(unsigned threads);
  void release_from_cluster();

 private:
  struct Barrier {
    unsigned arrived = 0, arrived_true = 0, expected = 0;
  };
  void check(unsigned barrier);
  void fill_special(std::uint64_t number);

  Run& run_;
  Cluster* const cluster_;
  const unsigned rank_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<std::byte> shared_;
  std::size_t asked_ = 0;  // bytes of it that the program asked for
  Barrier barriers_[kBarriers];
  unsigned live_threads_ = 0;
  bool released_ = false;
};

}  // namespace nvmlkit::ptx
