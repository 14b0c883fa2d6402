// Rules that make functions fail or slow them down: in a machine's block for all processes, in its own memory for one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/generated/symbols.hpp"

namespace nvmlkit::sim::calls {

struct Rule {
  std::uint32_t symbol;     // symbol_count: every function
  std::uint32_t gpu;        // any_gpu: every GPU, and functions of the host
  std::int32_t result;      // no_result: the call is made
  std::uint64_t delay_ns;   // slept before
  std::uint64_t after;      // this many calls pass first
  std::uint64_t times;      // then it happens to this many
  std::uint64_t calls = 0;  // so far
};

inline constexpr std::uint32_t kAnyGpu = 0xFFFFFFFF;
inline constexpr std::int32_t kNoResult = -1;

// Readers take no lock and may find any bytes. A writer holds the machine's lock.
class Rules {
 public:
  static constexpr std::size_t kCapacity = 256;
  static constexpr std::uint64_t kLongestDelayNs = 3'600'000'000'000;

  // False when all places are taken.
  bool add(const Rule& rule);
  std::optional<Rule> at(std::size_t place) const;
  void remove(std::size_t place);
  bool empty() const;

  struct Verdict {
    std::int32_t result = kNoResult;
    std::uint64_t delay_ns = 0;
  };
  // Says what becomes of a call of `symbol` on `gpu`, and counts it unless the rules may only be read. The first rule
  // with a result decides, delays add up.
  Verdict judge(Symbol symbol, std::uint32_t gpu, bool read_only);

 private:
  struct Place {
    std::atomic<std::uint32_t> taken;
    std::atomic<std::uint32_t> symbol, gpu;
    std::atomic<std::int32_t> result;
    std::atomic<std::uint64_t> delay_ns, after, times, calls;
  };
  std::atomic<std::uint32_t> end_;  // no place from here on is taken
  Place places_[kCapacity];
};

}  // namespace nvmlkit::sim::calls
