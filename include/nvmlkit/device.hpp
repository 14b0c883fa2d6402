// One GPU, or one MIG device.
#pragma once

#include <memory>
#include <nvmlkit/detail/index_range.hpp>
#include <nvmlkit/field_values.hpp>
#include <nvmlkit/generated/device_methods.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nvmlkit::nvml {

class MigDevice;
class PgpuMetadata;
struct MemoryLimits;
struct NvlinkTelemetry;
struct NvlinkTelemetryQuery;
struct PrmAnswer;
struct PrmCounter;
struct PrmCounterQuery;
struct VgpuSchedulerSettings;
struct VgpuUtilization;

// One reading of a sampling buffer.
struct Sample {
  std::chrono::microseconds time;  // since the epoch; the largest of them is the next call's `since`
  FieldNumber value;               // in the unit of the sampling type: percent, milliwatts, megahertz, a count
};

// What became of a change of MIG mode that the driver took.
struct MigActivation {
  // Why the mode is not active yet: in_use while a process has the GPU, reset_required where it has to be reset.
  std::optional<Failure> pending;

  bool active() const noexcept { return !pending; }
};

class FanRange;
class NvLinkRange;

// A GPU, or a MIG device where a call takes one. Cheap to copy; keeps the library open.
class Device : public DeviceMethods {
 public:
  using DeviceMethods::DeviceMethods;

  // What is irregular in C.

  // NVML writes up to 64 bytes; the call passes no length. @c nvmlDeviceGetGspFirmwareVersion
  Result<std::string> gsp_firmware_version() const;
  // One entry for each query, in their order. Ids are translated for the driver at hand. @c nvmlDeviceGetFieldValues
  Result<std::vector<FieldValue>> field_values(std::span<const FieldQuery> queries) const;
  // Counters of these fields start again at 0; each has its own result. @c nvmlDeviceClearFieldValues
  Result<std::vector<Result<void>>> clear_field_values(std::span<const FieldQuery> queries) const;
  // Newest first. The driver is asked for as many as it says it has. @c nvmlDeviceGetSupportedPerformanceStates
  Result<std::vector<PState>> supported_performance_states() const;
  // Drivers that only have the older call do not tell active and inactive apart: all are in the active counts.
  // @c nvmlDeviceGetRemappedRows_v2 @c nvmlDeviceGetRemappedRows
  Result<RemappedRows> remapped_rows() const;
  // The older call answers for the first fan only, and is asked for no other. @c nvmlDeviceGetFanSpeed_v2
  Result<Percent> fan_speed(unsigned int fan = 0) const;
  // `scope` other than the GPU needs the newer call. Needs root. @c nvmlDeviceSetPowerManagementLimit_v2
  Result<void> set_power_management_limit(Milliwatts limit, PowerScope scope = PowerScope::gpu) const;
  // The sums are missing where only the older call answers.
  // @c nvmlDeviceGetAccountingStats_v2 @c nvmlDeviceGetAccountingStats
  Result<AccountingStats> accounting_stats(unsigned int pid) const;
  // @c nvmlDeviceGetSamples. An empty list when there is none after `since`.
  Result<std::vector<Sample>> samples(SamplingType type, std::chrono::microseconds since = {}) const;
  // Addresses with the time of each retirement; times are 0 on drivers that only have the older call.
  // @c nvmlDeviceGetRetiredPages_v2 @c nvmlDeviceGetRetiredPages
  struct RetiredPage {
    unsigned long long address;
    std::chrono::seconds time;
  };
  Result<std::vector<RetiredPage>> retired_pages(PageRetirementCause cause) const;
  // Needs root. @c nvmlDeviceSetMigMode
  Result<MigActivation> set_mig_mode(bool enabled) const;
  struct DramEncryption {
    bool current;
    bool pending;
  };
  // @c nvmlDeviceGetDramEncryptionMode
  Result<DramEncryption> dram_encryption_mode() const;

  // Needs root and a GPU that lets this threshold be set. @c nvmlDeviceSetTemperatureThreshold
  Result<void> set_temperature_threshold(TemperatureThreshold threshold, Celsius temperature) const;

  // Empty for a GPU without fans. Include <nvmlkit/ranges.hpp>. @c nvmlDeviceGetNumFans
  Result<FanRange> fans() const;
  // Active or not; empty for a GPU without NVLink. Include <nvmlkit/ranges.hpp>. @c nvmlDeviceGetNvLinkState
  Result<NvLinkRange> nvlinks() const;
  // The MIG devices that exist now; indices without one are passed over. @c nvmlDeviceGetMigDeviceHandleByIndex
  Result<std::vector<MigDevice>> mig_devices() const;

