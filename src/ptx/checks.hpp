// Checks of what kernels do with memory, for a sanitizer. Without them no handler looks at anything else than it needs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// What is checked in modules that are made from now on; set once, before the first one.
struct Checking {
  bool memory = false;            // addresses
  bool initialized = false;       // bits of memory that nothing has written
  bool barriers = false;          // who arrives at barriers, and masks of lanes
  bool races = false;             // accesses that nothing orders
  std::uint32_t patience_s = 10;  // that threads may look at memory before they count as a deadlock
  std::uint64_t seed = 0;         // of the order of warps and blocks; 0: the usual one
  std::uint32_t gap = 0;          // bytes between variables, so that what lies behind one is in none

  bool is_on() const { return memory || initialized || barriers || races; }
  bool watches_blocks() const { return barriers || races; }
};
inline constinit Checking checking;

enum class Touch : std::uint8_t { reads, writes, changes };

// Where a thread stands: the instruction, and those of its callers behind it.
struct Place {
  const Function* function = nullptr;
  std::uint32_t instruction = 0;
  int line = 0;  // of the PTX
};

struct BadAccess {
  enum class Kind : std::uint8_t { out_of_bounds, misaligned, uninitialized, bad_free };
  Kind kind{};
  Touch touch{};
  Space space = Space::generic;  // the one that the address lies in
  std::uint64_t address = 0;
  std::uint32_t size = 0;  // 0: unknown
  std::uint32_t block[3] = {}, thread[3] = {};
  std::vector<Place> places;
  const Variable* nearest = nullptr;  // of the module, where one lies near
  std::uint64_t nearest_start = 0, nearest_size = 0;
};

// A wrong use of a barrier, or of an instruction for a set of lanes.
struct BadBarrier {
  enum class Kind : std::uint8_t { divergent_warp, divergent_block, invalid_arguments };
  Kind kind{};
  std::string text;  // what is wrong
  std::uint32_t block[3] = {}, thread[3] = {};
  std::vector<Place> places;
};

// Threads that wait at one place for what never comes.
struct Waiters {
  std::string text;  // for what
  std::string threads;
  std::uint32_t block[3] = {};
  std::uint32_t count = 0;
  std::vector<Place> places;
};

// Two accesses to the same bytes that nothing orders.
struct Race {
  enum class Severity : std::uint8_t { info, warning, error };
  struct Side {
    Touch touch{};
    std::vector<Place> places;
    std::uint32_t block[3] = {}, thread[3] = {};
    std::shared_ptr<const void> launch;  // the driver's, of another launch than this one
  };
  Severity severity = Severity::error;
  Space space = Space::shared;
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint64_t count = 1;
  const char* reason = "";
  Side first, second;  // the one that was executed earlier, and the one that found it
  const Variable* variable = nullptr;
};

// What the driver knows of the order of launches.
struct LaunchOrder {
  std::uint32_t stream = 0;  // 0: behind all others
  std::uint64_t number = 0;  // of the work in it
  // Of a node of a graph, which is a stream of its own: where the graph ends in the stream that it was launched in.
  std::uint32_t of_stream = 0;
  std::uint64_t of_number = 0;
  // Of each stream, the last work that is done before.
  std::shared_ptr<const std::map<std::uint32_t, std::uint64_t>> known;
};

namespace races {
class Launch;
}

// Who hears of it. The driver implements it; many threads call.
class Checks {
 public:
  virtual ~Checks() = default;
  LaunchOrder order;
  std::shared_ptr<const void> about;       // of the launch, for reports of races with later ones
  std::shared_ptr<races::Launch> watched;  // while it runs
  virtual void found(const BadAccess& access) = 0;
  virtual void found(const BadBarrier&) {}
  virtual void found(const std::vector<Waiters>&) {}
  virtual void found(const Race&) {}
};

}  // namespace nvmlkit::ptx
