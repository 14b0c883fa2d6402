// Waiting for events of GPUs.
#pragma once

#include <chrono>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace nvmlkit::nvml {

struct Event {
  Device device;
  EventType type;
  unsigned long long data;             // of an Xid event: the Xid
  unsigned int gpu_instance_id = ~0U;  // ~0U: of no instance, or of a driver that does not say
  unsigned int compute_instance_id = ~0U;
};

// A context record of an operational event.
struct EventContext {
  OperationalEventContextType type;
  unsigned int source_type;         // the source's number of the kind
  unsigned short format_version;    // of `data`
  std::vector<std::byte> data;      // as the source lays it out
  std::optional<unsigned int> xid;  // of a record of the type legacy_xid
};

// A structured event. The numbers without a type are those of the module that reports it.
struct OperationalEvent {
  std::string module;  // GPU-RAS, for instance
  unsigned int category, code;
  OperationalEventSeverity severity;
  OperationalEventLogLevel level;
  OperationalEventAttributes attributes;
  OperationalEventGroupAttributes group_attributes;
  unsigned int scope, originator, module_instance, chiplet;
  unsigned long long group, instance, trace;  // identifiers
  unsigned int group_size, group_index;
  unsigned int cper_size;  // of the record that Library's CperCursor reads; 0: none
};

// An event as drivers from 615 on deliver it: an event bit, or an operational event.
struct EventRecord {
  std::string gpu_uuid;            // empty: unknown
  std::chrono::microseconds time;  // 0: unknown
  std::optional<EventType> type;   // of an event bit
  unsigned long long data = 0;     // of an Xid event: the Xid
  unsigned int gpu_instance_id = ~0U;
  unsigned int compute_instance_id = ~0U;
  std::optional<OperationalEvent> operational;
};

// Owns an event set. Not for use from several threads at once; movable.
class EventSet {
 public:
  // @c nvmlEventSetCreate
  static Result<EventSet> create(const Library& library);
  EventSet(EventSet&& other) noexcept;
  EventSet& operator=(EventSet&& other) noexcept;
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;
  ~EventSet();

  // What there can be: Device::supported_event_types(). @c nvmlDeviceRegisterEvents
  Result<void> watch(const Device& device, EventTypes types);

  // Operational events of a GPU, from these levels on. wait_record() delivers them, wait() does not. Needs root and a
  // driver of CUDA 13.4. @c nvmlEventSetRegisterGpuOperationalEvents_v1
  Result<void> watch_operational(const std::string& gpu_uuid,
                                 OperationalEventLogLevel level = OperationalEventLogLevel::all,
                                 OperationalEventSeverity severity = OperationalEventSeverity::all);
  // The next event of either kind; empty when nothing came in time. It does not wait in slices.
  // @c nvmlEventSetWait_v3
  Result<std::optional<EventRecord>> wait_record(std::chrono::milliseconds timeout);
  // The context records of the event that wait_record() delivered last.
  // @c nvmlEventSetGetContextCount_v1 @c nvmlEventSetGetContextInfo_v1 @c nvmlEventSetGetContextData_v1
  // @c nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1
  Result<std::vector<EventContext>> contexts() const;

  // Empty when nothing came in time, or when `stop` was requested; a failure when the driver says so, a lost GPU for
  // one. The library waits in slices, so that a stop request ends the wait within 100 ms. A deadline that has passed,
  // and a stop that was requested before, still take an event that is there already.
  // @c nvmlEventSetWait_v2 @c nvmlEventSetWait
  Result<std::optional<Event>> wait_until(std::chrono::steady_clock::time_point deadline, std::stop_token stop = {});
  // The same with a time from now; milliseconds::max() waits for ever.
  Result<std::optional<Event>> wait(std::chrono::milliseconds timeout, std::stop_token stop = {});

  abi::nvmlEventSet_t handle() const noexcept { return set_; }

 private:
  EventSet(SessionPtr session, abi::nvmlEventSet_t set) noexcept : session_(std::move(session)), set_(set) {}
  Result<std::optional<Event>> wait_once(unsigned int timeout_ms);
  Result<EventContext> context(unsigned int index) const;

  SessionPtr session_;
  abi::nvmlEventSet_t set_ = nullptr;
};

}  // namespace nvmlkit::nvml
