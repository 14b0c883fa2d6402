// Events as records, with their contexts.
#include <algorithm>
#include <cstring>
#include <limits>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/events.hpp>

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

namespace {

OperationalEvent operational_of(const abi::nvmlEventSetWait_v3_t& wire) {
  return {detail::text_of(wire.sourceModule, sizeof wire.sourceModule),
          wire.categoryId,
          wire.moduleEventCode,
          OperationalEventSeverity(wire.severity),
          OperationalEventLogLevel(wire.logLevel),
          OperationalEventAttributes(wire.attributes),
          OperationalEventGroupAttributes(wire.groupAttributes),
          wire.scope,
          wire.originator,
          wire.moduleInstance,
          wire.chipletId,
          wire.groupCursor,
          wire.instanceId,
          wire.traceId,
          wire.groupSize,
          wire.groupIndex,
          wire.groupCperSize};
}

}  // namespace

Result<void> EventSet::watch_operational(const std::string& gpu_uuid, OperationalEventLogLevel level,
                                         OperationalEventSeverity severity) {
  constexpr const char* kFunction = "nvmlEventSetRegisterGpuOperationalEvents_v1";
  abi::nvmlGpuOperationalEventConfig_v1_t config{};
  if (gpu_uuid.size() >= sizeof config.uuid)
    return Failure(Errc::invalid_argument, kFunction,
                   "a UUID has less than " + std::to_string(sizeof config.uuid) + " characters");
  std::memcpy(config.uuid, gpu_uuid.data(), gpu_uuid.size());
  config.minLogLevel = to_abi(level);
  config.minSeverity = to_abi(severity);
  const Outcome outcome = call(*session_, &Table::EventSetRegisterGpuOperationalEvents_v1, set_, &config);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Result<std::optional<EventRecord>> EventSet::wait_record(std::chrono::milliseconds timeout) {
  constexpr long long kLongest = std::numeric_limits<unsigned int>::max();
  abi::nvmlEventSetWait_v3_t wire{};
  wire.timeoutMs = static_cast<unsigned int>(std::clamp<long long>(timeout.count(), 0, kLongest));
  const Outcome outcome = call(*session_, &Table::EventSetWait_v3, set_, &wire);
  if (outcome.code == Errc::timeout) return std::optional<EventRecord>();
  if (!outcome.ok()) return outcome.failure();
  EventRecord record{};
  record.gpu_uuid = detail::text_of(wire.uuid, sizeof wire.uuid);
  record.time = std::chrono::microseconds(wire.timestampUsec);
  record.data = wire.eventData;
  record.gpu_instance_id = wire.gpuInstanceId;
  record.compute_instance_id = wire.computeInstanceId;
  if (wire.dataType == abi::NVML_EVENT_DATA_TYPE_GPU_OPERATIONAL_EVENT)
    record.operational = operational_of(wire);
  else
    record.type = EventType(wire.eventType);
  return std::optional<EventRecord>(std::move(record));
}

Result<EventContext> EventSet::context(unsigned int index) const {
  constexpr unsigned int kLargest = 1 << 20;
  abi::nvmlEventSetGetContextInfo_v1_t info{};
  info.index = index;
  const Outcome described = call(*session_, &Table::EventSetGetContextInfo_v1, set_, &info);
  if (!described.ok()) return described.failure();
  if (info.dataSize > kLargest) return Failure(Errc::malformed_answer, "nvmlEventSetGetContextInfo_v1");
  EventContext out{OperationalEventContextType(info.nvmlGpuOperationalEventContextType),
                   info.sourceEventContextType,
                   info.dataFormatVersion,
                   std::vector<std::byte>(info.dataSize),
                   {}};
  if (!out.data.empty()) {
    abi::nvmlEventSetGetContextData_v1_t data{out.data.data(), index, info.dataSize};
    const Outcome read = call(*session_, &Table::EventSetGetContextData_v1, set_, &data);
    if (!read.ok()) return read.failure();
    out.data.resize(std::min<std::size_t>(out.data.size(), data.dataSize));
  }
  if (out.type != OperationalEventContextType::legacy_xid) return out;
  abi::nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t xid{index, 0};
  const Outcome decoded = call(*session_, &Table::EventSetGetGpuOperationalEventContextLegacyXid_v1, set_, &xid);
  if (!decoded.ok()) return decoded.failure();
  out.xid = xid.xidCode;
  return out;
}

Result<std::vector<EventContext>> EventSet::contexts() const {
  constexpr unsigned int kMost = 4096;
  abi::nvmlEventSetGetContextCount_v1_t count{};
  const Outcome counted = call(*session_, &Table::EventSetGetContextCount_v1, set_, &count);
  if (!counted.ok()) return counted.failure();
  if (count.count > kMost) return Failure(Errc::malformed_answer, "nvmlEventSetGetContextCount_v1");
  std::vector<EventContext> out;
  for (unsigned int i = 0; i < count.count; ++i) {
    auto one = context(i);
    if (!one) return one.error();
    out.push_back(*std::move(one));
  }
  return out;
}

}  // namespace nvmlkit::nvml
