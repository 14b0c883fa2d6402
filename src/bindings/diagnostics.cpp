#include <algorithm>
#include <memory>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/device.hpp>
#include <nvmlkit/diagnostics.hpp>

#include "field_number.hpp"

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

Result<std::optional<std::vector<std::byte>>> CperCursor::next() {
  // Every round starts from the same place: only the one that succeeds moves the cursor.
  abi::nvmlCPERCursor_v1_t moved = cursor_;
  auto bytes = detail::read_list<std::byte>([&](unsigned int* size, std::byte* buffer) {
    abi::nvmlGetCPER_v1_t request{};
    request.cursor = cursor_;
    request.buffer = reinterpret_cast<unsigned char*>(buffer);
    request.bufferSize = *size;
    const Outcome outcome = call(*session_, &Table::SystemGetCPER_v1, &request);
    *size = request.bufferSize;
    moved = request.cursor;
    return outcome;
  });
  if (!bytes && bytes.error().code() == Errc::not_found) return std::optional<std::vector<std::byte>>();
  if (!bytes) return bytes.error();
  cursor_ = moved;
  if (bytes->empty()) return std::optional<std::vector<std::byte>>();
  return std::optional<std::vector<std::byte>>(*std::move(bytes));
}

std::string CperCursor::gpu_uuid() const { return detail::text_of(cursor_.uuid, sizeof cursor_.uuid); }

Result<std::vector<PrmCounter>> Device::prm_counters(std::span<const PrmCounterQuery> queries) const {
  constexpr const char* kFunction = "nvmlDeviceReadPRMCounters_v1";
  std::vector<abi::nvmlPRMCounter_v1_t> wire(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    wire[i].counterId = to_abi(queries[i].id);
    wire[i].inData.localPort = queries[i].local_port;
    wire[i].counterValue.status = abi::NVML_ERROR_UNKNOWN;  // stays where the driver skips an entry
  }
  abi::nvmlPRMCounterList_v1_t list{};
  list.numCounters = static_cast<unsigned int>(wire.size());
  list.counters = wire.data();
  const Outcome outcome = call(*session_, &Table::DeviceReadPRMCounters_v1, handle_, &list);
  if (!outcome.ok()) return outcome.failure();
  std::vector<PrmCounter> counters;
  counters.reserve(wire.size());
  for (std::size_t i = 0; i < wire.size(); ++i) {
    const auto& answer = wire[i].counterValue;
    if (answer.status == abi::NVML_SUCCESS)
      counters.push_back({queries[i], detail::decode(answer.outputType, answer.outputValue, kFunction)});
    else
      counters.push_back({queries[i], Failure(static_cast<Errc>(answer.status), kFunction)});
  }
  return counters;
}

Result<std::unique_ptr<abi::nvmlPerfMetricsSamples_v1_t>> Device::perf_metrics_samples() const {
  auto samples = std::make_unique<abi::nvmlPerfMetricsSamples_v1_t>();
  const Outcome outcome = call(*session_, &Table::DevicePerfMetricsGetSamples_v1, handle_, samples.get());
  if (!outcome.ok()) return outcome.failure();
  return samples;
}

Result<MemoryLimits> Device::memory_limits(const std::string& cgroup) const {
  abi::nvmlGetMemoryLimits_v1_t limits{};
  limits.nameSpace = cgroup.c_str();
  const Outcome outcome = call(*session_, &Table::DeviceGetMemoryLimits_v1, handle_, &limits);
  if (!outcome.ok()) return outcome.failure();
  MemoryLimits out{limits.softLimit, limits.hardLimit, limits.currentUsed};
  if (limits.hardLimit == abi::DEVICE_MEMORY_LIMIT_MAX) out.hard.reset();
  return out;
}

