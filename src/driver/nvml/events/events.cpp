// Event sets: registration, and delivery of the machine's events.
#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/call.hpp"
#include "driver/nvml/events/sets.hpp"
#include "driver/nvml/events/supported.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/events/ring.hpp"

namespace nvmlkit::driver::functions {
namespace {

namespace events = sim::events;

nvmlReturn_t wait(const Machine& machine, nvmlEventSet_t handle, unsigned int milliseconds, nvmlEventData_t& out) {
  EventSetUse set(handle, EventScope::gpu);
  if (!set) return NVML_ERROR_INVALID_ARGUMENT;
  events::Published published{};
  do {
    if (const auto result = wait_for_event(machine, set, milliseconds, published); result != NVML_SUCCESS)
      return result;
  } while (!may_see(machine, published.event));
  out = {handle_of(published.gpu), published.event.type, published.event.data, published.event.gpu_instance,
         published.event.compute_instance};
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t EventSetCreate(const Machine& machine, nvmlEventSet_t* set) {
  *set = static_cast<nvmlEventSet_t>(create_event_set(machine, EventScope::gpu));
  return *set ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_RESOURCES;
}

nvmlReturn_t EventSetFree(const Machine& machine, nvmlEventSet_t set) {
  return free_event_set(machine, set, EventScope::gpu) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t DeviceGetSupportedEventTypes(const Machine& machine, const Gpu& gpu, unsigned long long* eventTypes) {
  *eventTypes = supported_events(machine, gpu);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceRegisterEvents(const Machine& machine, const Gpu& gpu, unsigned long long eventTypes,
                                  nvmlEventSet_t handle) {
  EventSetUse set(handle, EventScope::gpu);
  if (!set) return NVML_ERROR_INVALID_ARGUMENT;
  unsigned long long supported = 0;
  const auto read = [&] {
    supported = supported_events(machine, gpu);
    return NVML_SUCCESS;
  };
  if (const auto result = consistent(machine, machine.sequence(gpu), read); result != NVML_SUCCESS) return result;
  if ((eventTypes & ~supported) != 0) return NVML_ERROR_NOT_SUPPORTED;
  const auto place = static_cast<std::uint32_t>(&gpu - machine.gpus().data());
  return set.add(machine, place, eventTypes) ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

nvmlReturn_t EventSetWait(const Machine& machine, nvmlEventSet_t set, nvmlEventData_t* data, unsigned int timeoutms) {
  nvmlEventData_t full{};
  const auto result = wait(machine, set, timeoutms, full);
  if (result == NVML_SUCCESS) {
    const nvmlEventData_v1_t old{full.device, full.eventType, full.eventData};
    std::memcpy(static_cast<void*>(data), &old, sizeof old);
  }
  return result;
}

nvmlReturn_t EventSetWait_v2(const Machine& machine, nvmlEventSet_t set, nvmlEventData_t* data,
                             unsigned int timeoutms) {
  return wait(machine, set, timeoutms, *data);
}

nvmlReturn_t SystemEventSetCreate(const Machine& machine, nvmlSystemEventSetCreateRequest_t* request) {
  request->set = static_cast<nvmlSystemEventSet_t>(create_event_set(machine, EventScope::system));
  return request->set ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_RESOURCES;
}

nvmlReturn_t SystemEventSetFree(const Machine& machine, nvmlSystemEventSetFreeRequest_t* request) {
  return free_event_set(machine, request->set, EventScope::system) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t SystemRegisterEvents(const Machine& machine, nvmlSystemRegisterEventRequest_t* request) {
  constexpr auto kKnown =
      static_cast<unsigned long long>(SystemEventTypeGpuDriverUnbind | SystemEventTypeGpuDriverBind);
  EventSetUse set(request->set, EventScope::system);
  if (!set || (request->eventTypes & ~kKnown) != 0) return NVML_ERROR_INVALID_ARGUMENT;
  return set.add(machine, events::kNoGpu, request->eventTypes) ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

nvmlReturn_t SystemEventSetWait(const Machine& machine, nvmlSystemEventSetWaitRequest_t* request) {
  EventSetUse set(request->set, EventScope::system);
  if (!set || !request->data || request->dataSize == 0) return NVML_ERROR_INVALID_ARGUMENT;
  request->numEvent = 0;
  events::Published published{};
  auto result = wait_for_event(machine, set, request->timeoutms, published);
  while (result == NVML_SUCCESS) {
    request->data[request->numEvent++] = {published.event.type & ~events::kSystemEvent,
                                          static_cast<unsigned int>(published.event.data)};
    if (request->numEvent == request->dataSize || !set.take(machine, published)) break;
  }
  return result;
}

}  // namespace nvmlkit::driver::functions
