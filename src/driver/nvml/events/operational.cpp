// Events as records: NVML's event bits and GPU operational events, with the context records of the latter.
#include <algorithm>
#include <cstring>
#include <ctime>
#include <string_view>

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/call.hpp"
#include "driver/nvml/events/cper.hpp"
#include "driver/nvml/events/sets.hpp"
#include "driver/nvml/events/supported.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver::functions {
namespace {

namespace events = sim::events;
using Xid = sim::faults::Xid;

constexpr std::uint32_t kLargestFilter = 255;  // the kernel module has a byte for each

std::int64_t us_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

// Since 1970. The kernel log counts from the start of the host.
unsigned long long time_of(const events::Published& published) {
  const auto started = us_of(CLOCK_REALTIME) - us_of(CLOCK_BOOTTIME);
  return static_cast<unsigned long long>(started + static_cast<std::int64_t>(published.uptime_us));
}

// What every record has.
void write_common(const Machine& machine, const EventRecord& record, nvmlEventSetWait_v3_t& out) {
  const auto timeout = out.timeoutMs;
  out = {};
  out.timeoutMs = timeout;
  out.gpuInstanceId = GPU_INSTANCE_ID_ANY;
  out.computeInstanceId = COMPUTE_INSTANCE_ID_ANY;
  out.timestampUsec = time_of(record.published);
  if (record.published.gpu >= machine.gpus().size()) return;
  const auto& gpu = machine.gpus()[record.published.gpu];
  if (!gpu.uuid) return;
  const auto uuid = gpu.uuid->view();
  std::memcpy(out.uuid, uuid.data(), std::min(uuid.size(), sizeof out.uuid - 1));
}

// The numbers of scope, originator and chiplet were not found in any document: they stay 0.
void write_operational(const EventRecord& record, nvmlEventSetWait_v3_t& out) {
  const auto& event = record.operational->operational;
  out.dataType = NVML_EVENT_DATA_TYPE_GPU_OPERATIONAL_EVENT;
  std::memcpy(out.sourceModule, event.module.data(), std::min(event.module.size(), sizeof out.sourceModule));
  out.groupCursor = out.instanceId = out.traceId = record.number;
  out.severity = event.severity;
  out.categoryId = event.category;
  out.moduleEventCode = event.code;
  out.logLevel = event.level;
  out.attributes = OPERATIONAL_EVENT_ATTR_PRIMARY;
  out.groupAttributes = OPERATIONAL_EVENT_GROUP_ATTR_SIMULATED;
  out.groupCperSize = sizeof(cper::Record);
  out.groupSize = 1;
}

void write_bits(const events::Event& event, nvmlEventSetWait_v3_t& out) {
  out.dataType = NVML_EVENT_DATA_TYPE_NVML_EVENT;
  out.eventType = event.type;
  out.eventData = event.data;
  out.gpuInstanceId = event.gpu_instance;
  out.computeInstanceId = event.compute_instance;
}

// The one context record of an operational event: the Xid as a little-endian number, and its name with a NUL.
constexpr unsigned int kContexts = 1;

unsigned int size_of_context(const Xid& xid) {
  return static_cast<unsigned int>(sizeof xid.number + xid.name.size() + 1);
}

// Runs `answer(xid)` for the context record of the set's latest event.
template <class Answer>
nvmlReturn_t with_context(nvmlEventSet_t handle, unsigned int index, Answer answer) {
  const EventSetUse set(handle, EventScope::gpu);
  if (!set) return NVML_ERROR_INVALID_ARGUMENT;
  const auto* xid = set.latest_operational();
  if (!xid || index >= kContexts) return NVML_ERROR_INVALID_ARGUMENT;
  return answer(*xid);
}

const Gpu* find_by_uuid(const Machine& machine, std::string_view uuid) {
  for (const auto& gpu : machine.gpus())
    if (gpu.uuid && gpu.uuid->view() == uuid) return &gpu;
  return nullptr;
}

}  // namespace

