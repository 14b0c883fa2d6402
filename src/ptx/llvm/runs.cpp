#include "ptx/llvm/runs.hpp"

namespace nvmlkit::ptx::jit {
namespace {

constexpr std::size_t kMostRuns = 8;

}  // namespace

std::optional<Window> window_of(const Shape& shape, std::int64_t size, unsigned most) {
  if (shape.is_any) return std::nullopt;
  Window out{.begin = shape.least()};
  const auto last = (shape.most() - out.begin) / size;
  if (last >= most) return std::nullopt;
  out.count = static_cast<unsigned>(last) + 1;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto more = shape.more[lane] - out.begin;
    if (more % size != 0) return std::nullopt;
    out.of_lane[lane] = static_cast<int>(more / size);
  }
  return out;
}

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
