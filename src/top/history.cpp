#include "top/history.hpp"

#include <algorithm>
#include <limits>

namespace nvmlkit::top {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

}  // namespace

void History::add(std::uint64_t frame, std::optional<double> value) {
  if (ring_.empty()) {
    if (!value) return;
    ring_.assign(kLength, kMissing);
    newest_ = frame;
  }
  const auto first = std::max(newest_ + 1, frame < kLength ? 0 : frame - kLength + 1);
  for (auto left_out = first; left_out < frame; ++left_out) ring_[left_out % kLength] = kMissing;
  ring_[frame % kLength] = value ? static_cast<float>(*value) : kMissing;
  newest_ = frame;
}

std::vector<double> History::last(std::size_t count, std::uint64_t frame) const {
  std::vector<double> out(count, std::numeric_limits<double>::quiet_NaN());
  if (ring_.empty()) return out;
  for (std::size_t back = 0; back < count && back < kLength && back <= frame; ++back) {
    const auto at = frame - back;
    if (at <= newest_ && newest_ - at < kLength) out[count - 1 - back] = static_cast<double>(ring_[at % kLength]);
  }
  return out;
}

}  // namespace nvmlkit::top
