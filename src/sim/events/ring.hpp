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
// A message for the kernel log. No NVML event: event sets skip it. `data` is a Message and its value.
inline constexpr std::uint64_t kLogged = std::uint64_t{1} << 61;

struct Slot {
  std::atomic<std::uint64_t> number;  // of the event in it, from 1; 0 while it is written
  std::atomic<std::uint64_t> type, data;
  std::atomic<std::uint32_t> gpu, gpu_instance, compute_instance, detail;
  std::atomic<std::uint64_t> uptime_us, record;
  std::atomic<std::uint64_t> process_name[2];
  std::atomic<std::uint32_t> pid;
};

struct Ring {
  static constexpr std::size_t kCapacity = 2048;
  std::atomic<std::uint64_t> next;     // number of events so far
  std::atomic<std::uint64_t> records;  // number of records of the kernel log among them
  std::atomic<std::uint32_t> bell;     // changes when there is something to look at
  alignas(64) Slot slots[kCapacity];
};

// The process that an event is about.
struct Process {
  std::uint32_t pid = 0;  // 0: unknown
  char name[16] = {};     // as the kernel has it, with a NUL at the end
};

// Puts the event behind the others and wakes every waiting thread of every process.
void publish(Ring& ring, std::uint32_t gpu, const Event& event, const Process& process = {});

// Is the event a record of the kernel log? Such records are numbered.
bool has_record(const Event& event);

// Wakes them without an event.
void ring_bell(Ring& ring);

// Wakes those who sleep already, and writes nothing: for a machine that may only be read. Who is about to sleep sleeps.
void wake_sleepers(Ring& ring);

struct Published {
  Event event;
  std::uint32_t gpu;
  std::uint64_t uptime_us;  // of the host, as the kernel log counts
  std::uint64_t record;     // number of the event's record in the kernel log, from 0
  Process process;
};

// The event at `cursor`, which moves behind it. Events that were overwritten meanwhile are skipped. False when there is
// none.
bool take(const Ring& ring, std::uint64_t& cursor, Published& out);

// Makes `to`, which nobody else uses, hold the events of `from` at their numbers. It wakes nobody.
void copy(const Ring& from, Ring& to);

// Where events begin that are not there yet.
std::uint64_t now(const Ring& ring);

std::uint32_t listen(const Ring& ring);
// Sleeps until the bell is no longer `heard` or the deadline (CLOCK_MONOTONIC; null: for ever) is over. False when a
// signal ended it.
bool wait(Ring& ring, std::uint32_t heard, const timespec* deadline);

}  // namespace nvmlkit::sim::events
