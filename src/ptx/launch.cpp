#include "ptx/launch.hpp"

#include "ptx/cluster.hpp"

namespace nvmlkit::ptx {
namespace {

// Instructions that a warp executes before the next one has its turn.
constexpr std::uint64_t kSlice = 1 << 16;

bool run_block(Block& block, Run& run) {
  while (true) {
    switch (block.execute(kSlice)) {
      case Progress::finished:
        return true;
      case Progress::faulted:
        return false;
      case Progress::blocked:  // every thread waits for one that will not come
        run.fault.kind = FaultKind::deadlock;
        return false;
      case Progress::paused:
        break;
    }
  }
}

// Blocks take turns until all have ended. False: something went wrong.
bool run_together(std::vector<std::unique_ptr<Cluster>>& clusters, Run& run) {
  std::vector<Block*> blocks;
  for (auto& cluster : clusters)
    for (unsigned rank = 0; rank < cluster->size(); ++rank) blocks.push_back(&cluster->block(rank));
  while (!blocks.empty()) {
    bool moves = false;
    for (std::size_t i = 0; i < blocks.size();) {
      const auto progress = blocks[i]->execute(kSlice / 16);
      if (progress == Progress::faulted) return false;
      moves |= progress != Progress::blocked;
      if (progress == Progress::finished)
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
    if (moves) continue;
    run.fault.kind = FaultKind::deadlock;
    return false;
  }
  return true;
}

// All at once, or a cluster after the other.
void run_clusters(Run& run, std::uint64_t count, bool all_at_once) {
  std::vector<std::unique_ptr<Cluster>> clusters(all_at_once ? count : 1);
  for (auto& cluster : clusters) cluster = std::make_unique<Cluster>(run);
  for (std::uint64_t i = 0; i < count; i += clusters.size()) {
    for (std::uint64_t k = 0; k < clusters.size(); ++k) clusters[k]->start(i + k);
    if (!run_together(clusters, run)) return;
  }
}

}  // namespace

Outcome run(const Grid& grid) {
  Run run(grid);
  const auto count = std::uint64_t{grid.blocks[0]} * grid.blocks[1] * grid.blocks[2];
  if (grid.cooperative || cluster_size(grid) > 1 || grid.module->uses_clusters) {
    run_clusters(run, count / cluster_size(grid), grid.cooperative);
  } else {
    Block block(run);
    for (std::uint64_t i = 0; i < count; ++i) {
      block.start(i);
      if (!run_block(block, run)) break;
    }
  }
  if (run.fault.kind == FaultKind::deadlock) run.fault.function = grid.entry->name;
  return {std::move(run.fault), run.instructions};
}

}  // namespace nvmlkit::ptx