Result<void> Device::set_memory_limits(const std::string& cgroup, unsigned long long soft,
                                       std::optional<unsigned long long> hard) const {
  abi::nvmlSetMemoryLimits_v1_t limits{};
  limits.nameSpace = cgroup.c_str();
  limits.softLimit = soft;
  limits.hardLimit = hard.value_or(abi::DEVICE_MEMORY_LIMIT_MAX);
  const Outcome outcome = call(*session_, &Table::DeviceSetMemoryLimits_v1, handle_, &limits);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Result<std::chrono::milliseconds> Device::set_nvlink_bw_mode_async(const NvlinkBwModeRequest& request) const {
  abi::nvmlNvlinkSetBwModeAsync_v1_t mode{};
  mode.bSetBest = request.best ? 1U : 0U;
  mode.bwMode = request.bw_mode;
  const Outcome outcome = call(*session_, &Table::DeviceSetNvlinkBwModeAsync_v1, handle_, &mode);
  if (!outcome.ok()) return outcome.failure();
  return std::chrono::milliseconds(mode.asyncPollTimeoutMs);
}

namespace {

constexpr const char* kTelemetry = "nvmlDeviceGetNvLinkTelemetrySamples_v1";

using Slots = std::vector<abi::nvmlNvlinkTelemetrySample_v1_t>;

// With the room for samples that `buffers` have. A slot without room asks for the number of its samples.
Slots slots_of(std::span<const NvlinkTelemetryQuery> queries, std::vector<std::vector<unsigned long long>>& buffers) {
  Slots slots(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i)
    slots[i] = {queries[i].link, to_abi(queries[i].type), static_cast<unsigned int>(buffers[i].size()),
                buffers[i].empty() ? nullptr : buffers[i].data(),
                abi::NVML_ERROR_UNKNOWN};  // stays where the driver skips an entry
  return slots;
}

}  // namespace

// The driver is asked twice: for the number of the samples, then for the samples. Nothing that it wrote goes back to
// it.
Result<std::vector<NvlinkTelemetry>> Device::nvlink_telemetry(std::span<const NvlinkTelemetryQuery> queries) const {
  constexpr unsigned int kMostSamples = 1 << 20;
  std::vector<std::vector<unsigned long long>> buffers(queries.size());
  Slots slots;
  const auto ask = [&] {
    slots = slots_of(queries, buffers);
    abi::nvmlNvlinkTelemetrySamples_v1_t list{static_cast<unsigned int>(slots.size()), slots.data()};
    return call(*session_, &Table::DeviceGetNvLinkTelemetrySamples_v1, handle_, &list);
  };
  if (const Outcome counted = ask(); !counted.ok()) return counted.failure();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].nvmlReturn != abi::NVML_SUCCESS) continue;
    if (slots[i].sampleCount > kMostSamples) return Failure(Errc::malformed_answer, kTelemetry);
    buffers[i].resize(slots[i].sampleCount);
  }
  if (const Outcome read = ask(); !read.ok()) return read.failure();
  std::vector<NvlinkTelemetry> out;
  out.reserve(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].nvmlReturn != abi::NVML_SUCCESS) {
      out.push_back({queries[i], Failure(static_cast<Errc>(slots[i].nvmlReturn), kTelemetry)});
      continue;
    }
    buffers[i].resize(std::min<std::size_t>(buffers[i].size(), slots[i].sampleCount));
    out.push_back({queries[i], std::move(buffers[i])});
  }
  return out;
}

Result<PrmAnswer> Device::read_write_prm(std::span<const std::byte> request) const {
  constexpr const char* kFunction = "nvmlDeviceReadWritePRM_v1";
  abi::nvmlPRMTLV_v1_t tlv{};
  if (request.size() > sizeof tlv.inData)
    return Failure(Errc::invalid_argument, kFunction,
                   "a PRM request has at most " + std::to_string(sizeof tlv.inData) + " bytes");
  tlv.dataSize = static_cast<unsigned int>(request.size());
  if (!request.empty()) std::memcpy(tlv.inData, request.data(), request.size());
  const Outcome outcome = call(*session_, &Table::DeviceReadWritePRM_v1, handle_, &tlv);
  if (!outcome.ok()) return outcome.failure();
  if (tlv.dataSize > sizeof tlv.outData) return Failure(Errc::malformed_answer, kFunction);
  const auto* data = reinterpret_cast<const std::byte*>(tlv.outData);
  return PrmAnswer{tlv.status, {data, data + tlv.dataSize}};
}

namespace {

ExcludedDevice excluded(const abi::nvmlExcludedDeviceInfo_t& info) {
  const auto& pci = info.pciInfo;
  return {detail::text_of(pci.busId, sizeof pci.busId),
          detail::text_of(info.uuid, sizeof info.uuid),
          pci.domain,
          pci.bus,
          pci.device,
          pci.pciDeviceId,
          pci.pciSubSystemId};
}

}  // namespace

Result<std::vector<Result<ExcludedDevice>>> Library::excluded_devices() const {
  using List = std::vector<Result<ExcludedDevice>>;
  const auto list = [&](auto count_of, auto info_of) -> Result<List> {
    unsigned int count = 0;
    const Outcome counted = detail::call(*session_, count_of, &count);
    if (!counted.ok()) return counted.failure();
    if (count > detail::kMostDevices) return Failure(Errc::malformed_answer, "nvmlGetExcludedDeviceCount");
    List devices;
    for (unsigned int index = 0; index < count; ++index) {
      abi::nvmlExcludedDeviceInfo_t info{};
      const Outcome outcome = detail::call(*session_, info_of, index, &info);
      if (outcome.ok())
        devices.emplace_back(excluded(info));
      else
        devices.emplace_back(outcome.failure());
    }
    return devices;
  };
  const auto under = [&](auto count_of, auto info_of) {
    return detail::by(info_of, 0, [&list, count_of, info_of] { return list(count_of, info_of); });
  };
  return detail::newest_of(under(&Table::GetExcludedDeviceCount, &Table::GetExcludedDeviceInfoByIndex),
                           under(&Table::GetBlacklistDeviceCount, &Table::GetBlacklistDeviceInfoByIndex));
}

}  // namespace nvmlkit::nvml
