#include "serve/machine/measures.hpp"

#include <array>

#include "sim/generated/model.hpp"
#include "sim/links/links.hpp"

namespace nvmlkit::serve {
namespace {

using sim::model::Gpu;
using sim::telemetry::Reading;
using Number = std::optional<double>;

template <class T>
Number scaled(const sim::model::Field<T>& field, double factor) {
  return field ? Number(static_cast<double>(*field) * factor) : std::nullopt;
}

// A field of a group of the GPU at this instant. `Divisor` leads from the unit of the model to that of the measure.
template <auto Group, auto Field, int Divisor = 1>
Number of(const Gpu& gpu, const Reading& now) {
  const auto value = scaled(now((gpu.*Group).*Field), 1);
  return value ? Number(*value / Divisor) : value;
}

Number power_limit(const Gpu& gpu, const Reading& now) {
  const auto enforced = scaled(now(gpu.power.enforced_limit_mw), 1e-3);
  return enforced ? enforced : scaled(gpu.power.limit_mw, 1e-3);
}

Number sm_clock(const Gpu& gpu, const Reading& now) {
  const auto sm = scaled(now(gpu.clocks.sm_current), 1);
  return sm ? sm : scaled(now(gpu.clocks.graphics_current), 1);
}

Number performance_state(const Gpu& gpu, const Reading& now) { return scaled(now(gpu.performance_state), 1); }

template <auto Kind>
Number ecc(const Gpu& gpu, const Reading&) {
  return scaled((gpu.ecc.errors.volatile_.*Kind).total, 1);
}

constexpr std::array<std::string_view, 5> kReasons = {"power cap", "hw slowdown", "sw thermal", "hw thermal",
                                                      "power brake"};

Number slowdown(const Gpu& gpu, const Reading& now) {
  const auto& reasons = gpu.clocks_throttle_reasons;
  const std::array<sim::model::Field<bool>, kReasons.size()> fields = {
      now(reasons.sw_power_cap), now(reasons.hw_slowdown), now(reasons.sw_thermal_slowdown),
      now(reasons.hw_thermal_slowdown), now(reasons.hw_power_brake_slowdown)};
  unsigned int bits = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) bits |= fields[i].value_or(false) ? 1U << i : 0U;
  return static_cast<double>(bits);
}

using G = Gpu;
using sim::model::Clocks;
using sim::model::EccErrors;
using sim::model::Fan;
using sim::model::Pcie;
using sim::model::Power;
using sim::model::Thermal;
using sim::model::Utilization;

constexpr Measure kMeasures[] = {
    {"utilization", "%", "Time with a kernel running", of<&G::utilization, &Utilization::gpu>},
    {"memory_utilization", "%", "Time with memory being read or written", of<&G::utilization, &Utilization::memory>},
    {"power", "W", "Power draw", of<&G::power, &Power::current_draw_mw, 1000>},
    {"power_limit", "W", "Power limit in force", power_limit},
    {"temperature", "C", "Temperature of the GPU", of<&G::thermal, &Thermal::temperature_gpu_c>},
    {"memory_temperature", "C", "Temperature of the memory", of<&G::thermal, &Thermal::temperature_memory_c>},
    {"sm_clock", "MHz", "SM clock", sm_clock},
    {"memory_clock", "MHz", "Memory clock", of<&G::clocks, &Clocks::memory_current>},
    {"performance_state", "", "P-state", performance_state},
    {"fan", "%", "Speed of the fans", of<&G::fan, &Fan::speed_percent>},
    {"pcie_tx", "MB/s", "Sent over PCIe", of<&G::pcie, &Pcie::tx_throughput_kbps, 1000>},
    {"pcie_rx", "MB/s", "Received over PCIe", of<&G::pcie, &Pcie::rx_throughput_kbps, 1000>},
    {"slowdown", "bits", "Reasons that hold clocks back", slowdown},
    {"ecc_corrected", "", "Corrected ECC errors since the driver was loaded", ecc<&EccErrors::single_bit>},
    {"ecc_uncorrected", "", "Uncorrected ECC errors since the driver was loaded", ecc<&EccErrors::double_bit>},
};

}  // namespace

std::span<const Measure> measures() { return kMeasures; }

std::span<const std::string_view> slowdown_reasons() { return kReasons; }

std::optional<double> nvlink_bytes(const Gpu& gpu, const Reading& now) {
  const auto count = sim::links::count(gpu);
  if (count == 0) return std::nullopt;
  double sum = 0;
  for (std::uint32_t link = 0; link < count; ++link) sum += sim::links::counts(gpu, now, link).bytes;
  return sum;
}

}  // namespace nvmlkit::serve
