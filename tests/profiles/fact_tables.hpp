// Which key of a machine file each known fact is compared with, and which facts are not compared.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <string_view>

namespace nvmlkit::profiles_test {

enum class As {
  kText,   // the same text
  kWord,   // the text in lower case, `_` for a space, `-` left out
  kHex,    // the same hexadecimal number
  kCount,  // the number that the text begins with, or a range `a..b` that holds ours
  kMib,    // MiB there, bytes here
  kWatt,   // W there, mW here
  kSpeed,  // GB/s there, MB/s here
  kFlag,   // yes / no in one of the words that nvidia-smi has for it
};

struct Row {
  std::string_view facts;
  std::string_view profile;  // `|` separates keys that stand in for each other, as the model's defaults do
  As as;
  std::string_view otherwise;  // what the model makes of an absent key; empty: Not Supported
};

// A fact of N/A asks for a key that is absent; one that is unknown asks for nothing.
inline constexpr Row kRows[] = {
    {"identity.product_name", "name", As::kText, ""},
    {"identity.product_brand", "brand", As::kWord, ""},
    {"identity.architecture", "architecture", As::kWord, ""},
    {"identity.pci_device_id", "pci.device_id", As::kHex, ""},
    {"identity.pci_subsystem_id", "pci.subsystem_id", As::kHex, ""},
    {"identity.pci_base_class", "pci.base_class", As::kHex, ""},
    {"identity.pci_sub_class", "pci.sub_class", As::kHex, ""},
    {"identity.vbios", "vbios_version", As::kText, ""},
    {"identity.board_part_number", "board_part_number", As::kText, ""},
    {"identity.gpu_part_number", "gpu_part_number", As::kText, ""},
    {"identity.gpu_fru_part_number", "fru_part_number", As::kText, ""},
    {"identity.multigpu_board", "multi_gpu_board", As::kFlag, "false"},
    {"identity.inforom.image", "inforom.image_version", As::kText, ""},
    {"identity.inforom.oem", "inforom.oem_object", As::kText, ""},
    {"identity.inforom.ecc", "inforom.ecc_object", As::kText, ""},
    {"identity.inforom.pwr", "inforom.pwr_object", As::kText, ""},
    {"platform_info_example.slot_number", "platform.slot_number", As::kCount, ""},
    {"platform_info_example.tray_index", "platform.tray_index", As::kCount, ""},
    {"platform_info_example.host_id", "platform.host_id", As::kCount, ""},
    {"platform_info_example.peer_type", "platform.peer_type", As::kText, ""},
    {"platform_info_example.module_id", "module_id", As::kCount, ""},
    {"memory.fb_total_mib", "memory.total_bytes", As::kMib, ""},
    {"memory.fb_reserved_mib", "memory.reserved_bytes", As::kMib, ""},
    {"memory.bar1_total_mib", "bar1_memory.total_bytes", As::kMib, ""},
    {"memory.bar1_used_idle_mib", "bar1_memory.used_bytes", As::kMib, ""},
    {"memory.cc_protected_total", "protected_memory.total_bytes", As::kMib, "0"},
    {"clocks.max.graphics", "clocks.graphics_max", As::kCount, ""},
    {"clocks.max.sm", "clocks.sm_max|clocks.graphics_max", As::kCount, ""},
    {"clocks.max.mem", "clocks.memory_max", As::kCount, ""},
    {"clocks.max.video", "clocks.video_max", As::kCount, ""},
    {"clocks.default_application.graphics", "clocks.graphics_app_default", As::kCount, ""},
    {"clocks.default_application.mem", "clocks.memory_app_default", As::kCount, ""},
    {"clocks.application.graphics", "clocks.graphics_app", As::kCount, ""},
    {"clocks.application.mem", "clocks.memory_app", As::kCount, ""},
    {"clocks.max_customer_boost", "clocks.graphics_max_customer_boost", As::kCount, ""},
    {"clocks.idle.graphics", "clocks.graphics_current", As::kCount, ""},
    {"clocks.idle.sm", "clocks.sm_current|clocks.graphics_current", As::kCount, ""},
    {"clocks.idle.mem", "clocks.memory_current", As::kCount, ""},
    {"clocks.idle.video", "clocks.video_current", As::kCount, ""},
    {"clocks.clock_policy.auto_boost", "clocks.auto_boost", As::kWord, ""},
    {"clocks.clock_policy.auto_boost_default", "clocks.auto_boost_default", As::kWord, ""},
    {"power_w.default", "power.default_limit_mw", As::kWatt, ""},
    {"power_w.min", "power.min_limit_mw", As::kWatt, ""},
    {"power_w.max", "power.max_limit_mw", As::kWatt, ""},
    {"power_w.current_limit", "power.enforced_limit_mw|power.limit_mw|power.default_limit_mw", As::kWatt, ""},
    {"power_w.enforced", "power.enforced_limit_mw|power.limit_mw|power.default_limit_mw", As::kWatt, ""},
    {"power_w.requested_limit", "power.limit_mw|power.default_limit_mw", As::kWatt, ""},
    {"power_w.idle_draw", "power.current_draw_mw", As::kWatt, ""},
    {"power_w.idle_average", "power.average_draw_mw", As::kWatt, ""},
    {"power_w.idle_instant", "power.instant_draw_mw|power.current_draw_mw", As::kWatt, ""},
    {"power_w.idle_memory_power", "power.memory_draw_mw", As::kWatt, ""},
    {"module_power.average_power_draw", "module_power.average_draw_mw", As::kWatt, ""},
    {"module_power.instant_power_draw", "module_power.instant_draw_mw", As::kWatt, ""},
    {"module_power.power_draw", "module_power.average_draw_mw", As::kWatt, ""},
    {"module_power.current_power_limit", "module_power.limit_mw", As::kWatt, ""},
    {"module_power.requested_power_limit", "module_power.requested_limit_mw|module_power.limit_mw", As::kWatt, ""},
    {"module_power.default_power_limit", "module_power.default_limit_mw", As::kWatt, ""},
    {"module_power.min_power_limit", "module_power.min_limit_mw", As::kWatt, ""},
    {"module_power.max_power_limit", "module_power.max_limit_mw", As::kWatt, ""},
    {"thermal_c.shutdown", "thermal.shutdown_threshold_c", As::kCount, ""},
    {"thermal_c.slowdown", "thermal.slowdown_threshold_c", As::kCount, ""},
    {"thermal_c.max_operating", "thermal.max_operating_c", As::kCount, ""},
    {"thermal_c.memory_max_operating", "thermal.memory_max_operating_c", As::kCount, ""},
    {"thermal_c.shutdown_tlimit", "thermal.shutdown_tlimit_c", As::kCount, ""},
    {"thermal_c.slowdown_tlimit", "thermal.slowdown_tlimit_c", As::kCount, ""},
    {"thermal_c.max_operating_tlimit", "thermal.max_operating_tlimit_c", As::kCount, ""},
    {"thermal_c.memory_max_operating_tlimit", "thermal.memory_max_operating_tlimit_c", As::kCount, ""},
    {"thermal_c.target", "thermal.target_temperature_c", As::kCount, ""},
    {"thermal_c.supported_target_min", "thermal.target_min_c", As::kCount, ""},
    {"thermal_c.supported_target_max", "thermal.target_max_c", As::kCount, ""},
    {"thermal_c.idle_gpu_temp", "thermal.temperature_gpu_c", As::kCount, ""},
    {"thermal_c.idle_memory_temp", "thermal.temperature_memory_c", As::kCount, ""},
    {"fan.fan_speed_field", "fan.speed_percent", As::kCount, ""},
    {"pcie.max_gen", "pcie.max_link_gen", As::kCount, ""},
    {"pcie.device_max_gen", "pcie.device_max_link_gen|pcie.max_link_gen", As::kCount, ""},
    {"pcie.host_max_gen", "pcie.host_max_link_gen", As::kCount, ""},
    {"pcie.max_width", "pcie.max_link_width", As::kCount, ""},
    {"pcie.idle_gen", "pcie.current_link_gen", As::kCount, ""},
    {"pcie.idle_width", "pcie.current_link_width", As::kCount, ""},
    {"ecc.mode_current", "ecc.mode_current", As::kWord, ""},
    {"ecc.mode_pending", "ecc.mode_pending|ecc.mode_current", As::kWord, ""},
    {"ecc.retired_pages_single", "retired_pages.single_bit_retirement.count", As::kCount, ""},
    {"ecc.retired_pages_double", "retired_pages.double_bit_retirement.count", As::kCount, ""},
    {"ecc.pending_retirement", "retired_pages.pending_retirement", As::kFlag, ""},
    {"ecc.remapped_rows_histogram_max_banks", "remapped_rows.availability_histogram.max", As::kCount, ""},
    {"modes.mig_mode", "mig.mode_current", As::kWord, ""},
    {"modes.persistence", "persistence_mode", As::kWord, ""},
    {"modes.display_mode", "display.mode", As::kWord, ""},
    {"modes.display_active", "display.active", As::kWord, ""},
    {"modes.addressing_mode", "addressing_mode", As::kWord, ""},
    {"modes.virtualization", "virtualization.mode", As::kWord, ""},
    {"modes.host_vgpu", "virtualization.host_vgpu_mode", As::kWord, ""},
    {"modes.c2c_mode", "/nvlink.c2c_enabled", As::kFlag, ""},
    {"modes.sparse_operation_mode", "sparse_operation_mode", As::kWord, ""},
    {"modes.gom", "gpu_operation_mode.current", As::kWord, ""},
    {"modes.compute_mode", "compute_mode", As::kWord, ""},
    {"modes.accounting_buffer", "accounting.buffer_size", As::kCount, ""},
    {"modes.perf_state_idle", "performance_state", As::kText, ""},
    {"fabric.state", "fabric.state", As::kWord, ""},
    {"fabric.cliqueId", "fabric.clique_id", As::kCount, ""},
    {"fabric.health.summary", "fabric.health_summary", As::kWord, ""},
    {"fabric.health.bandwidth", "fabric.health.degraded_bandwidth", As::kFlag, ""},
    {"fabric.health.route_recovery_in_progress", "fabric.health.route_recovery", As::kFlag, ""},
    {"fabric.health.route_unhealthy", "fabric.health.route_unhealthy", As::kFlag, ""},
    {"fabric.health.access_timeout_recovery", "fabric.health.access_timeout_recovery", As::kFlag, ""},
    {"fabric.health.incorrect_configuration", "fabric.health.incorrect_configuration", As::kWord, ""},
    {"compute.cuda_cores", "num_gpu_cores", As::kCount, ""},
    {"compute.memory_bus_bits", "memory.memory_bus_width", As::kCount, ""},
    {"nvlink.links", "/nvlink.links_per_gpu", As::kCount, "0"},
    {"nvlink.version", "/nvlink.version", As::kCount, ""},
    {"nvlink.nvidia_smi_speed", "/nvlink.bandwidth_per_link_mbps", As::kSpeed, ""},
    {"confidential_compute.capable", "features.confidential_compute", As::kFlag, ""},
    {"gpm.supported", "gpm.supported", As::kFlag, ""},
};

struct Reason {
  std::string_view facts;  // a fact, or a group of facts
  std::string_view why;
};

// Compared by a test of their own.
inline constexpr Reason kElsewhere[] = {
    {"clocks.supported", "SupportedClocks"},
    {"compute.capability", "ComputeCapability"},
    {"pcie.bus_ids", "BusIds"},
    {"thermal_c.idle_temp_plus_tlimit", "IdleMargin"},
    {"mig", "MigGpuInstances"},
};

// Not compared.
inline constexpr Reason kNotCompared[] = {
    {"source", "says where the facts come from"},
    {"driver", "says where the facts come from"},
    {"observed", "more captures of the same GPU"},
    {"unknown", "lists what is unknown"},
    {"pci_ids_per_nvidia", "says which ids the name covers"},
    {"clocks.application_source", "says where the facts come from"},
    {"identity.board_id_example", "made from the bus id"},
    {"identity.serial_format", "serial numbers are our own"},
    {"platform_info_example.chassis_serial_number", "serial numbers are our own"},
    {"platform_info_example.gpu_fabric_guid", "no key of the model"},
    {"module_power.power_state", "no key of the model"},
    {"modes.vgpu_heterogeneous", "no key of the model"},
    {"modes.gsp_firmware", "the version follows the driver"},
    {"modes.dram_encryption", "no key of the model"},
    {"modes.reset_required", "no key of the model"},
    {"modes.recovery_action", "no key of the model"},
    {"fabric.status", "no key of the model"},
    {"fabric.clusterUuid", "UUIDs are our own"},
    {"fabric.health.partition_assigned", "no key of the model"},
    {"compute.sm_count", "no key of the model; num_gpu_cores counts cores"},
    {"engines", "no key of the model"},
    {"clocks.under_load", "a machine starts idle"},
    {"thermal_c.loaded_gpu_temp", "a machine starts idle"},
    {"modes.perf_state_load", "a machine starts idle"},
    {"fan.behaviour", "a machine starts idle"},
};

struct Deviation {
  std::string_view profile;
  std::string_view facts;
  std::string_view why;
};

// Where a profile knowingly says something else than the facts. One that no longer deviates fails its test.
inline constexpr Deviation kDeviations[] = {
    {"a10", "clocks.idle.graphics", "the facts' GPU had stopped its clock; of a10-590.48.01-1"},
    {"a10", "clocks.idle.sm", "the facts' GPU had stopped its clock; of a10-590.48.01-1"},
    {"a100", "pcie.bus_ids", "the capture has one GPU; the ids are those of a100-sxm4-40gb-535.183.01-1"},
    {"a100", "platform_info_example.module_id", "goes with the bus ids, from a100-sxm4-40gb-535.183.01-1"},
    {"h200", "thermal_c.idle_gpu_temp", "one GPU's temperatures, of h200-590.48.01-1: the facts have ranges only"},
    {"h200", "thermal_c.idle_memory_temp", "one GPU's temperatures, of h200-590.48.01-1: the facts have ranges only"},
    {"l40s", "pcie.bus_ids", "the capture has one GPU, the machine eight"},
    {"t4", "pcie.bus_ids", "the capture has one GPU, the machine four"},
};

}  // namespace nvmlkit::profiles_test
