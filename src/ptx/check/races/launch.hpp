// A launch whose accesses are looked at, and what all launches share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "ptx/check/races/log.hpp"
#include "ptx/launch.hpp"

namespace nvmlkit::ptx::races {

// What a thread that releases writes for those that acquire: within its block or its cluster, and for all.
struct Flag {
  ClockRef wide;
  std::map<std::uint64_t, ClockRef> near;  // by block, and by cluster
};
using Flags = std::unordered_map<std::uint64_t, Flag>;

// What is ordered before a launch by a kernel.
struct Birth {
  LaunchOrder order;  // without the parent and its other launches
  ClockRef clock;     // of the thread
  std::uint32_t parent = 0;
};

class Launch {
 public:
  explicit Launch(const Grid& grid);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  std::uint64_t block(std::uint64_t number) const { return std::uint64_t{id} << 32 | number; }
  // A number for the cluster of a block, which no block has.
  std::uint64_t cluster_of(std::uint64_t block) const;
  // Whether a launch that began earlier is ordered before this one.
  bool is_after(std::uint32_t other) const;
  // Of an event of another launch.
  bool is_after(const Event& event, unsigned lane) const {
    if (is_after(static_cast<std::uint32_t>(event.block >> 32))) return true;
    return birth && birth->clock && birth->clock->knows(event.block, event.warp, lane, event.time);
  }
  // By a thread of this one, which knows so much.
  std::shared_ptr<const Birth> child(ClockRef clock, std::uint64_t block, std::uint64_t stream, bool in_order);
  void waits_for_children() { children_done_ = shared_launches(); }
  // The launch of an event; null: it is forgotten.
  const Launch* launch_of(const Event& event) const;
  // The instruction and the thread of an event of this launch; work of the driver has neither.
  void describe(const Event& event, unsigned lane, Race::Side& out) const;
  // Counts a race between two instructions; false: it is the first one, or the first error, and is to be noted.
  bool count(Race::Severity severity, const Event& first, const Event& second, std::uint64_t hazards);
  void note(Race race, const Event& first, const Event& second);
  bool has_found() const { return !found_.empty(); }
  // To the driver.
  void report();

  const std::uint32_t id;
  const bool looks_at_global;
  std::uint32_t first_global = 0;  // events before are ordered before this launch
  std::shared_ptr<const void> about;
  const std::shared_ptr<const Birth> birth;  // of a launch by a kernel
  mutable bool talks_with_host = false;      // by accesses that both of them can see while it runs

 private:
  static std::uint32_t shared_launches();
  bool is_within(std::uint32_t other) const;
  using Key = std::tuple<const Function*, std::uint32_t, const Function*, std::uint32_t, bool>;
  static Key key_of(Race::Severity severity, const Event& first, const Event& second);

  std::uint32_t blocks_[3], threads_[3], cluster_[3];
  Checks* checks_;
  LaunchOrder order_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint32_t, std::uint64_t>> streams_;  // of children
  std::uint32_t children_done_ = 0;  // launches up to this one
  std::map<Key, Race> found_;
};

constexpr const char* kUnorderedLaunches =
    "Nothing orders the two: no stream, event, edge of a graph or wait of the host";

struct Shared {
  std::recursive_mutex mutex;  // of all below, and of each turn of a launch
  Time now = 1;
  std::uint32_t launches = 0;
  std::uint32_t streams = 1u << 31;  // of kernels that launch kernels; the driver has lower numbers
  Log global;
  Flags flags;
  std::map<std::uint32_t, std::shared_ptr<Launch>> all;  // whose events are known
  unsigned running = 0;
};
Shared& shared();

// While a thread of the host executes blocks of a launch that is looked at.
std::unique_lock<std::recursive_mutex> turn();

// For the time of a launch that is looked at; otherwise nothing.
class Launching {
 public:
  explicit Launching(const Grid& grid);
  ~Launching();
  Launching(const Launching&) = delete;
  Launching& operator=(const Launching&) = delete;

 private:
  std::shared_ptr<Launch> launch_;
  Checks* checks_ = nullptr;
  std::shared_ptr<Launch> outer_;
};

// Memory that was allocated anew.
void forget(std::uint64_t address, std::uint64_t size);

}  // namespace nvmlkit::ptx::races