// Like the kernel modules of 615, for root only.
nvmlReturn_t EventSetRegisterGpuOperationalEvents_v1(const Machine& machine, nvmlEventSet_t eventSet,
                                                     nvmlGpuOperationalEventConfig_v1_t* config) {
  EventSetUse set(eventSet, EventScope::gpu);
  const auto length = strnlen(config->uuid, sizeof config->uuid);
  const std::string_view uuid(config->uuid, length);
  if (!set || length == sizeof config->uuid || !uuid.starts_with("GPU-") || config->minLogLevel > kLargestFilter ||
      config->minSeverity > kLargestFilter)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  const Gpu* gpu = nullptr;
  const auto look = [&]() -> nvmlReturn_t {
    gpu = find_by_uuid(machine, uuid);
    if (!gpu) return NVML_ERROR_NOT_FOUND;
    return sim::is_from(*gpu, sim::model::Architecture::turing) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
  };
  if (const auto result = consistent(machine, machine.sequence(), look); result != NVML_SUCCESS) return result;
  const auto place = static_cast<std::uint32_t>(machine.index_of(*gpu));
  return set.add_operational(machine, place, config->minLogLevel, config->minSeverity) ? NVML_SUCCESS
                                                                                       : NVML_ERROR_MEMORY;
}

nvmlReturn_t EventSetWait_v3(const Machine& machine, nvmlEventSet_t handle, nvmlEventSetWait_v3_t* params) {
  EventSetUse set(handle, EventScope::gpu);
  if (!set) return NVML_ERROR_INVALID_ARGUMENT;
  EventRecord record{};
  do {
    if (const auto result = wait_for_record(machine, set, params->timeoutMs, record); result != NVML_SUCCESS)
      return result;
  } while (!may_see(machine, record.published.event));
  write_common(machine, record, *params);
  if (record.operational)
    write_operational(record, *params);
  else
    write_bits(record.published.event, *params);
  return NVML_SUCCESS;
}

nvmlReturn_t EventSetGetContextCount_v1(const Machine&, nvmlEventSet_t handle,
                                        nvmlEventSetGetContextCount_v1_t* params) {
  const EventSetUse set(handle, EventScope::gpu);
  if (!set) return NVML_ERROR_INVALID_ARGUMENT;
  params->count = set.latest_operational() ? kContexts : 0;
  return NVML_SUCCESS;
}

// The number that the kernel module has for the kind was not found in any document: it stays 0.
nvmlReturn_t EventSetGetContextInfo_v1(const Machine&, nvmlEventSet_t set, nvmlEventSetGetContextInfo_v1_t* params) {
  return with_context(set, params->index, [&](const Xid& xid) {
    params->nvmlGpuOperationalEventContextType = NVML_GPU_OPERATIONAL_EVENT_CONTEXT_TYPE_LEGACY_XID;
    params->sourceEventContextType = 0;
    params->dataSize = size_of_context(xid);
    params->dataFormatVersion = 1;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t EventSetGetContextData_v1(const Machine&, nvmlEventSet_t set, nvmlEventSetGetContextData_v1_t* params) {
  return with_context(set, params->index, [&](const Xid& xid) -> nvmlReturn_t {
    const auto room = params->data ? params->dataSize : 0;
    params->dataSize = size_of_context(xid);
    if (room < params->dataSize) return NVML_ERROR_INSUFFICIENT_SIZE;
    auto* out = static_cast<unsigned char*>(params->data);
    for (unsigned int i = 0; i < sizeof xid.number; ++i) out[i] = static_cast<unsigned char>(xid.number >> (8 * i));
    std::memcpy(out + sizeof xid.number, xid.name.data(), xid.name.size());
    out[params->dataSize - 1] = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t EventSetGetGpuOperationalEventContextLegacyXid_v1(
    const Machine&, nvmlEventSet_t set, nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t* params) {
  return with_context(set, params->index, [&](const Xid& xid) {
    params->xidCode = xid.number;
    return NVML_SUCCESS;
  });
}

}  // namespace nvmlkit::driver::functions
