// Event sets. Nothing happens on the machine yet, so that a wait always ends with its time.
#include <chrono>
#include <thread>

#include "driver/nvml/event_sets.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

unsigned long long supported_events(const Gpu& gpu) {
  long long types = EventTypePState | EventTypeXidCriticalError | EventTypeClock;
  if (gpu.ecc.mode_current) types |= EventTypeSingleBitEccError | EventTypeDoubleBitEccError;
  return static_cast<unsigned long long>(types);
}

nvmlReturn_t wait(nvmlEventSet_t set, unsigned int milliseconds) {
  if (!is_event_set(set)) return NVML_ERROR_INVALID_ARGUMENT;
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return NVML_ERROR_TIMEOUT;
}

}  // namespace

nvmlReturn_t EventSetCreate(const Machine&, nvmlEventSet_t* set) {
  *set = create_event_set();
  return *set ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_RESOURCES;
}

nvmlReturn_t EventSetFree(const Machine&, nvmlEventSet_t set) {
  return free_event_set(set) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t DeviceGetSupportedEventTypes(const Machine&, const Gpu& gpu, unsigned long long* eventTypes) {
  *eventTypes = supported_events(gpu);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceRegisterEvents(const Machine&, const Gpu& gpu, unsigned long long eventTypes, nvmlEventSet_t set) {
  if (!is_event_set(set)) return NVML_ERROR_INVALID_ARGUMENT;
  return (eventTypes & ~supported_events(gpu)) == 0 ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t EventSetWait(const Machine&, nvmlEventSet_t set, nvmlEventData_t*, unsigned int timeoutms) {
  return wait(set, timeoutms);
}

nvmlReturn_t EventSetWait_v2(const Machine&, nvmlEventSet_t set, nvmlEventData_t*, unsigned int timeoutms) {
  return wait(set, timeoutms);
}

}  // namespace nvmlkit::driver::functions
