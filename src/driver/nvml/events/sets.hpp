// The event sets of this process. Nothing here runs by itself: a set is a list of registrations and a reading position
// in the machine's events.
#pragma once

#include <cstdint>

#include "nvmlkit/generated/abi.hpp"
#include "sim/events/ring.hpp"
#include "sim/generated/xids.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

// Whose events a set collects: those of GPUs, or those of the machine. A handle of one kind is none of the other.
enum class EventScope { gpu, system };

// What a set delivers: an event of a registered type, or the operational event that was published with an Xid.
struct EventRecord {
  sim::events::Published published;
  std::uint64_t number;                 // of the event in the machine
  const sim::faults::Xid* operational;  // null: an event of a registered type
};

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
  // From now on the GPU's operational events of at least that level and severity are delivered, beside the others.
  bool add_operational(const sim::Machine& machine, std::uint32_t gpu, std::uint32_t level, std::uint32_t severity);
  // The next event of either kind; false when there is none. It becomes the latest record.
  bool take_record(const sim::Machine& machine, EventRecord& out);
  // The operational event that take_record() took last; null if it took another event, or none.
  const sim::faults::Xid* latest_operational() const;
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

// The same for records.
abi::nvmlReturn_t wait_for_record(const sim::Machine& machine, EventSetUse& set, unsigned int milliseconds,
                                  EventRecord& out);

}  // namespace nvmlkit::driver
