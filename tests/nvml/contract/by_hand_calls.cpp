// The methods that are written by hand, called so that their chains may fall back.
#include <array>
#include <map>

#include "methods.hpp"

namespace nvmlkit::nvml::test {
namespace {

const Answer kTellsNothing{true, false, Errc::success, "", "", "", 0};

// The answer of `use` about an object that is created first.
template <class Object, class Use>
Answer with(Result<Object> object, Use use) {
  return object ? use(*object) : answer_of(object);
}

constexpr std::array kMetrics{GpmMetricId::graphics_util};
constexpr std::array kFields{FieldQuery{FieldId::dev_ecc_current}};
constexpr std::array kLinks{NvlinkTelemetryQuery{0, NvlinkTelemetryType::throughput_raw_tx}};
constexpr std::array kCounters{PrmCounterQuery{PrmCounterId::pprm_oper_recovery}};
const VgpuSchedulerSettings kSettings{.policy = VgpuSchedulerPolicy::equal_share};

template <class Block, class Metadata>
Metadata metadata() {
  return Metadata::from_bytes(std::vector<std::byte>(sizeof(Block))).value();
}

using Calls = std::map<std::string, CallMethod>;
using O = const Objects&;

// The library.
Calls of_the_library() {
  return {
      {"nvmlInit_v2", [](O o) { return answer_of(Library::from_table(o.library.table())); }},
      {"nvmlInitWithFlags", [](O o) { return answer_of(Library::from_table(o.library.table(), InitFlag::no_attach)); }},
      {"nvmlShutdown",
       [](O o) {
         return with(Library::from_table(o.library.table()), [](Library& l) { return answer_of(l.close()); });
       }},
      {"nvmlErrorString",
       [](O o) {
         auto answer = answer_of(o.library.driver_text(Errc::unknown));
         if (answer.ok) answer.tells = false;
         return answer;
       }},
      {"nvmlSystemGetDriverBranch", [](O o) { return answer_of(o.library.driver_branch()); }},
      {"nvmlSystemGetCPER_v1", [](O o) { return answer_of(CperCursor(o.library).next()); }},
      {"nvmlGetExcludedDeviceInfoByIndex",
       [](O o) {
         const auto list = o.library.excluded_devices();
         return !list || list->empty() ? answer_of(list) : answer_of(list->front());
       }},
      {"nvmlGetVgpuCompatibility",
       [](O o) {
         return answer_of(o.library.vgpu_compatibility(metadata<abi::nvmlVgpuMetadata_t, VgpuMetadata>(),
                                                       metadata<abi::nvmlVgpuPgpuMetadata_t, PgpuMetadata>()));
       }},
      {"nvmlGetVgpuVersion", [](O o) { return answer_of(o.library.vgpu_versions()); }},
      {"nvmlDeviceGetCount_v2", [](O o) { return answer_of(o.library.device_count()); }},
      {"nvmlDeviceGetHandleByIndex_v2", [](O o) { return answer_of(o.library.device(0)); }},
      {"nvmlDeviceGetHandleBySerial", [](O o) { return answer_of(o.library.device_by_serial("1")); }},
      {"nvmlDeviceGetHandleByUUID", [](O o) { return answer_of(o.library.device_by_uuid("GPU-0")); }},
      {"nvmlDeviceGetHandleByUUIDV", [](O o) { return answer_of(o.library.device_by_binary_uuid({})); }},
      {"nvmlDeviceGetHandleByPciBusId_v2", [](O o) { return answer_of(o.library.device_by_pci_bus_id("0:0:0.0")); }},
      {"nvmlUnitGetCount", [](O o) { return answer_of(o.library.unit_count()); }},
      {"nvmlUnitGetHandleByIndex", [](O o) { return answer_of(o.library.unit(0)); }},
  };
}

// A GPU, and what ends.
Calls of_a_gpu() {
  return {
      {"nvmlDeviceGetAccountingStats_v2", [](O o) { return answer_of(o.device.accounting_stats(1)); }},
      {"nvmlDeviceReadPRMCounters_v1", [](O o) { return answer_of(o.device.prm_counters(kCounters)); }},
      {"nvmlDevicePerfMetricsGetSamples_v1", [](O o) { return answer_of(o.device.perf_metrics_samples()); }},
      {"nvmlDeviceGetMemoryLimits_v1", [](O o) { return answer_of(o.device.memory_limits("/")); }},
      {"nvmlDeviceSetMemoryLimits_v1", [](O o) { return answer_of(o.device.set_memory_limits("/", 0, {})); }},
      {"nvmlDeviceSetNvlinkBwModeAsync_v1", [](O o) { return answer_of(o.device.set_nvlink_bw_mode_async({})); }},
      {"nvmlDeviceSetupNvlinkNvleEncryptionKey_v1",
       [](O o) { return answer_of(o.device.setup_nvlink_nvle_encryption_key({})); }},
      {"nvmlDeviceSetNvlinkNvleReady_v1", [](O o) { return answer_of(o.device.set_nvlink_nvle_ready(true)); }},
      {"nvmlDeviceGetNvLinkTelemetrySamples_v1", [](O o) { return answer_of(o.device.nvlink_telemetry(kLinks)); }},
      {"nvmlDeviceReadWritePRM_v1", [](O o) { return answer_of(o.device.read_write_prm({})); }},
      {"nvmlDeviceGetDramEncryptionMode", [](O o) { return answer_of(o.device.dram_encryption_mode()); }},
      {"nvmlDeviceGetRetiredPages_v2",
       [](O o) { return answer_of(o.device.retired_pages(PageRetirementCause::double_bit_ecc_error)); }},
      {"nvmlDeviceGetRemappedRows_v2", [](O o) { return answer_of(o.device.remapped_rows()); }},
      {"nvmlDeviceGetSamples", [](O o) { return answer_of(o.device.samples(SamplingType::total_power)); }},
      {"nvmlDeviceGetFieldValues", [](O o) { return answer_of(o.device.field_values(kFields)); }},
      {"nvmlDeviceClearFieldValues", [](O o) { return answer_of(o.device.clear_field_values(kFields)); }},
      {"nvmlDeviceSetMigMode", [](O o) { return answer_of(o.device.set_mig_mode(true)); }},
      {"nvmlDeviceGetSupportedPerformanceStates",
       [](O o) { return answer_of(o.device.supported_performance_states()); }},
      {"nvmlDeviceGetGspFirmwareVersion", [](O o) { return answer_of(o.device.gsp_firmware_version()); }},
      {"nvmlDeviceSetPowerManagementLimit_v2",
       [](O o) { return answer_of(o.device.set_power_management_limit(Milliwatts(1))); }},
      {"nvmlDeviceGetFanSpeed_v2", [](O o) { return answer_of(o.device.fan_speed()); }},
      {"nvmlDeviceSetTemperatureThreshold",
       [](O o) {
         return answer_of(o.device.set_temperature_threshold(TemperatureThreshold::acoustic_curr, Celsius(1)));
       }},
      {"nvmlDeviceRemoveGpu_v2", [](O o) { return answer_of(o.library.remove_gpu({})); }},
      {"nvmlGpuInstanceDestroy", [](O o) { return answer_of(o.gpu_instance.destroy()); }},
      {"nvmlComputeInstanceDestroy", [](O o) { return answer_of(o.compute_instance.destroy()); }},
  };
}

// vGPU.
Calls of_vgpus() {
  return {
      {"nvmlDeviceGetVgpuSchedulerState_v2", [](O o) { return answer_of(o.device.vgpu_scheduler_state()); }},
      {"nvmlDeviceGetVgpuSchedulerLog_v2", [](O o) { return answer_of(o.device.vgpu_scheduler_log()); }},
      {"nvmlDeviceSetVgpuSchedulerState_v2",
       [](O o) { return answer_of(o.device.set_vgpu_scheduler_state(kSettings)); }},
      {"nvmlGpuInstanceGetVgpuSchedulerState_v2", [](O o) { return answer_of(o.gpu_instance.vgpu_scheduler_state()); }},
      {"nvmlGpuInstanceGetVgpuSchedulerLog_v2", [](O o) { return answer_of(o.gpu_instance.vgpu_scheduler_log()); }},
      {"nvmlGpuInstanceSetVgpuSchedulerState_v2",
       [](O o) { return answer_of(o.gpu_instance.set_vgpu_scheduler_state(kSettings)); }},
      {"nvmlDeviceGetVgpuMetadata", [](O o) { return answer_of(o.device.vgpu_metadata()); }},
      {"nvmlDeviceGetVgpuUtilization", [](O o) { return answer_of(o.device.vgpu_utilization()); }},
      {"nvmlVgpuInstanceGetVmID", [](O o) { return answer_of(o.vgpu_instance.vm_id()); }},
      {"nvmlVgpuInstanceGetMetadata", [](O o) { return answer_of(o.vgpu_instance.metadata()); }},
  };
}

// One method calls four functions: the first three tell the last how many there are, of which kind and size.
Answer contexts(O o) {
  return with(EventSet::create(o.library), [](EventSet& set) { return answer_of(set.contexts()); });
}

// Events.
Calls of_events() {
  return {
      {"nvmlEventSetCreate", [](O o) { return answer_of(EventSet::create(o.library)); }},
      {"nvmlEventSetFree",
       [](O o) { return with(EventSet::create(o.library), [](EventSet&) { return kTellsNothing; }); }},
      {"nvmlDeviceRegisterEvents",
       [](O o) {
         return with(EventSet::create(o.library),
                     [&](EventSet& set) { return answer_of(set.watch(o.device, EventType::single_bit_ecc_error)); });
       }},
      {"nvmlEventSetWait_v2",
       [](O o) {
         return with(EventSet::create(o.library),
                     [](EventSet& set) { return answer_of(set.wait(std::chrono::milliseconds(0))); });
       }},
      {"nvmlEventSetRegisterGpuOperationalEvents_v1",
       [](O o) {
         return with(EventSet::create(o.library),
                     [](EventSet& set) { return answer_of(set.watch_operational("GPU-0")); });
       }},
      {"nvmlEventSetWait_v3",
       [](O o) {
         return with(EventSet::create(o.library),
                     [](EventSet& set) { return answer_of(set.wait_record(std::chrono::milliseconds(0))); });
       }},
      {"nvmlEventSetGetContextCount_v1", contexts},
      {"nvmlEventSetGetContextInfo_v1", contexts},
      {"nvmlEventSetGetContextData_v1", contexts},
      {"nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1", contexts},
      {"nvmlSystemEventSetCreate", [](O o) { return answer_of(SystemEventSet::create(o.library)); }},
      {"nvmlSystemEventSetFree",
       [](O o) { return with(SystemEventSet::create(o.library), [](SystemEventSet&) { return kTellsNothing; }); }},
      {"nvmlSystemRegisterEvents",
       [](O o) {
         return with(SystemEventSet::create(o.library),
                     [](SystemEventSet& set) { return answer_of(set.watch(SystemEventType::gpu_driver_unbind)); });
       }},
      {"nvmlSystemEventSetWait",
       [](O o) {
         return with(SystemEventSet::create(o.library),
                     [](SystemEventSet& set) { return answer_of(set.wait(std::chrono::milliseconds(0))); });
       }},
  };
}

// GPM.
Calls of_samples() {
  return {
      {"nvmlGpmSampleAlloc", [](O o) { return answer_of(GpmSample::create(o.library)); }},
      {"nvmlGpmSampleFree",
       [](O o) { return with(GpmSample::create(o.library), [](GpmSample&) { return kTellsNothing; }); }},
      {"nvmlGpmSampleGet",
       [](O o) {
         return with(GpmSample::create(o.library), [&](GpmSample& sample) { return answer_of(sample.take(o.device)); });
       }},
      {"nvmlGpmMigSampleGet",
       [](O o) {
         return with(GpmSample::create(o.library),
                     [&](GpmSample& sample) { return answer_of(sample.take_mig(o.device, 1)); });
       }},
      {"nvmlGpmMetricsGet",
       [](O o) {
         return with(GpmSample::create(o.library),
                     [](GpmSample& sample) { return answer_of(gpm_metrics(sample, sample, kMetrics)); });
       }},
  };
}

const Calls& calls() {
  static const Calls the = [] {
    Calls all;
    for (auto& some : {of_the_library(), of_a_gpu(), of_vgpus(), of_events(), of_samples()})
      all.insert(some.begin(), some.end());
    return all;
  }();
  return the;
}

}  // namespace

CallMethod by_hand_call(const std::string& function) {
  const auto call = calls().find(function);
  return call == calls().end() ? nullptr : call->second;
}

}  // namespace nvmlkit::nvml::test
