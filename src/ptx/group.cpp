#include "ptx/group.hpp"

namespace nvmlkit::ptx {

Group::Group(Run& run, unsigned blocks) {
  for (unsigned i = 0; i < blocks; ++i) members_.push_back({std::make_unique<Block>(run)});
}

void Group::start(std::uint64_t number) {
  polls = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].has_finished = false;
    members_[i].block->start(number * members_.size() + i);
  }
}

Progress Group::execute(Run& run, std::uint64_t instructions_of_warp) {
  bool all_finished = true, moves = false;
  for (auto& [block, has_finished] : members_) {
    if (has_finished) continue;
    const auto progress = block->execute(run, instructions_of_warp);
    if (progress == Progress::faulted) return progress;
    moves |= progress != Progress::blocked;
    has_finished = progress == Progress::finished;
    all_finished &= has_finished;
  }
  if (all_finished) return Progress::finished;
  return moves ? Progress::paused : Progress::blocked;
}

}  // namespace nvmlkit::ptx
