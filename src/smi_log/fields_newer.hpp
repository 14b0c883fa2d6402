// The part of the table in fields.cpp that nvidia-smi prints from driver branch 610 on (DTD v13).
#pragma once

#include "smi_log/fields.hpp"

namespace nvmlkit::smi_log {

// clang-format off
inline constexpr Row kNewerRows[] = {
    {"Inforom Time Data/Time Run", "inforom_time_data/time_run", "inforom.bbx_time_run_s", Unit::number},
    {"Clocks Event Reasons/Board Limit", "clocks_event_reasons/clocks_event_reason_board_limit", "clocks_throttle_reasons.board_limit", Unit::flag},
    {"Clocks Event Reasons/Reliability", "clocks_event_reasons/clocks_event_reason_reliability", "clocks_throttle_reasons.reliability", Unit::flag},
    {"Remapped Banks/Active Remappings", "remapped_banks/bank_remapper_active_remappings", "bank_remapper.active", Unit::number},
    {"Remapped Banks/Inactive Remappings", "remapped_banks/bank_remapper_inactive_remappings", "bank_remapper.inactive", Unit::number},
    {"Remapped Banks/Pending", "remapped_banks/bank_remapper_pending", "bank_remapper.pending", Unit::flag},
    {"Remapped Banks/Bank Remap Availability Histogram/Max", "remapped_banks/bank_remapper_histogram/bank_remapper_histogram_max", "bank_remapper.histogram.max_spare", Unit::number},
    {"Remapped Banks/Bank Remap Availability Histogram/None", "remapped_banks/bank_remapper_histogram/bank_remapper_histogram_none", "bank_remapper.histogram.no_spare", Unit::number},
    // The temperature of the hottest part; conclusions.cpp makes the difference of it.
    {"Temperature/GPU Max Temp", "temperature/gpu_temp_max", "thermal.hottest_part_above_c", Unit::number},
    // The ceiling is the limit that older drivers print.
    {"GPU Power Readings/GPU Ceiling Power Limit/Current Power Limit", "gpu_power_readings/gpu_ceiling_power_limit/current_power_limit", "power.enforced_limit_mw", Unit::milli},
    {"GPU Power Readings/GPU Ceiling Power Limit/Requested Power Limit", "gpu_power_readings/gpu_ceiling_power_limit/requested_power_limit", "power.limit_mw", Unit::milli},
    {"GPU Power Readings/GPU Ceiling Power Limit/Default Power Limit", "gpu_power_readings/gpu_ceiling_power_limit/default_power_limit", "power.default_limit_mw", Unit::milli},
    {"GPU Power Readings/GPU Base Power/Current Base Power", "gpu_power_readings/gpu_base_power/current_base_power", "base_power.limit_mw", Unit::milli},
    {"GPU Power Readings/GPU Base Power/Requested Base Power", "gpu_power_readings/gpu_base_power/requested_base_power", "base_power.requested_limit_mw", Unit::milli},
    {"GPU Power Readings/GPU Base Power/Default Base Power", "gpu_power_readings/gpu_base_power/default_base_power", "base_power.default_limit_mw", Unit::milli},
    {"GPU Power Readings/GPU Base Power/Adaptive TGP Adjusted Base Power", "gpu_power_readings/gpu_base_power/adaptive_tgp_adjusted_base_power", "adaptive_tgp.adjusted_limit_mw", Unit::milli},
    {"EDPp Multiplier", "edpp_multiplier", "power_balancing.edpp_percent", Unit::percent},
    {"DLA Clocks/Current Engine Clock", "dla_clocks/dla_cur_engine_clock", "", Unit::text},
    {"DLA Clocks/Max Engine Clock", "dla_clocks/dla_max_engine_clock", "", Unit::text},
    {"Fabric/Health/Partition Assigned", "fabric/health/partition_assigned", "fabric.health.partition_assigned", Unit::flag},
    {"Fabric/Health/GFM State", "fabric/health/gfm_state", "fabric.health.global_manager_connected", Unit::flag},
};
// clang-format on

}  // namespace nvmlkit::smi_log
