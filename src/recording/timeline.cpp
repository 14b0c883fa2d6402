#include "recording/timeline.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace nvmlkit::recording {
namespace {

constexpr std::int64_t kShortestPauseMs = 60'000;
constexpr std::int64_t kPauseFactor = 4;

template <class Item>
std::optional<std::int64_t> time_at(const std::vector<Item>& items, std::size_t at) {
  return at < items.size() ? std::optional(items[at].at_ms) : std::nullopt;
}

std::optional<std::int64_t> earlier(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// The items at the time, which begin at `at`; `at` becomes the end of them.
template <class Item>
std::span<const Item> take_at(const std::vector<Item>& items, std::size_t& at, std::int64_t time) {
  const auto begin = at;
  while (at < items.size() && items[at].at_ms == time) ++at;
  return std::span(items).subspan(begin, at - begin);
}

}  // namespace

Timeline::Timeline(const Recording& recording, const std::vector<std::size_t>& places, Span span) {
  const auto first = earlier(time_at(recording.samples, 0), time_at(recording.xids, 0)).value_or(0);
  const auto within = [&](std::int64_t at_ms) {
    return at_ms - first >= span.from_ms.value_or(0) && (!span.to_ms || at_ms - first <= *span.to_ms);
  };
  for (const auto& sample : recording.samples)
    if (within(sample.at_ms)) values_.push_back({sample.at_ms, places[sample.gpu], sample.quantity, sample.value});
  for (const auto& xid : recording.xids)
    if (within(xid.at_ms)) xids_.push_back({xid.at_ms, places[xid.gpu], xid.number});
  std::stable_sort(values_.begin(), values_.end(), [](const Value& a, const Value& b) {
    return std::tuple(a.at_ms, a.place, a.quantity) < std::tuple(b.at_ms, b.place, b.quantity);
  });
  link_and_end();
}

void Timeline::link_and_end() {
  if (values_.empty()) return;
  std::map<std::pair<std::size_t, Quantity>, std::vector<std::size_t>> series;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    auto& before = series[{values_[i].place, values_[i].quantity}];
    if (!before.empty()) values_[before.back()].next = i;
    before.push_back(i);
  }
  const auto last = values_.back().at_ms;
  for (const auto& [key, members] : series) {
    std::vector<std::int64_t> distances;
    for (std::size_t i = 1; i < members.size(); ++i)
      distances.push_back(values_[members[i]].at_ms - values_[members[i - 1]].at_ms);
    if (distances.empty()) continue;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    const auto longest = std::max(kShortestPauseMs, kPauseFactor * *middle);
    for (const auto i : members) {
      const auto next = values_[i].next == kNoNext ? last : values_[values_[i].next].at_ms;
      if (next - values_[i].at_ms > longest) ends_.push_back({values_[i].at_ms + longest, key.first, key.second});
    }
  }
  std::stable_sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) { return a.at_ms < b.at_ms; });
}

std::vector<Frame> Timeline::frames() const {
  std::vector<Frame> out;
  for (std::size_t value = 0, end = 0, xid = 0;;) {
    const auto at = earlier(earlier(time_at(values_, value), time_at(ends_, end)), time_at(xids_, xid));
    if (!at) return out;
    Frame frame;
    frame.at_ms = *at;
    frame.values = take_at(values_, value, *at);
    frame.ends = take_at(ends_, end, *at);
    frame.xids = take_at(xids_, xid, *at);
    out.push_back(frame);
  }
}

std::int64_t Timeline::duration_ms() const {
  const auto all = frames();
  return all.empty() ? 0 : all.back().at_ms - all.front().at_ms;
}

}  // namespace nvmlkit::recording
