// The kernel log of a machine: its events as records, from any place on.
#pragma once

#include <cstdint>
#include <ctime>
#include <vector>

#include "kernel_log/record.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::kernel_log {

// A place in the log, behind the records that were taken. Good for every process, and as long as the machine is.
using Place = std::uint64_t;

inline constexpr Place kOldest = 0;

// Where the log ends now.
Place end_of(const sim::Machine& machine);

// Ends the waits of all followers, for instance because the machine is down.
void wake(const sim::Machine& machine);

// Keeps a place and nothing else. The machine must outlive it, and may be read-only.
class Follower {
 public:
  explicit Follower(const sim::Machine& machine, Place from = kOldest) : machine_(&machine), place_(from) {}

  // The records since the last call, oldest first. Records that were overwritten meanwhile are skipped.
  std::vector<Record> take();

  // Sleeps until the machine may have new records, or until the deadline (CLOCK_MONOTONIC; null: for ever). False if
  // the deadline passed or a signal ended the wait. Other changes of the machine end it too.
  bool wait(const timespec* deadline = nullptr);

  // Behind the last record that take() returned.
  Place place() const { return place_; }

 private:
  const sim::Machine* machine_;
  Place place_;
  std::uint32_t heard_ = 0;
};

}  // namespace nvmlkit::kernel_log
