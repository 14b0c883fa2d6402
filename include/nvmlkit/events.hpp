// Waiting for events of GPUs.
#pragma once

#include <chrono>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <optional>
#include <stop_token>

namespace nvmlkit::nvml {

struct Event {
  Device device;
  EventType type;
  unsigned long long data;             // of an Xid event: the Xid
  unsigned int gpu_instance_id = ~0U;  // ~0U: of no instance, or of a driver that does not say
  unsigned int compute_instance_id = ~0U;
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

  SessionPtr session_;
  abi::nvmlEventSet_t set_ = nullptr;
};

}  // namespace nvmlkit::nvml
