// A block of two dimensions reaches a few cache lines in each of many rows. The next block reaches those behind them,
// which the processor does not foresee. In a loop, it does.
#include "ptx/llvm/prefetch.hpp"

#include <algorithm>
#include <vector>

#include "ptx/llvm/runs.hpp"
#include "ptx/module.hpp"

namespace nvmlkit::ptx::jit {
namespace {

constexpr unsigned kLine = 64;

// Between a branch and an earlier instruction that it leads to.
bool is_in_loop(const Function& function, std::uint32_t at) {
  for (auto k = at; k < function.code.size(); ++k)
    if (const auto& i = function.code[k]; i.kind == Kind::branch && i.immediate <= at) return true;
  return false;
}

}  // namespace

void prefetch_next_block(LaneBuilder& b, const Function& function, std::uint32_t at, const MemoryAccess& access,
                         const Place& place) {
  const auto size = access.element_size();
  if (access.space != Space::global || access.values.size() != 1 || place.shape->is_any) return;
  const std::vector<Run> row{{0, kLanes, size}};
  const auto runs = place.shape->is_row(size) ? row : runs_of(*place.shape, size);
  const auto is_of_lines = [&](const Run& run) { return run.step == size && run.count * size >= kLine; };
  if (std::ranges::none_of(runs, is_of_lines) || is_in_loop(function, at)) return;
  auto *const how = b.getInt32(access.loads ? 0 : 1), *const into_all_caches = b.getInt32(3),
              *const data = b.getInt32(1);
  for (const auto& run : runs) {
    if (!is_of_lines(run)) continue;
    const auto bytes = run.count * size;
    // A line further than the next block: rows mostly begin within a line.
    for (auto end = bytes + kLine; end <= 2 * bytes + kLine; end += kLine) {
      const auto more = place.shape->more[run.first] + static_cast<std::int64_t>(end) - 1;
      auto* const there = b.pointer(b.CreateAdd(place.host, b.getInt64(static_cast<std::uint64_t>(more))));
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {there->getType()}, {there, how, into_all_caches, data});
    }
  }
}

}  // namespace nvmlkit::ptx::jit