  // In <nvmlkit/vgpu.hpp>. What decides on which GPUs a vGPU of this one can go on. @c nvmlDeviceGetVgpuMetadata
  Result<PgpuMetadata> vgpu_metadata() const;
  // Samples of every vGPU instance after `since`, oldest first. @c nvmlDeviceGetVgpuUtilization
  Result<std::vector<VgpuUtilization>> vgpu_utilization(std::chrono::microseconds since = {}) const;

  // The older call answers for the graphics engine, and is asked for no
  // other. @c nvmlDeviceGetVgpuSchedulerState_v2 @c nvmlDeviceGetVgpuSchedulerState
  Result<VgpuSchedulerState> vgpu_scheduler_state(VgpuSchedulerEngine engine = VgpuSchedulerEngine::graphics) const;
  // The last 200 time slices. @c nvmlDeviceGetVgpuSchedulerLog_v2 @c nvmlDeviceGetVgpuSchedulerLog
  Result<VgpuSchedulerLog> vgpu_scheduler_log(VgpuSchedulerEngine engine = VgpuSchedulerEngine::graphics) const;
  // In <nvmlkit/vgpu.hpp>. Only while no virtual machine runs; not kept when the driver is loaded again.
  // @c nvmlDeviceSetVgpuSchedulerState_v2 @c nvmlDeviceSetVgpuSchedulerState
  Result<void> set_vgpu_scheduler_state(const VgpuSchedulerSettings& settings) const;

  // In <nvmlkit/diagnostics.hpp>. One entry for each query, with its own result. Needs Blackwell or newer.
  // @c nvmlDeviceReadPRMCounters_v1
  Result<std::vector<PrmCounter>> prm_counters(std::span<const PrmCounterQuery> queries) const;
  // The driver's own struct, 115,344 bytes: NVIDIA documents neither its values nor the GPUs that have them.
  // @c nvmlDevicePerfMetricsGetSamples_v1
  Result<std::unique_ptr<abi::nvmlPerfMetricsSamples_v1_t>> perf_metrics_samples() const;
  // `cgroup` is the path of the cgroup's folder in the host's cgroup file system. not_found: it has no limits.
  // @c nvmlDeviceGetMemoryLimits_v1
  Result<MemoryLimits> memory_limits(const std::string& cgroup) const;
  // Without `hard` and with `soft` 0, the limits end. Needs root. @c nvmlDeviceSetMemoryLimits_v1
  Result<void> set_memory_limits(const std::string& cgroup, unsigned long long soft,
                                 std::optional<unsigned long long> hard) const;
  // Returns at once; the mode is in force within the time that is returned. Needs root.
  // @c nvmlDeviceSetNvlinkBwModeAsync_v1
  Result<std::chrono::milliseconds> set_nvlink_bw_mode_async(const NvlinkBwModeRequest& request) const;
  // Gives the GPU the secret for its encrypted NVLink traffic with another GPU; the other GPU needs the same. Private
  // info of more than 256 bytes is Errc::invalid_argument. Needs root. @c nvmlDeviceSetupNvlinkNvleEncryptionKey_v1
  Result<void> setup_nvlink_nvle_encryption_key(const NvlinkNvleKey& key) const;
  // Whether encrypted NVLink traffic may be sent. Needs root. @c nvmlDeviceSetNvlinkNvleReady_v1
  Result<void> set_nvlink_nvle_ready(bool ready) const;
  // One entry for each query, in their order. @c nvmlDeviceGetNvLinkTelemetrySamples_v1
  Result<std::vector<NvlinkTelemetry>> nvlink_telemetry(std::span<const NvlinkTelemetryQuery> queries) const;
  // Reads or writes a register: `request` is TLV data of at most 496 bytes. Needs Blackwell or newer.
  // @c nvmlDeviceReadWritePRM_v1
  Result<PrmAnswer> read_write_prm(std::span<const std::byte> request) const;
};

// Asks for one GPU at a time, so that a GPU that is not looked at is not touched.
class DeviceRange : public detail::IndexRange<DeviceRange, Result<Device>> {
 public:
  DeviceRange(SessionPtr session, unsigned int count) noexcept : IndexRange(std::move(session), count) {}
  Result<Device> operator[](unsigned int index) const;
};

}  // namespace nvmlkit::nvml
