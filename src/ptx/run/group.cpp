#include "ptx/run/group.hpp"

#include "ptx/run/schedule.hpp"

namespace nvmlkit::ptx {

Group::Group(Worker& worker) : grid_(worker.grid), threads_(cluster_size(worker.grid) * worker.threads_of_block) {
  for (unsigned rank = 0; rank < cluster_size(grid_); ++rank)
    members_.push_back({std::make_unique<Block>(worker, *this, rank)});
}

void Group::start(std::uint64_t number) {
  polls = false;
  live_ = threads_;
  arrived_ = 0;
  if (members_.size() == 1) {
    members_[0].has_finished = false;
    return members_[0].block->start(number);
  }
  const auto& size = grid_.cluster;
  const std::uint64_t across = grid_.blocks[0] / size[0], down = grid_.blocks[1] / size[1];
  const std::uint64_t first[3] = {number % across * size[0], number / across % down * size[1],
                                  number / across / down * size[2]};
  for (unsigned rank = 0; rank < members_.size(); ++rank) {
    const auto x = first[0] + rank % size[0], y = first[1] + rank / size[0] % size[1],
               z = first[2] + rank / size[0] / size[1];
    members_[rank].has_finished = false;
    members_[rank].block->start(x + grid_.blocks[0] * (y + grid_.blocks[1] * z));
  }
}

Progress Group::execute(Worker& worker, std::uint64_t instructions_of_warp) {
  bool all_finished = true, moves = false;
  if (worker.schedule && members_.size() > 1) {
    const auto& order = worker.schedule->order(size());
    turns_.assign(order.begin(), order.end());
  }
  for (unsigned turn = 0; turn < size(); ++turn) {
    auto& [block, has_finished] = members_[turns_.empty() ? turn : turns_[turn]];
    if (has_finished) continue;
    const auto progress = block->execute(worker, instructions_of_warp);
    if (progress == Progress::faulted) return progress;
    moves |= progress != Progress::blocked;
    has_finished = progress == Progress::finished;
    all_finished &= has_finished;
  }
  if (all_finished) return Progress::finished;
  return moves ? Progress::paused : Progress::blocked;
}

std::uint32_t Group::arrive(unsigned threads) {
  const auto phase = phase_;
  arrived_ += threads;
  check();
  return phase;
}

void Group::threads_ended(unsigned threads) {
  live_ -= threads;
  if (arrived_ > 0) check();
}

void Group::check() {
  if (arrived_ < live_) return;
  arrived_ = 0;
  ++phase_;
  for (auto& member : members_) member.block->release_from_cluster();
}

std::byte* Group::bytes(std::uint64_t address, std::uint64_t size) {
  const auto rank = (address >> kRankShift) - 1;
  if (rank >= members_.size()) return nullptr;
  const auto shared = members_[rank].block->shared();
  const auto offset = offset_of(address);
  return offset < shared.size() && size <= shared.size() - offset ? shared.data() + offset : nullptr;
}

}  // namespace nvmlkit::ptx
