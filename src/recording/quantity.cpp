#include "recording/quantity.hpp"

#include <array>

namespace nvmlkit::recording {
namespace {

using Q = Quantity;

constexpr std::array<QuantityRow, kQuantities> kRows = {{
    {Q::power_limit, Way::setting, "power.limit_mw", "mW"},
    {Q::memory_reserved, Way::setting, "memory.reserved_bytes", "B"},
    {Q::memory_used, Way::setting, "memory.used_bytes", "B"},
    {Q::memory_free, Way::setting, "memory.free_bytes", "B"},
    {Q::gpu_load, Way::load, "utilization.gpu", "%"},
    {Q::memory_load, Way::load, "utilization.memory", "%"},
    {Q::encoder_load, Way::load, "utilization.encoder", "%"},
    {Q::decoder_load, Way::load, "utilization.decoder", "%"},
    {Q::jpeg_load, Way::load, "utilization.jpeg", "%"},
    {Q::ofa_load, Way::load, "utilization.ofa", "%"},
    {Q::sm_clock, Way::live, "clocks.sm_current", "MHz"},
    {Q::graphics_clock, Way::live, "clocks.graphics_current", "MHz"},
    {Q::memory_clock, Way::live, "clocks.memory_current", "MHz"},
    {Q::video_clock, Way::live, "clocks.video_current", "MHz"},
    {Q::power_draw, Way::live, "power.current_draw_mw", "mW"},
    {Q::instant_power, Way::live, "power.instant_draw_mw", "mW"},
    {Q::average_power, Way::live, "power.average_draw_mw", "mW"},
    {Q::gpu_temperature, Way::live, "thermal.temperature_gpu_c", "C"},
    {Q::memory_temperature, Way::live, "thermal.temperature_memory_c", "C"},
    {Q::temperature_margin, Way::live, "thermal.tlimit_c", "C"},
    {Q::fan_speed, Way::live, "fan.speed_percent", "%"},
    {Q::performance_state, Way::live, "performance_state", ""},
    {Q::link_generation, Way::live, "pcie.current_link_gen", ""},
    {Q::pcie_sent, Way::live, "pcie.tx_throughput_kbps", "KB/s"},
    {Q::pcie_received, Way::live, "pcie.rx_throughput_kbps", "KB/s"},
    {Q::event_reasons, Way::reasons, "", ""},
    {Q::pcie_replays, Way::setting, "pcie.replay_counter", ""},
    {Q::ecc_volatile_corrected, Way::total, "ecc.errors.volatile.single_bit.total", ""},
    {Q::ecc_volatile_uncorrected, Way::total, "ecc.errors.volatile.double_bit.total", ""},
    {Q::ecc_aggregate_corrected, Way::total, "ecc.errors.aggregate.single_bit.total", ""},
    {Q::ecc_aggregate_uncorrected, Way::total, "ecc.errors.aggregate.double_bit.total", ""},
    {Q::rows_correctable, Way::setting, "remapped_rows.correctable", ""},
    {Q::rows_uncorrectable, Way::setting, "remapped_rows.uncorrectable", ""},
    {Q::rows_pending, Way::setting, "remapped_rows.pending", ""},
    {Q::rows_failed, Way::setting, "remapped_rows.failure_occurred", ""},
    {Q::energy, Way::counter, "power.total_energy_consumption_mj", "mJ"},
    {Q::limited_by_power, Way::counter, "clocks_throttle_reasons.counters.sw_power_cap_us", "us"},
    {Q::limited_by_heat, Way::counter, "clocks_throttle_reasons.counters.sw_thermal_slowdown_us", "us"},
    {Q::xid, Way::xid, "", ""},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kQuantities; ++i)
    if (static_cast<std::size_t>(kRows[i].quantity) != i) return false;
  return true;
}
static_assert(in_order(), "row_of() takes the place of a row from its quantity");

// Sync boost (0x10) and the display clock (0x100) have no field.
constexpr ReasonBit kReasons[] = {
    {0x1, "clocks_throttle_reasons.gpu_idle"},
    {0x2, "clocks_throttle_reasons.applications_clocks_setting"},
    {0x4, "clocks_throttle_reasons.sw_power_cap"},
    {0x8, "clocks_throttle_reasons.hw_slowdown"},
    {0x20, "clocks_throttle_reasons.sw_thermal_slowdown"},
    {0x40, "clocks_throttle_reasons.hw_thermal_slowdown"},
    {0x80, "clocks_throttle_reasons.hw_power_brake_slowdown"},
};

}  // namespace

const QuantityRow& row_of(Quantity quantity) { return kRows[static_cast<std::size_t>(quantity)]; }

std::string_view name_of(Quantity quantity) {
  if (quantity == Q::event_reasons) return "clocks_event_reasons";
  return quantity == Q::xid ? "xid" : row_of(quantity).path;
}

std::span<const ReasonBit> reason_bits() { return kReasons; }

const Name* find_name(std::span<const Name> names, std::string_view name) {
  for (const auto& each : names)
    if (each.name == name) return &each;
  return nullptr;
}

}  // namespace nvmlkit::recording
