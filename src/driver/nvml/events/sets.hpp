// The event sets of this process. Nothing here runs by itself: a set is a list of registrations and a reading position
// in the machine's events.
#pragma once

#include <cstdint>

#include "nvmlkit/generated/abi.hpp"
#include "sim/events/ring.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

// Whose events a set collects: those of GPUs, or those of the machine. A handle of one kind is none of the other.
enum class EventScope { gpu, system };

// A set that a call uses; it stays while the call does, also when another thread frees the handle.
class EventSetUse {
 public:
  EventSetUse(const void* handle, EventScope scope);
  ~EventSetUse();
  EventSetUse(const EventSetUse&) = delete;
  EventSetUse& operator=(const EventSetUse&) = delete;

  explicit operator bool() const { return set_ != nullptr; }
  bool freed() const;
  // From now on these types of events of the GPU (events::no_gpu: of the machine) are delivered. False: no memory.
  bool add(const sim::Machine& machine, std::uint32_t gpu, std::uint64_t types);
  // The next event of a registered type; false when there is none.
  bool take(const sim::Machine& machine, sim::events::Published& out);
  // Is there a lost GPU to report, after the events so far? Each loss is reported once, and an event of a registered
  // Xid reports it already. Never twice before wait_ended() or an event: a client that retries at once must not spin.
  bool report_loss();
  // A wait ended without an event and without a report.
  void wait_ended();

 private:
  struct Access;
  void* set_ = nullptr;
};

// Null when all places are taken or memory is short.
void* create_event_set(const sim::Machine& machine, EventScope scope);

// False for a handle that is no living set. Threads that wait on it come back.
bool free_event_set(const sim::Machine& machine, const void* handle, EventScope scope);

// The library was shut down: threads that wait come back.
void end_waits(const sim::Machine& machine);

// Waits for an event of the set: NVML_SUCCESS, NVML_ERROR_TIMEOUT, NVML_ERROR_GPU_IS_LOST once after a GPU of the
// set went out of reach, NVML_ERROR_UNINITIALIZED when the library is shut down meanwhile.
abi::nvmlReturn_t wait_for_event(const sim::Machine& machine, EventSetUse& set, unsigned int milliseconds,
                                 sim::events::Published& out);

}  // namespace nvmlkit::driver
