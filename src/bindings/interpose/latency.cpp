#include <algorithm>
#include <bit>
#include <nvmlkit/interpose/latency.hpp>

namespace nvmlkit::nvml::interpose {
namespace {

// Eight buckets for each power of two, up to 2^48 ns, which is three days.
constexpr std::size_t kParts = 8;
constexpr std::size_t kBuckets = 46 * kParts;

std::size_t bucket_of(std::uint64_t ns) {
  if (ns < kParts) return ns;
  const auto power = static_cast<std::size_t>(std::bit_width(ns)) - 1;
  const std::size_t part = (ns >> (power - 3)) & (kParts - 1);
  return std::min((power - 2) * kParts + part, kBuckets - 1);
}

// The middle of a bucket.
std::uint64_t value_of(std::size_t bucket) {
  if (bucket < kParts) return bucket;
  const std::size_t power = bucket / kParts + 2;
  const std::uint64_t width = std::uint64_t{1} << (power - 3);
  return (std::uint64_t{1} << power) + bucket % kParts * width + width / 2;
}

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

struct LatencyHistogram::Counters {
  std::atomic<std::uint64_t> sum{0}, min{UINT64_MAX}, max{0};
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets{};

  void add(std::uint64_t ns) {
    sum.fetch_add(ns, kRelaxed);
    for (auto seen = min.load(kRelaxed); ns < seen && !min.compare_exchange_weak(seen, ns, kRelaxed);) {
    }
    for (auto seen = max.load(kRelaxed); ns > seen && !max.compare_exchange_weak(seen, ns, kRelaxed);) {
    }
    buckets[bucket_of(ns)].fetch_add(1, kRelaxed);
  }
};

LatencyHistogram::~LatencyHistogram() {
  for (auto& counters : counters_) delete counters.load();
}

Word LatencyHistogram::on_call(const Call& call) noexcept {
  const auto start = std::chrono::steady_clock::now();
  const Word word = call.forward();
  const std::chrono::nanoseconds duration = std::chrono::steady_clock::now() - start;
  auto& place = counters_[call.symbol()];
  Counters* counters = place.load(std::memory_order_acquire);
  if (!counters) {
    auto fresh = std::make_unique<Counters>();
    if (place.compare_exchange_strong(counters, fresh.get(), std::memory_order_acq_rel)) counters = fresh.release();
  }
  counters->add(static_cast<std::uint64_t>(duration.count()));
  return word;
}

Latency LatencyHistogram::summarize(std::size_t symbol) const {
  using std::chrono::nanoseconds;
  Latency out{symbols()[symbol].name, 0, {}, {}, {}, {}, {}};
  const Counters* counters = counters_[symbol].load(std::memory_order_acquire);
  if (!counters) return out;
  std::array<std::uint64_t, kBuckets> buckets;
  for (std::size_t i = 0; i < kBuckets; ++i) out.count += buckets[i] = counters->buckets[i].load(kRelaxed);
  if (out.count == 0) return out;
  const std::uint64_t min = counters->min.load(kRelaxed), max = counters->max.load(kRelaxed);
  // The smallest value that this share of the calls does not exceed.
  const auto percentile = [&](std::uint64_t percent) {
    const std::uint64_t rank = (out.count * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i)
      if ((seen += buckets[i]) >= rank) return nanoseconds(std::clamp(value_of(i), min, std::max(min, max)));
    return nanoseconds(max);
  };
  out.min = nanoseconds(min);
  out.max = nanoseconds(max);
  out.mean = nanoseconds(counters->sum.load(kRelaxed) / out.count);
  out.p50 = percentile(50);
  out.p99 = percentile(99);
  return out;
}

std::vector<Latency> LatencyHistogram::summary() const {
  std::vector<Latency> out;
  for (std::size_t symbol = 0; symbol < kSymbolCount; ++symbol)
    if (const Latency latency = summarize(symbol); latency.count > 0) out.push_back(latency);
  return out;
}

Latency LatencyHistogram::of(std::string_view function) const {
  const Symbol* symbol = find_symbol(function);
  if (!symbol) return {"", 0, {}, {}, {}, {}, {}};
  return summarize(static_cast<std::size_t>(symbol - symbols().data()));
}

}  // namespace nvmlkit::nvml::interpose
