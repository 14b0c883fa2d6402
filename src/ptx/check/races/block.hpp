// A block whose accesses are looked at: what its threads know of each other, and what they did to memory.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ptx/check/races/launch.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx::races {

// What a lane has read of flags, or fenced, and has not used yet.
struct LaneOrder {
  ClockRef seen_near, seen_wide;        // until a fence behind the read
  Time fence_near = 0, fence_wide = 0;  // the last fences
};

// Copies of one instruction that have not been waited for.
struct RunningCopy {
  Stamp event = 0;  // without a lane
  const Instruction* instruction = nullptr;
  const Function* function = nullptr;
  Mask lanes = 0;
  std::uint32_t size = 0;
  std::uint64_t addresses[kLanes] = {};
  std::uint32_t group[kLanes] = {};
};

struct WarpState {
  struct Slot {
    const Instruction* instruction = nullptr;
    Time since = 0;
    std::uint32_t event[2] = {};  // shared, global
  };
  Time since = 0;  // it handed on nothing from then on
  Time floor = 0;  // all lanes know of all lanes what was before
  std::array<Slot, 32> slots;
  std::array<ClockRef, kLanes> clocks;
  bool has_clocks = false;
  std::unique_ptr<std::array<std::array<Time, kLanes>, kLanes>> lanes;  // of each other, beyond the floor
  std::unique_ptr<std::array<LaneOrder, kLanes>> order;
  std::vector<RunningCopy> copies;
  std::uint32_t groups[kLanes] = {};  // of copies, that lanes have committed

  LaneOrder& order_of(unsigned lane) {
    if (!order) order = std::make_unique<std::array<LaneOrder, kLanes>>();
    return (*order)[lane];
  }
};

class BlockState {
 public:
  explicit BlockState(Block& block);

  void start();
  void access(Warp& w, const Instruction& i, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes);
  // Another instruction than a load or store, in a space that is known.
  void access(Warp& w, const Instruction& i, Space space, Touch touch, std::uint32_t size,
              const std::uint64_t* addresses, Mask lanes);
  void fence(Warp& w, Scope scope, Mask lanes);

  // Barriers.
  void arrive(Warp& w, unsigned barrier, Mask lanes);
  void release_all();
  void release(unsigned barrier);
  void meet(Warp& w, Mask lanes);  // lanes of a warp
  void arrive_in_cluster(Warp& w, Mask lanes);
  void leave_cluster(Warp& w, Mask lanes);

  // Barriers in shared memory of this block: who arrives, from whichever block, and who has seen the end of a phase.
  void arrive_at(std::uint64_t address, const ClockRef& clock);
  const ClockRef& arrived_at(std::uint64_t address) { return gates_[address]; }
  ClockRef hand_on(Warp& w, unsigned lane);
  void learn(Warp& w, unsigned lane, const ClockRef& clock) { learn(state(w), lane, clock); }

  // Copies that run beside the threads.
  void copy(Warp& w, const Instruction& i, std::uint32_t size, const std::uint64_t* to, const std::uint64_t* from,
            Mask lanes);
  void commit(Warp& w, Mask lanes);
  void wait(Warp& w, std::uint32_t most_left, Mask lanes);
  // By a lane of any block to the shared memory of this one.
  void bulk_copy(Warp& w, const Instruction& i, std::uint64_t to, std::uint32_t size, std::uint64_t barrier,
                 unsigned lane);

  Log& log() { return log_; }

 private:
  struct Look;
  template <bool writes>
  void touch(Look& look, std::uint64_t address, unsigned lane);
  template <bool writes>
  void touch_lanes(Look& look, const std::uint64_t* addresses, Mask lanes);
  template <bool writes>
  void touch_cell(Look& look, Page& page, std::uint32_t number, std::uint64_t address, unsigned lane);
  bool touch_row(Look& look, const std::uint64_t* addresses, Mask lanes, bool writes);
  bool read_row(const Look& look, Cell* cells, Stamp* others, unsigned count) const;
  // The last reader that was looked up, and whether it is of another block.
  struct FarReader {
    std::uint32_t event = 0;
    bool is_far = false;
  };
  bool read_far(const Look& look, Cell& cell, Stamp& other, Stamp own, FarReader& last) const;
  static bool write_row(const Look& look, Cell* cells, Stamp* others, unsigned count);
  void add_reader(Look& look, Page& page, std::uint32_t number, Stamp own);
  bool is_before(Look& look, Stamp stamp, unsigned lane);
  bool is_plain_write_of(const Look& look, Stamp stamp, unsigned lane) const;
  bool is_before_by_clocks(const Look& look, const Event& event, unsigned other, unsigned lane) const;
  void conflict(Look& look, Stamp earlier, std::uint64_t address, unsigned lane);
  Race::Severity severity_of(Look& look, const Event& event, Stamp earlier, std::uint64_t address, unsigned lane,
                             const char*& reason);
  bool is_same_value(Look& look, const Event& event, Stamp earlier, std::uint64_t address, unsigned lane);
  std::uint32_t event_for(Warp& w, const Instruction& i, const CheckedForm& form, Touch touch, bool global);
  void look_at(Look& look, const std::uint64_t* addresses, Mask lanes, bool writes);
  void synchronize(Warp& w, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes, Flags& flags);
  void read_flag(Warp& w, const CheckedForm& form, const Flag& flag, unsigned lane);
  void write_flag(Warp& w, const CheckedForm& form, Flag& flag, unsigned lane);
  ClockRef clock_of(const WarpState& state, unsigned warp, unsigned lane, Time own) const;
  void learn(WarpState& state, unsigned lane, const ClockRef& clock);
  WarpState& state(const Warp& w) { return warps_[w.index()]; }
  Time tick(WarpState& state);

  Block& block_;
  Launch& launch_;
  Log log_;
  Flags flags_;
  std::uint64_t number_ = 0;  // of the block, for events
  std::vector<WarpState> warps_;
  Time floor_ = 0;                 // all threads know of all threads of the block what was before
  std::uint32_t first_event_ = 0;  // of shared memory; those before are ordered before all that happens now
  bool has_clocks_ = false, is_in_cluster_;
  ClockRef arrived_[16], cluster_arrived_;
  std::unordered_map<std::uint64_t, ClockRef> gates_;  // barriers in memory
};

}  // namespace nvmlkit::ptx::races
