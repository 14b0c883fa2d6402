// The newest `capacity` events of a machine, and a word to wait on. A publisher holds the machine's lock; readers take
// no lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "sim/native/events.hpp"

namespace nvmlkit::sim::events {

// Events of GPUs carry nvmlEventType... bits; those of the machine are kept apart by this one.
inline constexpr std::uint64_t kSystemEvent = std::uint64_t{1} << 63;
// A GPU went out of reach. No NVML event: event sets read it. `data` is the Xid that was raised with it, or 0.
inline constexpr std::uint64_t kLossOfGpu = std::uint64_t{1} << 62;

struct Slot {
  std::atomic<std::uint64_t> number;  // of the event in it, from 1; 0 while it is written
  std::atomic<std::uint64_t> type, data;
  std::atomic<std::uint32_t> gpu, gpu_instance, compute_instance;
};

struct Ring {
  static constexpr std::size_t kCapacity = 2048;
  std::atomic<std::uint64_t> next;  // number of events so far
  std::atomic<std::uint32_t> bell;  // changes when there is something to look at
  alignas(64) Slot slots[kCapacity];
};

// Puts the event behind the others and wakes every waiting thread of every process.
void publish(Ring& ring, std::uint32_t gpu, const Event& event);

// Wakes them without an event.
void ring_bell(Ring& ring);

struct Published {
  Event event;
  std::uint32_t gpu;
};

// The event at `cursor`, which moves behind it. Events that were overwritten meanwhile are skipped. False when there is
// none.
bool take(const Ring& ring, std::uint64_t& cursor, Published& out);

// Where events begin that are not there yet.
std::uint64_t now(const Ring& ring);

std::uint32_t listen(const Ring& ring);
// Sleeps until the bell is no longer `heard` or the deadline (CLOCK_MONOTONIC; null: for ever) is over. False when a
// signal ended it.
bool wait(Ring& ring, std::uint32_t heard, const timespec* deadline);

}  // namespace nvmlkit::sim::events
