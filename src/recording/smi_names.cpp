// The names of nvidia-smi --query-gpu and of nvidia_gpu_exporter, which makes its own of them.
#include "recording/quantity.hpp"

namespace nvmlkit::recording {
namespace {

using Q = Quantity;

constexpr double kMebibyte = 1048576;
constexpr bool kLess = true;  // weak

constexpr Name kQueryFields[] = {
    {"power.draw", Q::power_draw, 1e3},
    {"power.draw.instant", Q::instant_power, 1e3},
    {"power.draw.average", Q::average_power, 1e3},
    {"power.limit", Q::power_limit, 1e3},
    {"temperature.gpu", Q::gpu_temperature},
    {"temperature.gpu.tlimit", Q::temperature_margin},
    {"temperature.memory", Q::memory_temperature},
    {"utilization.gpu", Q::gpu_load},
    {"utilization.memory", Q::memory_load},
    {"utilization.encoder", Q::encoder_load},
    {"utilization.decoder", Q::decoder_load},
    {"utilization.jpeg", Q::jpeg_load},
    {"utilization.ofa", Q::ofa_load},
    {"memory.used", Q::memory_used, kMebibyte},
    {"memory.free", Q::memory_free, kMebibyte},
    {"memory.reserved", Q::memory_reserved, kMebibyte},
    {"clocks.current.sm", Q::sm_clock},
    {"clocks.sm", Q::sm_clock},
    {"clocks.current.graphics", Q::graphics_clock},
    {"clocks.gr", Q::graphics_clock},
    {"clocks.current.memory", Q::memory_clock},
    {"clocks.mem", Q::memory_clock},
    {"clocks.current.video", Q::video_clock},
    {"clocks.video", Q::video_clock},
    {"fan.speed", Q::fan_speed},
    {"pstate", Q::performance_state},
    {"pcie.link.gen.current", Q::link_generation},
    {"pcie.link.gen.gpucurrent", Q::link_generation, 1, kLess},
    {"clocks_event_reasons.active", Q::event_reasons},
    {"clocks_throttle_reasons.active", Q::event_reasons},
    {"clocks_event_reasons_counters.sw_power_cap", Q::limited_by_power},
    {"clocks_event_reasons_counters.sw_thermal_slowdown", Q::limited_by_heat},
    {"ecc.errors.corrected.volatile.total", Q::ecc_volatile_corrected},
    {"ecc.errors.uncorrected.volatile.total", Q::ecc_volatile_uncorrected},
    {"ecc.errors.corrected.aggregate.total", Q::ecc_aggregate_corrected},
    {"ecc.errors.uncorrected.aggregate.total", Q::ecc_aggregate_uncorrected},
    {"remapped_rows.correctable", Q::rows_correctable},
    {"remapped_rows.uncorrectable", Q::rows_uncorrectable},
    {"remapped_rows.pending", Q::rows_pending},
    {"remapped_rows.failure", Q::rows_failed},
};

constexpr Name kSmiMetrics[] = {
    {"power_draw_watts", Q::power_draw, 1e3},
    {"power_draw_instant_watts", Q::instant_power, 1e3},
    {"power_draw_average_watts", Q::average_power, 1e3},
    {"power_limit_watts", Q::power_limit, 1e3},
    {"temperature_gpu", Q::gpu_temperature},
    {"temperature_gpu_tlimit", Q::temperature_margin},
    {"temperature_memory", Q::memory_temperature},
    {"utilization_gpu_ratio", Q::gpu_load, 100},
    {"utilization_memory_ratio", Q::memory_load, 100},
    {"utilization_encoder_ratio", Q::encoder_load, 100},
    {"utilization_decoder_ratio", Q::decoder_load, 100},
    {"utilization_jpeg_ratio", Q::jpeg_load, 100},
    {"utilization_ofa_ratio", Q::ofa_load, 100},
    {"memory_used_bytes", Q::memory_used},
    {"memory_free_bytes", Q::memory_free},
    {"memory_reserved_bytes", Q::memory_reserved},
    {"clocks_current_sm_clock_hz", Q::sm_clock, 1e-6},
    {"clocks_current_graphics_clock_hz", Q::graphics_clock, 1e-6},
    {"clocks_current_memory_clock_hz", Q::memory_clock, 1e-6},
    {"clocks_current_video_clock_hz", Q::video_clock, 1e-6},
    {"fan_speed_ratio", Q::fan_speed, 100},
    {"pstate", Q::performance_state},
    {"pcie_link_gen_current", Q::link_generation},
    {"clocks_event_reasons_active", Q::event_reasons},
    {"clocks_throttle_reasons_active", Q::event_reasons},
    {"clocks_event_reasons_counters_sw_power_cap_us", Q::limited_by_power},
    {"clocks_event_reasons_counters_sw_thermal_slowdown_us", Q::limited_by_heat},
    {"ecc_errors_corrected_volatile_total", Q::ecc_volatile_corrected},
    {"ecc_errors_uncorrected_volatile_total", Q::ecc_volatile_uncorrected},
    {"ecc_errors_corrected_aggregate_total", Q::ecc_aggregate_corrected},
    {"ecc_errors_uncorrected_aggregate_total", Q::ecc_aggregate_uncorrected},
    {"remapped_rows_correctable", Q::rows_correctable},
    {"remapped_rows_uncorrectable", Q::rows_uncorrectable},
    {"remapped_rows_pending", Q::rows_pending},
    {"remapped_rows_failure", Q::rows_failed},
};

}  // namespace

std::span<const Name> query_fields() { return kQueryFields; }
std::span<const Name> smi_metrics() { return kSmiMetrics; }

}  // namespace nvmlkit::recording
