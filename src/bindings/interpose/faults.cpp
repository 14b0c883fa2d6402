#include <nvmlkit/interpose/faults.hpp>
#include <thread>

#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

constexpr std::size_t kEvery = SIZE_MAX;

// A well-mixed number from a counter: the n-th call has its own, whichever thread makes it.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

struct FaultInjector::Rule {
  Fault fault;
  std::size_t symbol;
  std::uint64_t key;
  std::atomic<std::uint64_t> calls{0}, happened{0};

  bool matches(const Call& call) const {
    if (symbol == kEvery) return call.signature().effect != Effect::lifecycle;
    return symbol == call.symbol();
  }

  // Counts the call. True when the fault happens to it.
  bool happens() {
    const std::uint64_t number = calls.fetch_add(1, std::memory_order_relaxed);
    if (number < fault.after) return false;
    const double chance = static_cast<double>(mix(key + number) >> 11) * 0x1p-53;
    if (chance >= fault.probability) return false;
    auto count = happened.load(std::memory_order_relaxed);
    do {
      if (count >= fault.times) return false;
    } while (!happened.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
    return true;
  }
};

FaultInjector::FaultInjector(std::vector<std::unique_ptr<Rule>> rules) : rules_(std::move(rules)) {}
FaultInjector::~FaultInjector() = default;

Result<std::shared_ptr<FaultInjector>> FaultInjector::create(std::vector<Fault> faults, std::uint64_t seed) {
  std::vector<std::unique_ptr<Rule>> rules;
  for (Fault& fault : faults) {
    const auto refuse = [&](const std::string& why) {
      return Failure(Errc::invalid_argument, nullptr, "fault " + std::to_string(rules.size()) + ": " + why);
    };
    std::size_t symbol = kEvery;
    if (!fault.function.empty()) {
      const Symbol* found = find_symbol(fault.function);
      if (!found) return refuse("NVML has no function " + fault.function);
      symbol = static_cast<std::size_t>(found - symbols().data());
      if (symbol == symbol_index(&Table::ErrorString) || symbol == symbol_index(&Table::InternalGetExportTable))
        return refuse(fault.function + " cannot be made to fail");
    }
    if (!(fault.probability >= 0 && fault.probability <= 1)) return refuse("a probability is between 0 and 1");
    auto rule = std::make_unique<Rule>();
    rule->fault = std::move(fault);
    rule->symbol = symbol;
    rule->key = mix(seed + mix(rules.size()));
    rules.push_back(std::move(rule));
  }
  return std::shared_ptr<FaultInjector>(new FaultInjector(std::move(rules)));
}

Word FaultInjector::on_call(const Call& call) noexcept {
  std::optional<Errc> result;
  std::chrono::nanoseconds delay{};
  for (const auto& rule : rules_) {
    if (!rule->matches(call) || (result && rule->fault.result) || !rule->happens()) continue;
    delay += rule->fault.delay;
    if (rule->fault.result) result = rule->fault.result;
  }
  if (delay.count() > 0) std::this_thread::sleep_for(delay);
  return result ? to_word(static_cast<int>(*result)) : call.forward();
}

std::uint64_t FaultInjector::count(std::size_t index) const noexcept {
  return index < rules_.size() ? rules_[index]->happened.load(std::memory_order_relaxed) : 0;
}

}  // namespace nvmlkit::nvml::interpose
