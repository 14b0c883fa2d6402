// Applies what was recorded to a machine: what the physics gives is left to it, the rest is pinned.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recording/fields.hpp"
#include "recording/timeline.hpp"
#include "sim/steering/undo.hpp"

namespace nvmlkit::recording {

// What became of one quantity.
struct Fate {
  std::uint64_t values = 0;                   // of them, and so many
  std::uint64_t pinned = 0;                   // were pinned,
  std::uint64_t refused = 0;                  // or no value of this machine
  std::optional<sim::Problem> refusal;        // why the first one
  std::int64_t pinned_ms = 0, driven_ms = 0;  // of all GPUs together
};

class Drive {
 public:
  // Both have to outlive it.
  Drive(const sim::Machine& machine, const Timeline& timeline);

  // Does what the frame has, all values of all GPUs together.
  Expected<void> apply(const Frame& frame);
  // Behind the last frame. Gives every field back, and takes back what was set and broken, unless it is to be left.
  void end(bool give_back);

  const std::map<Quantity, Fate>& fates() const { return fates_; }
  std::uint64_t xids() const { return xids_; }
  // Why an Xid could not be raised; nothing if each could.
  const std::optional<sim::Problem>& xid_refusal() const { return xid_refusal_; }

 private:
  struct Held {  // a quantity of a GPU since its last sample
    std::int64_t since_ms = 0;
    bool driven = false, pinned = false;
  };
  struct Driven {  // a GPU
    std::array<std::optional<double>, 6> loads = {};
    std::array<Held, kQuantities> held = {};
    double last_xid = 0;
    std::unique_ptr<Gpu> before;  // the machine's, as it was
  };
  using Values = std::span<const Value>;

  Expected<void> apply_faults(const Frame& frame);
  Expected<void> raise(std::size_t place, std::uint32_t number);
  Expected<void> heal_answering(const Frame& frame);
  Expected<void> change(Gpu& gpu, std::size_t place, const Frame& frame);
  void apply_free_memory(Gpu& gpu, std::size_t place, const Value& value);
  void apply_setting(Gpu& gpu, std::size_t place, const Value& value);
  void apply_loads(Gpu& gpu, std::size_t place, Values values, std::int64_t now_ns);
  void apply_live(Gpu& gpu, std::size_t place, Values values, std::int64_t now_ns);
  void apply_counter(Gpu& gpu, std::size_t place, const Value& value, std::int64_t now_ns);
  void end_series(Gpu& gpu, const End& end);
  bool fits(const Gpu& gpu, const Value& value, std::int64_t now_ns) const;
  void pin(Gpu& gpu, const Value& value, std::int64_t now_ns);
  void refuse(Quantity quantity, const sim::Problem& problem);
  void account(std::size_t place, const Value& value, bool pinned);
  void give_all_back();
  void stop_clock(std::size_t place, Quantity quantity, std::int64_t at_ms);

  const sim::Machine& machine_;
  const Timeline& timeline_;
  std::vector<Driven> driven_;
  std::map<Quantity, Fate> fates_;
  std::vector<sim::steering::Undo> undo_;
  std::uint64_t xids_ = 0;
  std::optional<sim::Problem> xid_refusal_;
  std::int64_t last_ms_ = 0;
};

}  // namespace nvmlkit::recording
