#include "smi/csv_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smi/log/platform.hpp"
#include "smi/log/time.hpp"
#include "smi/log/values.hpp"
#include "smi/memory_errors.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::EccCounter;
using nvml::MemoryErrorType;
using nvml::MemoryLocation;

std::string now(const Gpu&) { return now_with_milliseconds(); }
std::string driver(const Gpu& gpu) { return gpu.host().driver_version; }
std::string count(const Gpu& gpu) {
  const auto devices = gpu.host().library.device_count();
  return devices ? std::to_string(*devices) : gpu.failure(devices.error());
}
std::string index(const Gpu& gpu) { return std::to_string(gpu.index()); }

template <auto method>
std::string reason_bits(const Gpu& gpu) {
  return shown_as<method>(gpu,
                          [](nvml::ClocksEventReasons reasons) { return fmt::format("0x{:016X}", reasons.bits()); });
}

std::string compute_capability(const Gpu& gpu) {
  return shown_as<&nvml::Device::cuda_compute_capability>(
      gpu, [](const auto& version) { return fmt::format("{}.{}", version.major, version.minor); });
}

template <MemoryErrorType type, EccCounter counter, MemoryLocation location>
std::string ecc_errors(const Gpu& gpu) {
  const auto errors = gpu->memory_error_counter(type, counter, location);
  return errors ? std::to_string(*errors) : gpu.failure(errors.error());
}
template <MemoryErrorType type, EccCounter counter>
std::string ecc_total(const Gpu& gpu) {
  const auto errors = gpu->total_ecc_errors(type, counter);
  return errors ? std::to_string(*errors) : gpu.failure(errors.error());
}

std::string checksum(const Gpu& gpu) {
  const auto valid = gpu->validate_inforom();
  if (valid) return "valid";
  return valid.error() == nvml::Errc::corrupted_inforom ? "invalid" : gpu.failure(valid.error());
}

std::string gsp(const Gpu& gpu, unsigned nvml::Device::GspFirmwareMode::*member) {
  const auto mode = gpu->gsp_firmware_mode();
  return mode ? text_of(gpu, (*mode).*member != 0) : gpu.failure(mode.error());
}
std::string gsp_current(const Gpu& gpu) { return gsp(gpu, &nvml::Device::GspFirmwareMode::is_enabled); }
std::string gsp_default(const Gpu& gpu) { return gsp(gpu, &nvml::Device::GspFirmwareMode::default_mode); }

std::string hostname(const Gpu& gpu) {
  const auto name = gpu->hostname();
  if (!name) return gpu.failure(name.error());
  return name->value.empty() ? "N/A" : name->value;
}

// 535, 550 and 555 ask in a way that the driver refuses, if the GPU has such a mode.
std::string refused_mode(const Gpu& gpu) {
  const auto mode = gpu->gpu_operation_mode();
  return mode ? "Invalid Argument" : gpu.failure(mode.error());
}

template <auto read, auto member>
std::string place(const Gpu& gpu) {
  return read(gpu, member);
}

constexpr Versions kOld = before(560), kNew = from(560), k580 = from(580), kInactive = backported(580, 159, 595);

// clang-format off
#define NVMLKIT_ECC(prefix, type, counter)                                                                    \
    {.name = prefix ".device_memory", .value = ecc_errors<type, counter, MemoryLocation::device_memory>},     \
    {.name = prefix ".dram", .value = ecc_errors<type, counter, MemoryLocation::dram>},                       \
    {.name = prefix ".register_file", .value = ecc_errors<type, counter, MemoryLocation::register_file>},     \
    {.name = prefix ".l1_cache", .value = ecc_errors<type, counter, MemoryLocation::l1_cache>},               \
    {.name = prefix ".l2_cache", .value = ecc_errors<type, counter, MemoryLocation::l2_cache>},               \
    {.name = prefix ".texture_memory", .value = ecc_errors<type, counter, MemoryLocation::texture_memory>},   \
    {.name = prefix ".cbu", .value = ecc_errors<type, counter, MemoryLocation::cbu>},                         \
    {.name = prefix ".sram", .value = ecc_errors<type, counter, MemoryLocation::sram>},                       \
    {.name = prefix ".total", .value = ecc_total<type, counter>}
#define NVMLKIT_REASON(name_)                                                                                 \
    {.name = "clocks_event_reasons." name_, .other_name = "clocks_throttle_reasons." name_, .element = "clocks_event_reasons/clocks_event_reason_" name_}

