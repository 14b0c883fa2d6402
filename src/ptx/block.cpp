#include "ptx/block.hpp"

#include <algorithm>
#include <cstring>

#include "ptx/cluster.hpp"

namespace nvmlkit::ptx {

std::byte* Run::find(std::uint64_t address, std::uint64_t size) {
  Region found;
  if (!grid.memory->find(address, found)) return nullptr;
  if (address - found.start >= found.size || size > found.size - (address - found.start)) return nullptr;
  auto& kept = recent_[next_++ % 4];
  kept = std::move(found);
  return kept.bytes + (address - kept.start);
}

void Run::forget(std::uint64_t address) {
  for (auto& region : recent_)
    if (address - region.start < region.size) region = {};
}

Block::Block(Run& run, Cluster* cluster, unsigned rank) : run_(run), cluster_(cluster), rank_(rank) {
  const auto warps = (run.threads_of_block + kLanes - 1) / kLanes;
  for (unsigned i = 0; i < warps; ++i) warps_.push_back(std::make_unique<Warp>(*this));
  asked_ = (run.grid.module->shared_bytes + run.grid.dynamic_shared + 15) / 16 * 16;
  shared_.resize(asked_ + kReserved);
}

void Block::start(std::uint64_t number) {
  std::fill(std::begin(barriers_), std::end(barriers_), Barrier{});
  std::fill(shared_.begin(), shared_.end(), std::byte{});
  live_threads_ = run_.threads_of_block;
  for (unsigned i = 0; i < warps_.size(); ++i) {
    const auto rest = run_.threads_of_block - i * kLanes;
    warps_[i]->start(i, rest >= kLanes ? kAllLanes : (Mask{1} << rest) - 1);
  }
  fill_special(number);
}

void Block::fill_special(std::uint64_t number) {
  const auto& grid = run_.grid;
  const auto blocks_x = grid.blocks[0], blocks_y = grid.blocks[1];
  const std::uint32_t place[3] = {static_cast<std::uint32_t>(number % blocks_x),
                                  static_cast<std::uint32_t>(number / blocks_x % blocks_y),
                                  static_cast<std::uint32_t>(number / blocks_x / blocks_y)};
  for (auto& warp : warps_) {
    auto& s = warp->special();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto thread = warp->index() * kLanes + lane;
      s.tid[0][lane] = thread % grid.threads[0];
      s.tid[1][lane] = thread / grid.threads[0] % grid.threads[1];
      s.tid[2][lane] = thread / grid.threads[0] / grid.threads[1];
      for (int k = 0; k < 3; ++k) {
        s.ntid[k][lane] = grid.threads[k];
        s.ctaid[k][lane] = place[k];
        s.nctaid[k][lane] = grid.blocks[k];
        s.clusterid[k][lane] = place[k] / grid.cluster[k];
        s.nclusterid[k][lane] = grid.blocks[k] / grid.cluster[k];
        s.cluster_ctaid[k][lane] = place[k] % grid.cluster[k];
        s.cluster_nctaid[k][lane] = grid.cluster[k];
      }
      const Mask own = Mask{1} << lane;
      s.laneid[lane] = lane;
      s.lanemask[0][lane] = own;
      s.lanemask[1][lane] = own | (own - 1);
      s.lanemask[2][lane] = own - 1;
      s.lanemask[3][lane] = ~(own - 1);
      s.lanemask[4][lane] = ~(own | (own - 1));
      s.warpid[lane] = warp->index();
      s.nwarpid[lane] = static_cast<std::uint32_t>(warps_.size());
      s.smid[lane] = static_cast<std::uint32_t>(number % grid.multiprocessors);
      s.nsmid[lane] = grid.multiprocessors;
      s.shared_bytes[0][lane] = s.shared_bytes[1][lane] = static_cast<std::uint32_t>(asked_);
      s.reserved[0][lane] = s.reserved[2][lane] = static_cast<std::uint32_t>(asked_);
      s.reserved[1][lane] = static_cast<std::uint32_t>(asked_ + kReserved);
      s.reserved[3][lane] = static_cast<std::uint32_t>(asked_ + kReserved / 2);
      s.shared_bytes[2][lane] = static_cast<std::uint32_t>(grid.dynamic_shared);
      s.warp_size[lane] = kLanes;
      s.cluster_ctarank[lane] = rank_;
      s.cluster_nctarank[lane] = cluster_size(grid);
      s.is_explicit_cluster[lane] = grid.is_cluster_launch ? kAllLanes : 0;
      s.gridid[lane] = grid.number;
      s.envreg[0][lane] = 0;
      s.envreg[1][lane] = static_cast<std::uint32_t>(grid.workspace >> 32);
      s.envreg[2][lane] = static_cast<std::uint32_t>(grid.workspace);
    }
  }
}

Progress Block::execute(std::uint64_t instructions_of_warp) {
  bool finished = true, moves = false;
  if (run_.grid.tick && ++run_.ticks % 64 == 0) run_.grid.tick(run_.grid.tick_of);
  for (auto& warp : warps_) {
    released_ = false;
    const auto progress = warp->run(instructions_of_warp);
    if (progress == Progress::faulted) return progress;
    finished &= progress == Progress::finished;
    moves |= progress == Progress::paused || released_;
  }
  if (finished) return Progress::finished;
  return moves ? Progress::paused : Progress::blocked;
}

void Block::arrive(unsigned barrier, unsigned threads, unsigned with_true, unsigned expected) {
  auto& b = barriers_[barrier];
  b.arrived += threads;
  b.arrived_true += with_true;
  b.expected = expected;
  check(barrier);
}

void Block::threads_ended(unsigned threads) {
  live_threads_ -= threads;
  for (unsigned i = 0; i < kBarriers; ++i)
    if (barriers_[i].arrived > 0 && barriers_[i].expected == 0) check(i);
  if (cluster_) cluster_->threads_ended(threads);
}

void Block::release_from_cluster() {
  released_ = true;
  for (auto& warp : warps_) warp->release(kClusterBarrier, 0, 0);
}

std::byte* Block::shared_of_peer(std::uint64_t address, std::uint64_t size) {
  return cluster_ ? cluster_->bytes(address, size) : nullptr;
}

void Block::check(unsigned barrier) {
  auto& b = barriers_[barrier];
  if (b.arrived < (b.expected ? b.expected : live_threads_)) return;
  const auto arrived = b.arrived, with_true = b.arrived_true;
  b = {};
  released_ = true;
  for (auto& warp : warps_) warp->release(barrier, with_true, arrived);
}

}  // namespace nvmlkit::ptx
