// Injected errors and delays, for tests of a program's error handling.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <nvmlkit/interpose/hook.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nvmlkit::nvml::interpose {

struct Fault {
  std::string function;              // "nvmlDeviceGetName"; empty = all but those that start and end the library
  std::optional<Errc> result{};      // answered instead of calling; empty = the call is made, after the delay
  std::uint64_t after = 0;           // this many calls pass first
  std::uint64_t times = UINT64_MAX;  // then it happens to this many
  double probability = 1;            // to each of those, from 0 to 1
  std::chrono::nanoseconds delay{};  // slept before the answer
};

// Of several faults that match a call, the first with a result decides; delays add up.
class FaultInjector : public Hook {
 public:
  // Errc::invalid_argument for a function that is none of symbols() or that returns no code, and for a probability
  // that is none. The same seed and the same number of calls of a function give the same faults, whatever the threads.
  static Result<std::shared_ptr<FaultInjector>> create(std::vector<Fault> faults, std::uint64_t seed = 1);
  ~FaultInjector() override;

  Word on_call(const Call& call) noexcept override;

  // How often fault number `index` happened.
  std::uint64_t count(std::size_t index) const noexcept;

 private:
  struct Rule;
  explicit FaultInjector(std::vector<std::unique_ptr<Rule>> rules);
  std::vector<std::unique_ptr<Rule>> rules_;
};

}  // namespace nvmlkit::nvml::interpose
