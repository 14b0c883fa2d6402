// A block whose accesses are looked at: what its threads know of each other, and what they did to memory.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ptx/check/races/launch.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx::races {

// How far an order reaches: the threads of the block, of its cluster, all.
constexpr unsigned kLevels = 3;

// What a lane has read of flags, or fenced, and has not used yet; by level.
struct LaneOrder {
  ClockRef seen[kLevels];    // until a fence behind the read
  Time fence[kLevels] = {};  // the last fences
};

// Accesses of one instruction that run beside its threads and have not been waited for.
struct RunningCopy {
  enum class Kind : std::uint8_t { lanes, bulk, products };  // cp.async, bulk copies from shared memory, wgmma
  static constexpr unsigned kKinds = 3;
  Kind kind{};
  bool is_global = false;
  Touch touch{};
  Stamp event = 0;  // without a lane
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
  // The last times that lanes came together for `match`, which orders no memory.
  std::array<std::pair<Time, Mask>, 8> matches;
  unsigned matched = 0;
  std::vector<RunningCopy> copies;
  std::uint32_t groups[RunningCopy::kKinds][kLanes] = {};  // that lanes have committed

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
  void match(Warp& w, Mask lanes);
  void arrive_in_cluster(Warp& w, Mask lanes);
  void leave_cluster(Warp& w, Mask lanes);
  // All have arrived; of the first member.
  void end_phase_of_cluster() { cluster_released_ = std::exchange(cluster_arrived_, nullptr); }

  // Barriers in shared memory of this block: who arrives, from whichever block, and who has seen the end of a phase.
  void arrive_at(std::uint64_t address, const ClockRef& clock);
  const ClockRef& arrived_at(std::uint64_t address) { return gates_[address]; }
  ClockRef hand_on(Warp& w, unsigned lane);
  void learn(Warp& w, unsigned lane, const ClockRef& clock) { learn(state(w), lane, clock); }

  // Accesses that run beside the threads, with addresses in the block's own memory.
  void run(Warp& w, const Instruction& i, RunningCopy::Kind kind, Space space, Touch touch, std::uint32_t size,
           const std::uint64_t* addresses, Mask lanes);
  void commit(Warp& w, RunningCopy::Kind kind, Mask lanes);
  // With `reads`, only what is read is no longer in use.
  void wait(Warp& w, RunningCopy::Kind kind, std::uint32_t most_left, bool reads, Mask lanes);
  // By a lane of this block, to the shared memory of a block, with a barrier that learns of the end.
  void bulk_copy(Warp& w, const Instruction& i, BlockState& of, std::uint64_t to, std::uint32_t size,
                 std::uint64_t barrier, unsigned lane);

  // A lane launches a kernel into a stream of its block; with `in_order`, behind those that are in it.
  std::shared_ptr<const Birth> launches(Warp& w, unsigned lane, std::uint64_t stream, bool in_order);
  // All that the grid has launched is done.
  void waits_for_launches() { launch_.waits_for_children(); }

  // Of the cluster, the block whose shared memory an address lies in.
  BlockState& owner_of(std::uint64_t address);

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
  bool is_matched(const Look& look, const Event& event, unsigned other, unsigned lane) const;
  void conflict(Look& look, Stamp earlier, std::uint64_t address, unsigned lane);
  Race::Severity severity_of(Look& look, const Event& event, Stamp earlier, std::uint64_t address, unsigned lane,
                             const char*& reason);
  bool is_same_value(Look& look, const Event& event, Stamp earlier, std::uint64_t address, unsigned lane);
  std::uint32_t event_for(Warp& w, const Instruction& i, const CheckedForm& form, Touch touch, bool global);
  std::uint32_t new_event(Log& log, Warp& w, const Instruction& i, Touch touch, std::uint32_t warp, Time time,
                          const CheckedForm* form = nullptr) const;
  unsigned level_of(Scope scope) const {
    return scope == Scope::all ? 2 : scope == Scope::cluster && is_in_cluster_ ? 1 : 0;
  }
  std::uint64_t place_of(unsigned level) const { return level == 0 ? number_ : cluster_; }
  void look_at(Look& look, const std::uint64_t* addresses, Mask lanes, bool writes);
  void synchronize(Warp& w, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes, bool is_global);
  void synchronize(Warp& w, const CheckedForm& form, Flags& flags, std::uint64_t address, unsigned lane);
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
  std::uint64_t number_ = 0;   // of the block, for events
  std::uint64_t cluster_ = 0;  // where flags keep what its threads hand on
  std::vector<WarpState> warps_;
  Time floor_ = 0;                 // all threads know of all threads of the block what was before
  std::uint32_t first_event_ = 0;  // of shared memory; those before are ordered before all that happens now
  bool has_clocks_ = false, is_in_cluster_;
  ClockRef arrived_[16];
  ClockRef cluster_arrived_, cluster_released_;  // of the first member: by those of this phase, and of the last one
  std::unordered_map<std::uint64_t, ClockRef> gates_;  // barriers in memory
};

}  // namespace nvmlkit::ptx::races
