// The table of metrics.
#include "sampler_sources.hpp"

namespace nvmlkit::nvml {
namespace detail {
namespace {

constexpr unsigned int kAllLinks = ~0U;
constexpr unsigned int kCorrected = abi::NVML_MEMORY_ERROR_TYPE_CORRECTED;
constexpr auto kEcc = [](unsigned int error, abi::nvmlEccCounterType_t counter) {
  return ecc_selector(static_cast<abi::nvmlMemoryErrorType_t>(error), counter);
};
constexpr unsigned int kUncorrected = abi::NVML_MEMORY_ERROR_TYPE_UNCORRECTED;

// clang-format off
constexpr MetricRow kRows[] = {
    {Metric::power, "power", "mW", kNoField, 0, Source::power},
    {Metric::power_average, "power_average", "mW", FieldId::dev_power_average},
    {Metric::power_instant, "power_instant", "mW", FieldId::dev_power_instant},
    {Metric::enforced_power_limit, "enforced_power_limit", "mW", kNoField, 0, Source::enforced_power_limit},
    {Metric::energy, "energy", "mJ", FieldId::dev_total_energy_consumption, 0, Source::energy},
    {Metric::temperature, "temperature", "C", kNoField, 0, Source::temperature, abi::NVML_TEMPERATURE_GPU},
    {Metric::memory_temperature, "memory_temperature", "C", FieldId::dev_memory_temp},
    {Metric::gpu_utilization, "gpu_utilization", "%", kNoField, 0, Source::utilization, 0, 0},
    {Metric::memory_utilization, "memory_utilization", "%", kNoField, 0, Source::utilization, 0, 1},
    {Metric::encoder_utilization, "encoder_utilization", "%", kNoField, 0, Source::encoder},
    {Metric::decoder_utilization, "decoder_utilization", "%", kNoField, 0, Source::decoder},
    {Metric::jpeg_utilization, "jpeg_utilization", "%", kNoField, 0, Source::jpeg},
    {Metric::ofa_utilization, "ofa_utilization", "%", kNoField, 0, Source::ofa},
    {Metric::graphics_clock, "graphics_clock", "MHz", kNoField, 0, Source::clock, abi::NVML_CLOCK_GRAPHICS},
    {Metric::sm_clock, "sm_clock", "MHz", kNoField, 0, Source::clock, abi::NVML_CLOCK_SM},
    {Metric::memory_clock, "memory_clock", "MHz", kNoField, 0, Source::clock, abi::NVML_CLOCK_MEM},
    {Metric::video_clock, "video_clock", "MHz", kNoField, 0, Source::clock, abi::NVML_CLOCK_VIDEO},
    {Metric::max_graphics_clock, "max_graphics_clock", "MHz", kNoField, 0, Source::max_clock, abi::NVML_CLOCK_GRAPHICS},
    {Metric::max_sm_clock, "max_sm_clock", "MHz", kNoField, 0, Source::max_clock, abi::NVML_CLOCK_SM},
    {Metric::max_memory_clock, "max_memory_clock", "MHz", kNoField, 0, Source::max_clock, abi::NVML_CLOCK_MEM},
    {Metric::max_video_clock, "max_video_clock", "MHz", kNoField, 0, Source::max_clock, abi::NVML_CLOCK_VIDEO},
    {Metric::pcie_tx, "pcie_tx", "KB/s", kNoField, 0, Source::pcie_throughput, abi::NVML_PCIE_UTIL_TX_BYTES},
    {Metric::pcie_rx, "pcie_rx", "KB/s", kNoField, 0, Source::pcie_throughput, abi::NVML_PCIE_UTIL_RX_BYTES},
    {Metric::pcie_tx_bytes, "pcie_tx_bytes", "B", FieldId::dev_pcie_count_tx_bytes},
    {Metric::pcie_rx_bytes, "pcie_rx_bytes", "B", FieldId::dev_pcie_count_rx_bytes},
    {Metric::pcie_replays, "pcie_replays", "", FieldId::dev_pcie_replay_counter, 0, Source::pcie_replays},
    {Metric::pcie_generation, "pcie_generation", "", kNoField, 0, Source::pcie_generation},
    {Metric::pcie_width, "pcie_width", "", kNoField, 0, Source::pcie_width},
    {Metric::memory_total, "memory_total", "B", kNoField, 0, Source::memory, 0, 0},
    {Metric::memory_used, "memory_used", "B", kNoField, 0, Source::memory, 0, 1},
    {Metric::memory_free, "memory_free", "B", kNoField, 0, Source::memory, 0, 2},
    {Metric::memory_reserved, "memory_reserved", "B", kNoField, 0, Source::memory, 0, 3},
    {Metric::bar1_total, "bar1_total", "B", kNoField, 0, Source::bar1, 0, 0},
    {Metric::bar1_used, "bar1_used", "B", kNoField, 0, Source::bar1, 0, 1},
    {Metric::fan_speed, "fan_speed", "%", kNoField, 0, Source::fan},
    {Metric::p_state, "p_state", "", kNoField, 0, Source::p_state},
    {Metric::clock_event_reasons, "clock_event_reasons", "", kNoField, 0, Source::event_reasons},
    {Metric::ecc_corrected_volatile, "ecc_corrected_volatile", "", FieldId::dev_ecc_sbe_vol_total, 0,
     Source::ecc_errors, kEcc(kCorrected, abi::NVML_VOLATILE_ECC)},
    {Metric::ecc_uncorrected_volatile, "ecc_uncorrected_volatile", "", FieldId::dev_ecc_dbe_vol_total, 0,
     Source::ecc_errors, kEcc(kUncorrected, abi::NVML_VOLATILE_ECC)},
    {Metric::ecc_corrected_aggregate, "ecc_corrected_aggregate", "", FieldId::dev_ecc_sbe_agg_total, 0,
     Source::ecc_errors, kEcc(kCorrected, abi::NVML_AGGREGATE_ECC)},
    {Metric::ecc_uncorrected_aggregate, "ecc_uncorrected_aggregate", "", FieldId::dev_ecc_dbe_agg_total, 0,
     Source::ecc_errors, kEcc(kUncorrected, abi::NVML_AGGREGATE_ECC)},
    {Metric::remapped_rows_corrected, "remapped_rows_corrected", "", FieldId::dev_remapped_cor},
    {Metric::remapped_rows_uncorrected, "remapped_rows_uncorrected", "", FieldId::dev_remapped_unc},
    {Metric::remapped_rows_pending, "remapped_rows_pending", "", FieldId::dev_remapped_pending},
    {Metric::remapped_rows_failed, "remapped_rows_failed", "", FieldId::dev_remapped_failure},
    {Metric::retired_pages_corrected, "retired_pages_corrected", "", FieldId::dev_retired_sbe},
    {Metric::retired_pages_uncorrected, "retired_pages_uncorrected", "", FieldId::dev_retired_dbe},
    {Metric::nvlink_count, "nvlink_count", "", FieldId::dev_nvlink_link_count},
    {Metric::nvlink_tx, "nvlink_tx", "KiB", FieldId::dev_nvlink_throughput_data_tx, kAllLinks},
    {Metric::nvlink_rx, "nvlink_rx", "KiB", FieldId::dev_nvlink_throughput_data_rx, kAllLinks},
    {Metric::nvlink_crc_flit_errors, "nvlink_crc_flit_errors", "", FieldId::dev_nvlink_crc_flit_error_count_total},
    {Metric::nvlink_crc_data_errors, "nvlink_crc_data_errors", "", FieldId::dev_nvlink_crc_data_error_count_total},
    {Metric::nvlink_replay_errors, "nvlink_replay_errors", "", FieldId::dev_nvlink_replay_error_count_total},
    {Metric::nvlink_recovery_errors, "nvlink_recovery_errors", "", FieldId::dev_nvlink_recovery_error_count_total},
    {Metric::power_violation, "power_violation", "ns", FieldId::dev_perf_policy_power},
    {Metric::thermal_violation, "thermal_violation", "ns", FieldId::dev_perf_policy_thermal},
};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (static_cast<std::size_t>(kRows[i].metric) != i) return false;
  return true;
}
static_assert(std::size(kRows) == static_cast<std::size_t>(Metric::count_) && in_order());

}  // namespace

const MetricRow* row_of(Metric metric) noexcept {
  const auto index = static_cast<std::size_t>(metric);
  return index < std::size(kRows) ? &kRows[index] : nullptr;
}

}  // namespace detail

std::string_view to_string(Metric metric) noexcept {
  const detail::MetricRow* row = detail::row_of(metric);
  return row ? row->name : "?";
}

std::string_view metric_unit(Metric metric) noexcept {
  const detail::MetricRow* row = detail::row_of(metric);
  return row ? row->unit : "";
}

}  // namespace nvmlkit::nvml