constexpr CsvField kCsvFields[] = {
    {.name = "timestamp", .value = now},
    {.name = "driver_version", .value = driver},
    {.name = "kmd_version", .value = driver, .versions = from(595)},
    {.name = "vgpu_driver_capability.heterogenous_multivGPU", .value = not_available},
    {.name = "count", .value = count},
    {.name = "name", .other_name = "gpu_name", .element = "product_name"},
    {.name = "serial", .other_name = "gpu_serial", .element = "serial"},
    {.name = "uuid", .other_name = "gpu_uuid", .element = "uuid"},
    {.name = "pci.bus_id", .other_name = "gpu_bus_id", .element = "pci/pci_bus_id"},
    {.name = "pci.domain", .element = "pci/Domain"},
    {.name = "pci.bus", .element = "pci/Bus"},
    {.name = "pci.device", .element = "pci/Device"},
    {.name = "pci.baseClass", .element = "pci/Base Classcode", .versions = from(550)},
    {.name = "pci.subClass", .element = "pci/Sub Classcode", .versions = from(550)},
    {.name = "pci.device_id", .element = "pci/Device Id"},
    {.name = "pci.sub_device_id", .element = "pci/Sub System Id"},
    {.name = "vgpu_device_capability.fractional_multiVgpu", .value = not_available},
    {.name = "vgpu_device_capability.heterogeneous_timeSlice_profile", .value = not_available},
    {.name = "vgpu_device_capability.heterogeneous_timeSlice_sizes", .value = not_available},
    {.name = "vgpu_device_capability.homogeneous_placements", .value = not_available, .versions = k580},
    {.name = "vgpu_device_capability.mig_timeSlicing", .value = not_available, .versions = k580},
    {.name = "vgpu_device_capability.mig_timeSlicing_mode", .value = not_available, .versions = k580},
    {.name = "pcie.link.gen.current", .element = "pci/pci_gpu_link_info/pcie_gen/current_link_gen"},
    {.name = "pcie.link.gen.gpucurrent", .element = "pci/pci_gpu_link_info/pcie_gen/device_current_link_gen"},
    {.name = "pcie.link.gen.max", .element = "pci/pci_gpu_link_info/pcie_gen/max_link_gen"},
    {.name = "pcie.link.gen.gpumax", .element = "pci/pci_gpu_link_info/pcie_gen/max_device_link_gen"},
    {.name = "pcie.link.gen.hostmax", .element = "pci/pci_gpu_link_info/pcie_gen/max_host_link_gen"},
    {.name = "pcie.link.width.current", .element = "pci/pci_gpu_link_info/link_widths/current_link_width"},
    {.name = "pcie.link.width.max", .element = "pci/pci_gpu_link_info/link_widths/max_link_width"},
    {.name = "index", .value = index},
    {.name = "display_mode", .element = "display_mode"},
    {.name = "display_attached", .element = "display_attached", .versions = from(580)},
    {.name = "display_active", .element = "display_active"},
    {.name = "persistence_mode", .element = "persistence_mode"},
    {.name = "addressing_mode", .element = "addressing_mode"},
    {.name = "accounting.mode", .element = "accounting_mode"},
    {.name = "accounting.buffer_size", .element = "accounting_mode_buffer_size"},
    {.name = "driver_model.current", .element = "driver_model/current_dm"},
    {.name = "driver_model.pending", .element = "driver_model/pending_dm"},
    {.name = "vbios_version", .element = "vbios_version"},
    {.name = "inforom.img", .other_name = "inforom.image", .element = "inforom_version/img_version"},
    {.name = "inforom.oem", .element = "inforom_version/oem_object"},
    {.name = "inforom.ecc", .element = "inforom_version/ecc_object"},
    {.name = "inforom.pwr", .other_name = "inforom.power", .element = "inforom_version/pwr_object"},
    {.name = "inforom.checksum_validation", .value = checksum, .versions = k580},
    {.name = "reset_status.reset_required", .element = "gpu_reset_status/reset_required", .versions = before(580)},
    {.name = "reset_status.drain_and_reset_recommended", .element = "gpu_reset_status/drain_and_reset_recommended", .versions = before(580)},
    {.name = "gpu_recovery_action", .element = "gpu_recovery_action", .versions = from(565)},
    {.name = "gom.current", .other_name = "gpu_operation_mode.current", .value = refused_mode, .versions = kOld},
    {.name = "gom.pending", .other_name = "gpu_operation_mode.pending", .value = refused_mode, .versions = kOld},
    {.name = "gom.current", .other_name = "gpu_operation_mode.current", .element = "gpu_operation_mode/current_gom", .versions = kNew},
    {.name = "gom.pending", .other_name = "gpu_operation_mode.pending", .element = "gpu_operation_mode/pending_gom", .versions = kNew},
    {.name = "fan.speed", .unit = "%", .element = "fan_speed"},
    {.name = "pstate", .element = "performance_state"},
    {.name = "clocks_event_reasons.supported", .other_name = "clocks_throttle_reasons.supported", .value = reason_bits<&nvml::Device::supported_clocks_event_reasons>},
    {.name = "clocks_event_reasons.active", .other_name = "clocks_throttle_reasons.active", .value = reason_bits<&Gpu::reasons>},
    NVMLKIT_REASON("gpu_idle"),
    NVMLKIT_REASON("applications_clocks_setting"),
    NVMLKIT_REASON("sw_power_cap"),
    NVMLKIT_REASON("hw_slowdown"),
    NVMLKIT_REASON("hw_thermal_slowdown"),
    NVMLKIT_REASON("hw_power_brake_slowdown"),
    NVMLKIT_REASON("sw_thermal_slowdown"),
    NVMLKIT_REASON("sync_boost"),
    {.name = "clocks_event_reasons_counters.sw_power_cap", .unit = "us", .element = "clocks_event_reasons_counters/clocks_event_reasons_counters_sw_power_cap", .versions = from(580)},
    {.name = "clocks_event_reasons_counters.sync_boost", .unit = "us", .element = "clocks_event_reasons_counters/clocks_event_reasons_counters_sync_boost", .versions = from(580)},
    {.name = "clocks_event_reasons_counters.sw_thermal_slowdown", .unit = "us", .element = "clocks_event_reasons_counters/clocks_event_reasons_counters_sw_therm_slowdown", .versions = from(580)},
    {.name = "clocks_event_reasons_counters.hw_thermal_slowdown", .unit = "us", .element = "clocks_event_reasons_counters/clocks_event_reasons_counters_hw_therm_slowdown", .versions = from(580)},
    {.name = "clocks_event_reasons_counters.hw_power_brake_slowdown", .unit = "us", .element = "clocks_event_reasons_counters/clocks_event_reasons_counters_hw_power_brake", .versions = from(580)},
    {.name = "memory.total", .unit = "MiB", .element = "fb_memory_usage/total"},
    {.name = "memory.reserved", .unit = "MiB", .element = "fb_memory_usage/reserved"},
    {.name = "memory.used", .unit = "MiB", .element = "fb_memory_usage/used"},
    {.name = "memory.free", .unit = "MiB", .element = "fb_memory_usage/free"},
    {.name = "compute_mode", .element = "compute_mode"},
    {.name = "compute_cap", .value = compute_capability},
    {.name = "utilization.gpu", .unit = "%", .element = "utilization/gpu_util"},
    {.name = "utilization.memory", .unit = "%", .element = "utilization/memory_util"},
    {.name = "utilization.encoder", .unit = "%", .element = "utilization/encoder_util"},
    {.name = "utilization.decoder", .unit = "%", .element = "utilization/decoder_util"},
    {.name = "utilization.jpeg", .unit = "%", .element = "utilization/jpeg_util"},
    {.name = "utilization.ofa", .unit = "%", .element = "utilization/ofa_util"},
    {.name = "encoder.stats.sessionCount", .element = "encoder_stats/session_count"},
    {.name = "encoder.stats.averageFps", .element = "encoder_stats/average_fps"},
    {.name = "encoder.stats.averageLatency", .element = "encoder_stats/average_latency"},
    {.name = "dramEncryption.mode.current", .element = "dram_encryption_mode/current_dram_encryption", .versions = from(570)},
    {.name = "dramEncryption.mode.pending", .element = "dram_encryption_mode/pending_dram_encryption", .versions = from(570)},
    {.name = "ecc.mode.current", .element = "ecc_mode/current_ecc"},
    {.name = "ecc.mode.pending", .element = "ecc_mode/pending_ecc"},
    NVMLKIT_ECC("ecc.errors.corrected.volatile", kCorrected, kVolatile),
    NVMLKIT_ECC("ecc.errors.corrected.aggregate", kCorrected, kAggregate),
    NVMLKIT_ECC("ecc.errors.uncorrected.volatile", kUncorrected, kVolatile),
    NVMLKIT_ECC("ecc.errors.uncorrected.aggregate", kUncorrected, kAggregate),
    {.name = "ecc.errors.uncorrected.volatile.sram.parity", .element = "ecc_errors/volatile/sram_uncorrectable_parity", .versions = k580},
    {.name = "ecc.errors.uncorrected.volatile.sram.secded", .element = "ecc_errors/volatile/sram_uncorrectable_secded", .versions = k580},
    {.name = "ecc.errors.uncorrected.aggregate.sram.parity", .element = "ecc_errors/aggregate/sram_uncorrectable_parity", .versions = k580},
    {.name = "ecc.errors.uncorrected.aggregate.sram.secded", .element = "ecc_errors/aggregate/sram_uncorrectable_secded", .versions = k580},
    {.name = "ecc.errors.uncorrected.aggregate.sram.thresholdExceeded", .element = "ecc_errors/aggregate/sram_threshold_exceeded", .versions = k580},
    {.name = "ecc.errors.uncorrected.aggregate.sram.l2", .element = "ecc_errors/aggregate_uncorrectable_sram_sources/sram_l2", .versions = k580},
    {.name = "ecc.errors.uncorrected.aggregate.sram.sm", .element = "ecc_errors/aggregate_uncorrectable_sram_sources/sram_sm", .versions = k580},
    {.name = "ecc.errors.uncorrected.aggregate.sram.mcu", .element = "ecc_errors/aggregate_uncorrectable_sram_sources/sram_microcontroller", .versions = k580},
    {.name = "ecc.errors.uncorrected.aggregate.sram.pcie", .element = "ecc_errors/aggregate_uncorrectable_sram_sources/sram_pcie", .versions = k580},
    {.name = "ecc.errors.uncorrected.aggregate.sram.other", .element = "ecc_errors/aggregate_uncorrectable_sram_sources/sram_other", .versions = k580},
    {.name = "retired_pages.single_bit_ecc.count", .other_name = "retired_pages.sbe", .element = "retired_pages/Single Bit ECC"},
    {.name = "retired_pages.double_bit.count", .other_name = "retired_pages.dbe", .element = "retired_pages/Double Bit ECC"},
    {.name = "retired_pages.pending", .element = "retired_pages/Pending Page Blacklist"},
    {.name = "remapped_rows.correctable", .other_name = "remapped_rows.sbe", .element = "remapped_rows/remapped_row_corr", .versions = k580},
    {.name = "remapped_rows.correctable_inactive", .element = "remapped_rows/remapped_row_corr_inactive", .versions = kInactive},
    {.name = "remapped_rows.uncorrectable", .other_name = "remapped_rows.dbe", .element = "remapped_rows/remapped_row_unc", .versions = k580},
    {.name = "remapped_rows.uncorrectable_inactive", .element = "remapped_rows/remapped_row_unc_inactive", .versions = kInactive},
    {.name = "remapped_rows.pending", .element = "remapped_rows/remapped_row_pending", .versions = k580},
    {.name = "remapped_rows.failure", .element = "remapped_rows/remapped_row_failure", .versions = k580},
    {.name = "remapped_rows.histogram.max", .element = "remapped_rows/row_remapper_histogram/row_remapper_histogram_max", .versions = k580},
    {.name = "remapped_rows.histogram.high", .element = "remapped_rows/row_remapper_histogram/row_remapper_histogram_high", .versions = k580},
    {.name = "remapped_rows.histogram.partial", .element = "remapped_rows/row_remapper_histogram/row_remapper_histogram_partial", .versions = k580},
    {.name = "remapped_rows.histogram.low", .element = "remapped_rows/row_remapper_histogram/row_remapper_histogram_low", .versions = k580},
    {.name = "remapped_rows.histogram.none", .element = "remapped_rows/row_remapper_histogram/row_remapper_histogram_none", .versions = k580},
    {.name = "temperature.gpu", .element = "temperature/gpu_temp"},
    {.name = "temperature.gpu.tlimit", .element = "temperature/gpu_temp_tlimit"},
    {.name = "temperature.memory", .element = "temperature/memory_temp", .plain = true},
    {.name = "clocks.current.graphics", .other_name = "clocks.gr", .unit = "MHz", .element = "clocks/graphics_clock"},
    {.name = "clocks.current.sm", .other_name = "clocks.sm", .unit = "MHz", .element = "clocks/sm_clock"},
    {.name = "clocks.current.memory", .other_name = "clocks.mem", .unit = "MHz", .element = "clocks/mem_clock"},
    {.name = "clocks.current.video", .other_name = "clocks.video", .unit = "MHz", .element = "clocks/video_clock"},
    {.name = "clocks.applications.graphics", .other_name = "clocks.applications.gr", .unit = "MHz", .element = "applications_clocks/graphics_clock"},
    {.name = "clocks.applications.memory", .other_name = "clocks.applications.mem", .unit = "MHz", .element = "applications_clocks/mem_clock"},
    {.name = "clocks.default_applications.graphics", .other_name = "clocks.default_applications.gr", .unit = "MHz", .element = "default_applications_clocks/graphics_clock"},
    {.name = "clocks.default_applications.memory", .other_name = "clocks.default_applications.mem", .unit = "MHz", .element = "default_applications_clocks/mem_clock"},
    {.name = "clocks.max.graphics", .other_name = "clocks.max.gr", .unit = "MHz", .element = "max_clocks/graphics_clock"},
    {.name = "clocks.max.sm", .other_name = "clocks.max.sm", .unit = "MHz", .element = "max_clocks/sm_clock"},
    {.name = "clocks.max.memory", .other_name = "clocks.max.mem", .unit = "MHz", .element = "max_clocks/mem_clock"},
    {.name = "mig.mode.current", .element = "mig_mode/current_mig"},
    {.name = "mig.mode.pending", .element = "mig_mode/pending_mig"},
    {.name = "gsp.mode.current", .value = gsp_current},
    {.name = "gsp.mode.default", .value = gsp_default},
    {.name = "c2c.mode", .element = "c2c_mode", .versions = from(550)},
    {.name = "protected_memory.total", .unit = "MiB", .element = "cc_protected_memory_usage/total"},
    {.name = "protected_memory.used", .unit = "MiB", .element = "cc_protected_memory_usage/used"},
    {.name = "protected_memory.free", .unit = "MiB", .element = "cc_protected_memory_usage/free"},
    {.name = "fabric.state", .element = "fabric/state", .versions = kOld},
    {.name = "fabric.state", .element = "fabric/state", .versions = kNew, .plain = true},
    {.name = "fabric.status", .element = "fabric/status", .versions = kOld},
    {.name = "fabric.status", .element = "fabric/status", .versions = kNew, .plain = true},
    {.name = "fabric.cliqueId", .element = "fabric/cliqueId", .versions = k580, .plain = true},
    {.name = "fabric.clusterUuid", .element = "fabric/clusterUuid", .versions = k580, .plain = true},
    {.name = "fabric.health.summary", .element = "fabric/health/summary", .versions = k580, .plain = true},
    {.name = "fabric.health.bandwidth", .element = "fabric/health/bandwidth", .versions = k580, .plain = true},
    {.name = "fabric.health.route_recovery_in_progress", .element = "fabric/health/route_recovery_in_progress", .versions = k580, .plain = true},
    {.name = "fabric.health.route_unhealthy", .element = "fabric/health/route_unhealthy", .versions = k580, .plain = true},
    {.name = "fabric.health.access_timeout_recovery", .element = "fabric/health/access_timeout_recovery", .versions = k580, .plain = true},
    {.name = "fabric.health.incorrect_configuration", .element = "fabric/health/incorrect_configuration", .versions = k580, .plain = true},
    {.name = "fabric.health.partition_assigned", .element = "fabric/health/partition_assigned", .versions = kInactive, .plain = true},
    {.name = "platform.chassis_serial_number", .value = place<platform_serial, &nvml::PlatformInfo::chassis_serial_number>, .versions = k580},
    {.name = "platform.slot_number", .value = place<platform_number, &nvml::PlatformInfo::slot_number>, .versions = k580},
    {.name = "platform.tray_index", .value = place<platform_number, &nvml::PlatformInfo::tray_index>, .versions = k580},
    {.name = "platform.host_id", .value = place<platform_number, &nvml::PlatformInfo::host_id>, .versions = k580},
    {.name = "platform.peer_type", .value = platform_peers, .versions = k580},
    {.name = "platform.module_id", .element = "platformInfo/module_id", .versions = k580},
    {.name = "platform.gpu_fabric_guid", .value = platform_guid, .versions = k580},
    {.name = "hostname", .value = hostname, .versions = k580},
};
#undef NVMLKIT_REASON
#undef NVMLKIT_ECC
// clang-format on

}  // namespace

const CsvField* find_csv_field(std::string_view name, Version version) {
  const auto is_it = [&](const CsvField& field) {
    return (field.name == name || (!field.other_name.empty() && field.other_name == name)) &&
           field.versions.has(version);
  };
  for (const auto fields : {std::span<const CsvField>(kCsvFields), csv_power_fields()})
    if (const auto at = std::find_if(fields.begin(), fields.end(), is_it); at != fields.end()) return &*at;
  return nullptr;
}

}  // namespace nvmlkit::smi
