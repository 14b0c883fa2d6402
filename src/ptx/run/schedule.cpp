#include "ptx/run/schedule.hpp"

#include <map>
#include <mutex>

namespace nvmlkit::ptx {
namespace {

// Turns of one instruction show what lies between two instructions, long ones what a whole phase of another warp does.
constexpr unsigned kLongestTurns[] = {0, 2, 4, 6, 9, 16};
constexpr std::uint32_t kOpenGroups[] = {1, 2, 8, 32};

// The mixing function of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

std::uint64_t digest(const std::string& text) {
  std::uint64_t out = 0xCBF29CE484222325;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return out;
}

}  // namespace

// Launches of one kernel are counted, so that other streams change nothing.
std::unique_ptr<Schedule> Schedule::make(const std::string& kernel) {
  if (checking.seed == 0) return nullptr;
  static auto& mutex = *new std::mutex;  // threads may use both until the process ends
  static auto& launches = *new std::map<std::string, std::uint64_t>;
  const std::lock_guard lock(mutex);
  return std::make_unique<Schedule>(checking.seed, kernel, launches[kernel]++);
}

Schedule::Schedule(std::uint64_t seed, const std::string& kernel, std::uint64_t launch)
    : state_(mixed(seed) ^ mixed(digest(kernel) + launch)),
      longest_turn_(kLongestTurns[pick(std::size(kLongestTurns))]),
      parts_lanes_(pick(2) != 0),
      open_groups_(kOpenGroups[pick(std::size(kOpenGroups))]) {}

std::uint64_t Schedule::next() { return mixed(state_ += 0x9E3779B97F4A7C15); }

const std::vector<std::uint32_t>& Schedule::order(std::uint32_t count) {
  order_.resize(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto place = pick(k + 1);
    order_[k] = order_[place];
    order_[place] = k;
  }
  return order_;
}

// Of all lengths up to the longest, as powers of 2, so that one warp may get far ahead.
std::uint64_t Schedule::turn() {
  const auto most = std::uint64_t{1} << pick(longest_turn_ + 1);
  return 1 + pick(static_cast<std::uint32_t>(most));
}

}  // namespace nvmlkit::ptx
