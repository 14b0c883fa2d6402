#include "sim/faults/nic.hpp"

#include <algorithm>

#include "sim/faults/kind_words.hpp"
#include "sim/traits/port_counters.hpp"

namespace nvmlkit::sim::faults {
namespace {

constexpr std::string_view kNicFaults[] = {"down", "errors"};

void count(nics::State& nic, const PortCounter& counter, std::uint64_t times) {
  auto& so_far = nic.counts[&counter - kErrorCounters];
  const auto largest = (std::uint64_t{1} << counter.bits) - 1;
  so_far = static_cast<std::uint32_t>(std::min(largest, so_far + std::min(times, largest)));
}

Expected<void> count_errors_of(nics::State& nic, Words words) {
  const bool named = !words.empty() && words[0] != "--count";
  const auto* counter = find(kErrorCounters, named ? std::string_view(words[0]) : "symbol_error");
  if (!counter) return unknown("counter of errors", words[0], kErrorCounters);
  const auto rest = words.subspan(named ? 1 : 0);
  std::uint64_t times = 1;
  if (!rest.empty()) {
    if (rest[0] != "--count") return fail(unexpected_word(rest[0]));
    const auto given = rest.size() > 1 ? number(rest[1]) : std::nullopt;
    if (!given || *given == 0) return fail(missing("a number of errors after --count"));
    times = *given;
  }
  if (auto good = no_more(rest, 2); !good) return good;
  count(nic, *counter, times);
  return {};
}

}  // namespace

Expected<void> inject_into_nic(nics::State& nic, Words words) {
  if (words.empty()) return fail(missing("down, or errors and a counter, such as errors symbol_error"));
  if (words[0] == "errors") return count_errors_of(nic, words.subspan(1));
  if (words[0] != "down") return fail(unknown_name("fault of a network adapter", words[0], kNicFaults));
  if (auto good = no_more(words, 1); !good) return good;
  if (nic.down == 0) count(nic, *find(kErrorCounters, "link_downed"), 1);
  nic.down = 1;
  return {};
}

Expected<void> heal_nic(nics::State& nic, Words kind) {
  if (auto good = no_more(kind, 1); !good) return good;
  if (!kind.empty() && kind[0] == "errors") return fail(impossible(quote(kind[0]) + " is over once it happened"));
  if (!kind.empty() && kind[0] != "down") return fail(unknown_name("fault of a network adapter", kind[0], kNicFaults));
  nic.down = 0;
  return {};
}

std::vector<std::string> faults_of(const nics::State& nic) {
  return nic.down == 0 ? std::vector<std::string>() : std::vector<std::string>{"down"};
}

}  // namespace nvmlkit::sim::faults
