// The duration of calls, per function.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <nvmlkit/interpose/hook.hpp>
#include <vector>

namespace nvmlkit::nvml::interpose {

struct Latency {
  const char* function;
  std::uint64_t count;
  std::chrono::nanoseconds min, mean, p50, p99, max;  // percentiles within 7 % of the true value
};

// Counts without locks; a function costs memory (3 KiB) once it was called.
class LatencyHistogram : public Hook {
 public:
  LatencyHistogram() = default;
  ~LatencyHistogram() override;
  LatencyHistogram(const LatencyHistogram&) = delete;
  LatencyHistogram& operator=(const LatencyHistogram&) = delete;

  Word on_call(const Call& call) noexcept override;

  // The functions that were called, in the order of symbols(). Calls that end meanwhile may be counted in part.
  std::vector<Latency> summary() const;
  // Of one function; count 0 when it was not called. The name must be one of symbols().
  Latency of(std::string_view function) const;

 private:
  struct Counters;
  Latency summarize(std::size_t symbol) const;
  std::array<std::atomic<Counters*>, kSymbolCount> counters_{};
};

}  // namespace nvmlkit::nvml::interpose
