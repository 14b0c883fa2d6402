#include "ptx/llvm/runs.hpp"

namespace nvmlkit::ptx::jit {
namespace {

constexpr std::size_t kMostRuns = 8;

}  // namespace

std::vector<Run> runs_of(const Shape& shape, std::int64_t size) {
  std::vector<Run> out;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!out.empty()) {
      auto& run = out.back();
      const auto step = shape.more[lane] - shape.more[lane - 1];
      const bool begins = run.count == 1 && (step == size || step == 0);
      if (begins || (run.count > 1 && step == run.step)) {
        run.step = step;
        ++run.count;
        continue;
      }
    }
    if (out.size() == kMostRuns) return {};
    out.push_back({.first = lane});
  }
  return out;
}

}  // namespace nvmlkit::ptx::jit
