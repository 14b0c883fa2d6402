#include "sim/calls/rules.hpp"

#include <algorithm>

namespace nvmlkit::sim::calls {

bool Rules::add(const Rule& rule) {
  for (std::size_t i = 0; i < kCapacity; ++i) {
    auto& place = places_[i];
    if (place.taken.load(std::memory_order_relaxed) != 0) continue;
    place.symbol = rule.symbol;
    place.gpu = rule.gpu;
    place.result = rule.result;
    place.delay_ns = rule.delay_ns;
    place.after = rule.after;
    place.times = rule.times;
    place.calls = 0;
    place.taken.store(1, std::memory_order_release);
    end_ = std::max(end_.load(), static_cast<std::uint32_t>(i + 1));
    return true;
  }
  return false;
}

std::optional<Rule> Rules::at(std::size_t number) const {
  if (number >= kCapacity || places_[number].taken.load(std::memory_order_acquire) == 0) return std::nullopt;
  const auto& place = places_[number];
  return Rule{place.symbol, place.gpu, place.result, place.delay_ns, place.after, place.times, place.calls};
}

void Rules::remove(std::size_t number) {
  if (number < kCapacity) places_[number].taken.store(0, std::memory_order_release);
}

bool Rules::empty() const {
  for (const auto& place : places_)
    if (place.taken.load(std::memory_order_relaxed) != 0) return false;
  return true;
}

Rules::Verdict Rules::judge(Symbol symbol, std::uint32_t gpu, bool read_only) {
  Verdict verdict;
  const auto end = std::min<std::size_t>(end_.load(std::memory_order_acquire), kCapacity);
  for (std::size_t i = 0; i < end; ++i) {
    auto& place = places_[i];
    if (place.taken.load(std::memory_order_acquire) == 0) continue;
    const auto wanted = place.symbol.load(std::memory_order_relaxed);
    const auto where = place.gpu.load(std::memory_order_relaxed);
    if ((wanted != symbol_count && wanted != static_cast<std::uint32_t>(symbol)) || (where != kAnyGpu && where != gpu))
      continue;
    const auto before =
        read_only ? place.calls.load(std::memory_order_relaxed) : place.calls.fetch_add(1, std::memory_order_relaxed);
    const auto after = place.after.load(std::memory_order_relaxed);
    if (before < after || before - after >= place.times.load(std::memory_order_relaxed)) continue;
    verdict.delay_ns = std::min(kLongestDelayNs, verdict.delay_ns + std::min(kLongestDelayNs, place.delay_ns.load()));
    if (verdict.result == kNoResult) verdict.result = place.result.load(std::memory_order_relaxed);
  }
  return verdict;
}

}  // namespace nvmlkit::sim::calls
