#include "metrics/gpu_values.hpp"

#include "metrics/exposition.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::metrics {
namespace {

using sim::Machine;
using sim::model::Gpu;
using Number = std::optional<double>;

template <class T>
Number scaled(const sim::model::Field<T>& field, double factor) {
  return field ? Number(static_cast<double>(*field) * factor) : std::nullopt;
}

// A field of a group of a GPU, as time moves it.
template <auto Group, auto Field>
Number read(const Machine& machine, const Gpu& gpu, double factor) {
  return scaled(sim::telemetry::Reading(machine, gpu)((gpu.*Group).*Field), factor);
}

template <auto Group, auto Field>
Number as_is(const Machine& machine, const Gpu& gpu) {
  return read<Group, Field>(machine, gpu, 1);
}
template <auto Group, auto Field>
Number of_thousand(const Machine& machine, const Gpu& gpu) {
  const auto value = read<Group, Field>(machine, gpu, 1);
  return value ? Number(*value / 1000) : value;  // divided: 0.001 is no number of a computer
}
template <auto Group, auto Field>
Number of_hundred(const Machine& machine, const Gpu& gpu) {
  const auto value = read<Group, Field>(machine, gpu, 1);
  return value ? Number(*value / 100) : value;
}
template <auto Group, auto Field>
Number of_megahertz(const Machine& machine, const Gpu& gpu) {
  return read<Group, Field>(machine, gpu, 1e6);
}

Number performance_state(const Machine& machine, const Gpu& gpu) {
  return scaled(sim::telemetry::Reading(machine, gpu)(gpu.performance_state), 1);
}

template <auto Period, auto Kind>
Number ecc(const Machine&, const Gpu& gpu) {
  return scaled(((gpu.ecc.errors.*Period).*Kind).total, 1);
}

using G = Gpu;
using sim::model::Clocks;
using sim::model::ClocksThrottleReasons;
using sim::model::EccErrors;
using sim::model::EccPeriods;
using sim::model::Fan;
using sim::model::Pcie;
using sim::model::Power;
using sim::model::RemappedRows;
using sim::model::Thermal;
using sim::model::Utilization;

constexpr std::string_view kTemperature = "nvmlkit_gpu_temperature_celsius", kTemperatureHelp = "Temperature";
constexpr std::string_view kClock = "nvmlkit_gpu_clock_hertz", kClockHelp = "Clock now";
constexpr std::string_view kBusy = "nvmlkit_gpu_utilization_ratio", kBusyHelp = "Utilization, from 0 to 1";
constexpr std::string_view kLimit = "nvmlkit_gpu_power_limit_watts", kLimitHelp = "Power limit";
constexpr std::string_view kRows = "nvmlkit_gpu_remapped_rows",
                           kRowsHelp = "Remapped rows, and whether more wait or failed";
constexpr std::string_view kReason = "nvmlkit_gpu_clocks_event_reason",
                           kReasonHelp = "1 for a reason that holds clocks back";
constexpr std::string_view kVolatile = "nvmlkit_gpu_ecc_errors_volatile",
                           kVolatileHelp = "ECC errors since the driver was loaded";
constexpr std::string_view kAggregate = "nvmlkit_gpu_ecc_errors_aggregate",
                           kAggregateHelp = "ECC errors over the life of the GPU";

constexpr Value kValues[] = {
    {kTemperature, kGauge, kTemperatureHelp, "of", "gpu", as_is<&G::thermal, &Thermal::temperature_gpu_c>},
    {kTemperature, kGauge, kTemperatureHelp, "of", "memory", as_is<&G::thermal, &Thermal::temperature_memory_c>},
    {"nvmlkit_gpu_power_draw_watts", kGauge, "Power draw", "", "", of_thousand<&G::power, &Power::current_draw_mw>},
    {kLimit, kGauge, kLimitHelp, "limit", "requested", of_thousand<&G::power, &Power::limit_mw>},
    {kLimit, kGauge, kLimitHelp, "limit", "enforced", of_thousand<&G::power, &Power::enforced_limit_mw>},
    {"nvmlkit_gpu_energy_joules_total", kCounter, "Energy since the driver was loaded", "", "",
     of_thousand<&G::power, &Power::total_energy_consumption_mj>},
    {kClock, kGauge, kClockHelp, "clock", "graphics", of_megahertz<&G::clocks, &Clocks::graphics_current>},
    {kClock, kGauge, kClockHelp, "clock", "sm", of_megahertz<&G::clocks, &Clocks::sm_current>},
    {kClock, kGauge, kClockHelp, "clock", "memory", of_megahertz<&G::clocks, &Clocks::memory_current>},
    {kClock, kGauge, kClockHelp, "clock", "video", of_megahertz<&G::clocks, &Clocks::video_current>},
    {"nvmlkit_gpu_performance_state", kGauge, "P-state", "", "", performance_state},
    {kBusy, kGauge, kBusyHelp, "engine", "gpu", of_hundred<&G::utilization, &Utilization::gpu>},
    {kBusy, kGauge, kBusyHelp, "engine", "memory", of_hundred<&G::utilization, &Utilization::memory>},
    {kBusy, kGauge, kBusyHelp, "engine", "encoder", of_hundred<&G::utilization, &Utilization::encoder>},
    {kBusy, kGauge, kBusyHelp, "engine", "decoder", of_hundred<&G::utilization, &Utilization::decoder>},
    {"nvmlkit_gpu_fan_speed_ratio", kGauge, "Speed of the fans, from 0 to 1", "", "",
     of_hundred<&G::fan, &Fan::speed_percent>},
    {"nvmlkit_gpu_pcie_replays_total", kCounter, "PCIe replays", "", "", as_is<&G::pcie, &Pcie::replay_counter>},
    {kReason, kGauge, kReasonHelp, "reason", "sw_power_cap",
     as_is<&G::clocks_throttle_reasons, &ClocksThrottleReasons::sw_power_cap>},
    {kReason, kGauge, kReasonHelp, "reason", "hw_slowdown",
     as_is<&G::clocks_throttle_reasons, &ClocksThrottleReasons::hw_slowdown>},
    {kReason, kGauge, kReasonHelp, "reason", "sw_thermal_slowdown",
     as_is<&G::clocks_throttle_reasons, &ClocksThrottleReasons::sw_thermal_slowdown>},
    {kReason, kGauge, kReasonHelp, "reason", "hw_thermal_slowdown",
     as_is<&G::clocks_throttle_reasons, &ClocksThrottleReasons::hw_thermal_slowdown>},
    {kReason, kGauge, kReasonHelp, "reason", "hw_power_brake_slowdown",
     as_is<&G::clocks_throttle_reasons, &ClocksThrottleReasons::hw_power_brake_slowdown>},
    {kVolatile, kGauge, kVolatileHelp, "kind", "corrected", ecc<&EccPeriods::volatile_, &EccErrors::single_bit>},
    {kVolatile, kGauge, kVolatileHelp, "kind", "uncorrected", ecc<&EccPeriods::volatile_, &EccErrors::double_bit>},
    {kAggregate, kGauge, kAggregateHelp, "kind", "corrected", ecc<&EccPeriods::aggregate, &EccErrors::single_bit>},
    {kAggregate, kGauge, kAggregateHelp, "kind", "uncorrected", ecc<&EccPeriods::aggregate, &EccErrors::double_bit>},
    {kRows, kGauge, kRowsHelp, "kind", "correctable", as_is<&G::remapped_rows, &RemappedRows::correctable>},
    {kRows, kGauge, kRowsHelp, "kind", "uncorrectable", as_is<&G::remapped_rows, &RemappedRows::uncorrectable>},
    {kRows, kGauge, kRowsHelp, "kind", "pending", as_is<&G::remapped_rows, &RemappedRows::pending>},
    {kRows, kGauge, kRowsHelp, "kind", "failed", as_is<&G::remapped_rows, &RemappedRows::failure_occurred>},
};

}  // namespace

std::span<const Value> gpu_values() { return kValues; }

}  // namespace nvmlkit::metrics
