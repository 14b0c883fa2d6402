#include "ptx/cluster.hpp"

namespace nvmlkit::ptx {

Cluster::Cluster(Run& run) : grid_(run.grid), threads_(cluster_size(run.grid) * run.threads_of_block) {
  for (unsigned rank = 0; rank < cluster_size(grid_); ++rank)
    blocks_.push_back(std::make_unique<Block>(run, this, rank));
}

void Cluster::start(std::uint64_t number) {
  live_ = threads_;
  arrived_ = 0;
  const auto& size = grid_.cluster;
  const std::uint64_t across = grid_.blocks[0] / size[0], down = grid_.blocks[1] / size[1];
  const std::uint64_t first[3] = {number % across * size[0], number / across % down * size[1],
                                  number / across / down * size[2]};
  for (unsigned rank = 0; rank < this->size(); ++rank) {
    const auto x = first[0] + rank % size[0], y = first[1] + rank / size[0] % size[1],
               z = first[2] + rank / size[0] / size[1];
    blocks_[rank]->start(x + grid_.blocks[0] * (y + grid_.blocks[1] * z));
  }
}

std::uint32_t Cluster::arrive(unsigned threads) {
  const auto phase = phase_;
  arrived_ += threads;
  check();
  return phase;
}

void Cluster::threads_ended(unsigned threads) {
  live_ -= threads;
  if (arrived_ > 0) check();
}

void Cluster::check() {
  if (arrived_ < live_) return;
  arrived_ = 0;
  ++phase_;
  for (auto& block : blocks_) block->release_from_cluster();
}

std::byte* Cluster::bytes(std::uint64_t address, std::uint64_t size) {
  const auto rank = (address >> kRankShift) - 1;
  if (rank >= blocks_.size()) return nullptr;
  auto& shared = blocks_[rank]->shared();
  const auto offset = offset_of(address);
  return offset < shared.size() && size <= shared.size() - offset ? shared.data() + offset : nullptr;
}

}  // namespace nvmlkit::ptx
