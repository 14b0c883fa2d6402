#include "ptx/launch.hpp"

#include "ptx/block.hpp"

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

void run_together(Run& run, std::uint64_t count) {
  std::vector<std::unique_ptr<Block>> blocks;
  for (std::uint64_t i = 0; i < count; ++i) {
    blocks.push_back(std::make_unique<Block>(run));
    blocks.back()->start(i);
  }
  std::vector<bool> finished(count);
  for (std::uint64_t left = count; left > 0;) {
    bool moves = false;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (finished[i]) continue;
      const auto progress = blocks[i]->execute(kSlice / 16);
      if (progress == Progress::faulted) return;
      moves |= progress != Progress::blocked;
      if (progress != Progress::finished) continue;
      finished[i] = true;
      --left;
    }
    if (moves) continue;
    run.fault.kind = FaultKind::deadlock;
    return;
  }
}

}  // namespace

Outcome run_grid(const Grid& grid) {
  Run run(grid);
  const auto count = std::uint64_t{grid.blocks[0]} * grid.blocks[1] * grid.blocks[2];
  if (grid.cooperative) {
    run_together(run, count);
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
