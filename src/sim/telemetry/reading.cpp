#include "sim/telemetry/reading.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/state/machine.hpp"
#include "sim/telemetry/dynamic_load.hpp"
#include "sim/telemetry/noise.hpp"
#include "sim/telemetry/plan.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::sim::telemetry {
namespace {

using model::Gpu;
using model::Live;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kClockStep = 15;  // MHz

// What noise is for.
enum Purpose : std::uint64_t { power_noise, temperature_noise, gpu_noise, memory_noise };

double dynamic_temperature(const Gpu& gpu, std::int64_t since_ns) {
  const auto& d = gpu.dynamic_metrics.temperature;
  double out = *d.base_c;
  if (const auto period = d.ramp_period_sec.value_or(0); period != 0) {
    const double turns = static_cast<double>(since_ns) * 1e-9 / period;
    out += d.ramp_c.value_or(0) * (1 + std::sin(2 * std::numbers::pi * turns)) / 2;
  }
  out += d.variance_c.value_or(0) * noise(gpu.motion.seed, temperature_noise, since_ns);
  return gpu.thermal.shutdown_threshold_c ? std::min<double>(out, *gpu.thermal.shutdown_threshold_c) : out;
}

}  // namespace

std::int64_t Reading::at_ns() const {
  if (at_ns_ == 0) at_ns_ = now_ns(machine_);
  return at_ns_;
}

const Phase* Reading::phase(std::int64_t at_ns) const { return phase_at(gpu_.motion, at_ns); }

const Phase* Reading::phase() const {
  if (phase_ == nullptr) phase_ = phase(at_ns());
  return phase_;
}

Work Reading::done() const { return phase() != nullptr ? reached(gpu_.motion, *phase(), at_ns()).done : Work{}; }

bool Reading::busy() const { return phase() != nullptr && phase()->activity == Activity::busy; }

double Reading::seconds() const {
  return at_ns() > phase()->start_ns ? static_cast<double>(elapsed_ns(phase()->start_ns, at_ns())) * 1e-9 : 0;
}

double Reading::watts() const {
  const auto& at = *phase();
  double out = at.watts.at(seconds());
  if (at.noise_watts > 0)
    out += at.noise_watts * noise(gpu_.motion.seed, power_noise, elapsed_ns(gpu_.motion.started_ns, at_ns()));
  return out;
}

// Before the first phase the GPU was at rest.
double Reading::average_watts() const {
  const auto then = elapsed_ns(kSecond, at_ns());
  const auto& first = *phase(then);
  if (then >= first.start_ns)
    return reached(gpu_.motion, *phase(), at_ns()).joules - reached(gpu_.motion, first, then).joules;
  const double at_rest = static_cast<double>(std::min(elapsed_ns(then, first.start_ns), kSecond)) * 1e-9;
  return reached(gpu_.motion, *phase(), at_ns()).joules - first.joules +
         at_rest * unpinned(gpu_, gpu_.power.current_draw_mw).value_or(0) / 1000;
}

double Reading::warmth() const { return phase()->fast.at(seconds()) + phase()->slow.at(seconds()); }

double Reading::temperature(double still) const {
  const auto since = elapsed_ns(gpu_.motion.started_ns, at_ns());
  if (phase()->activity == Activity::rest && gpu_.dynamic_metrics.temperature.base_c)
    return dynamic_temperature(gpu_, since);
  double out = still + warmth();
  if (const auto& amount = gpu_.telemetry.noise.temperature_c; amount && phase()->activity == Activity::busy)
    out += *amount * noise(gpu_.motion.seed, temperature_noise, since);
  return out;
}

double Reading::graphics_mhz() const {
  const double mhz = phase()->graphics_mhz.at(seconds());
  return phase()->stepped != 0 ? std::floor(mhz / kClockStep + 1e-6) * kClockStep : mhz;
}

double Reading::utilization(Live field, double still) const {
  constexpr auto kFirst = static_cast<std::uint32_t>(Live::utilization_gpu);
  static_assert(static_cast<std::uint32_t>(Live::utilization_ofa) - kFirst == Engine::ofa, "in the order of engines");
  const auto engine = static_cast<std::uint32_t>(field) - kFirst;
  if (phase()->activity == Activity::busy) return phase()->load[engine];
  const auto moving = dynamic_load(gpu_, engine);
  if (!moving || phase()->activity != Activity::rest) return still;
  const auto since = std::max<std::int64_t>(elapsed_ns(gpu_.motion.started_ns, at_ns()), 0);
  const auto& range = moving->at(since);
  const auto purpose = engine == Engine::gpu ? gpu_noise : memory_noise;
  return range.low + (range.high - range.low) * random_number(gpu_.motion.seed, purpose, since / kNoiseStepNs);
}

// From the configured speed at rest to the full one where software slows the GPU down.
double Reading::fan_percent(double still) const {
  const double full = gpu_.fan.max_percent.value_or(100);
  return std::clamp(still + (full - still) * warmth() / phase()->fan_room, std::min(still, full),
                    std::max(still, full));
}

// At work, or not long after it: the GPU holds its clocks for a while.
bool Reading::is_up() const { return phase()->activity == Activity::busy || phase()->activity == Activity::linger; }

double Reading::power(Live field, double still) const {
  const auto more_mw = [&](double now) {
    return (now - unpinned(gpu_, gpu_.power.current_draw_mw).value_or(0) / 1000.0) * 1000;
  };
  switch (field) {
    case Live::power_current_draw_mw:
      return still + more_mw(has(gpu_, Trait::average_power) ? average_watts() : watts());
    case Live::power_average_draw_mw:
    case Live::module_power_average_draw_mw:
      return still + more_mw(average_watts());
    case Live::power_memory_draw_mw:
      return still + more_mw(watts()) * gpu_.telemetry.memory_power_percent.value_or(9) / 100;
    case Live::power_total_energy_consumption_mj:
      return still + reached(gpu_.motion, *phase(), at_ns()).joules * 1000;
    default:  // instant
      return still + more_mw(watts());
  }
}

double Reading::heat(Live field, double still) const {
  switch (field) {
    case Live::thermal_temperature_memory_c:
      return still + warmth() * gpu_.telemetry.memory_rise_percent.value_or(45) / 100;
    case Live::thermal_tlimit_c: {
      const auto rest = unpinned(gpu_, gpu_.thermal.temperature_gpu_c).value_or(0);
      return still - phase()->hot_spot * (static_cast<double>(whole<std::int32_t>(temperature(rest))) - rest);
    }
    default:
      return temperature(still);
  }
}

double Reading::fan(Live field, double still) const {
  if (field != Live::fan_speed_rpm) return fan_percent(still);
  const double percent = unpinned(gpu_, gpu_.fan.speed_percent).value_or(0);
  return percent > 0 ? still * fan_percent(percent) / percent : still + kFullFanRpm * fan_percent(0) / 100;
}

double Reading::clock(Live field, double still) const {
  switch (field) {
    case Live::clocks_memory_current:
      return phase()->memory_mhz;
    case Live::clocks_video_current: {
      const double highest = gpu_.clocks.graphics_max.value_or(0);
      const double share = highest > 0 ? std::clamp(graphics_mhz() / highest, 0.0, 1.0) : 1;
      return busy() ? std::max<double>(phase()->video_idle_mhz, phase()->video_max_mhz * share) : still;
    }
    default:
      return graphics_mhz();
  }
}

double Reading::event_reason(Live field, double still) const {
  const auto because = [&](std::uint32_t reason) {
    return (phase()->reasons & reason) != 0 || (!busy() && still != 0) ? 1.0 : 0.0;
  };
  switch (field) {
    case Live::clocks_throttle_reasons_applications_clocks_setting:
      return because(Reason::applications_clocks);
    case Live::clocks_throttle_reasons_sw_power_cap:
      return because(Reason::sw_power_cap);
    case Live::clocks_throttle_reasons_hw_slowdown:
      return because(Reason::hw_thermal | Reason::power_brake);
    case Live::clocks_throttle_reasons_sw_thermal_slowdown:
      return because(Reason::sw_thermal);
    case Live::clocks_throttle_reasons_hw_thermal_slowdown:
      return because(Reason::hw_thermal);
    case Live::clocks_throttle_reasons_hw_power_brake_slowdown:
      return because(Reason::power_brake);
    default:  // idle
      return busy() ? 0 : still;
  }
}

double Reading::limited_us(Live field, double still) const {
  constexpr auto kFirst = static_cast<std::size_t>(Live::clocks_throttle_reasons_counters_sw_power_cap_us);
  constexpr auto kLast = static_cast<std::size_t>(Live::clocks_throttle_reasons_counters_below_application_clocks_us);
  static_assert(kLast - kFirst + 1 == std::extent_v<decltype(Phase::limited_s)>, "in the order of the model");
  const auto reason = static_cast<std::size_t>(field) - kFirst;
  return still + reached(gpu_.motion, *phase(), at_ns()).limited_s[reason] * 1e6;
}

double Reading::pcie(Live field, double still) const {
  switch (field) {
    case Live::pcie_tx_throughput_kbps:
      return busy() ? phase()->tx_rate / 1000 : still;
    case Live::pcie_rx_throughput_kbps:
      return busy() ? phase()->rx_rate / 1000 : still;
    case Live::pcie_tx_bytes:
      return still + reached(gpu_.motion, *phase(), at_ns()).tx_bytes;
    case Live::pcie_rx_bytes:
      return still + reached(gpu_.motion, *phase(), at_ns()).rx_bytes;
    default:  // generation of the link
      return is_up() ? std::max<double>(phase()->link_generation, still) : still;
  }
}

// Exhaustive, so that the compiler names a live field that is new.
double Reading::value(Live field, double still) const {
  if (is_pinned(gpu_.motion, field) || phase() == nullptr || at_ns() < phase()->start_ns) return still;
  switch (field) {
    case Live::power_current_draw_mw:
    case Live::power_average_draw_mw:
    case Live::power_instant_draw_mw:
    case Live::power_memory_draw_mw:
    case Live::power_total_energy_consumption_mj:
    case Live::module_power_average_draw_mw:
    case Live::module_power_instant_draw_mw:
      return power(field, still);
    case Live::thermal_temperature_gpu_c:
    case Live::thermal_temperature_memory_c:
    case Live::thermal_tlimit_c:
      return heat(field, still);
    case Live::fan_speed_percent:
    case Live::fan_target_speed_percent:
    case Live::fan_speed_rpm:
      return fan(field, still);
    case Live::clocks_graphics_current:
    case Live::clocks_sm_current:
    case Live::clocks_memory_current:
    case Live::clocks_video_current:
      return clock(field, still);
    case Live::clocks_throttle_reasons_gpu_idle:
    case Live::clocks_throttle_reasons_applications_clocks_setting:
    case Live::clocks_throttle_reasons_sw_power_cap:
    case Live::clocks_throttle_reasons_hw_slowdown:
    case Live::clocks_throttle_reasons_sw_thermal_slowdown:
    case Live::clocks_throttle_reasons_hw_thermal_slowdown:
    case Live::clocks_throttle_reasons_hw_power_brake_slowdown:
      return event_reason(field, still);
    case Live::clocks_throttle_reasons_counters_sw_power_cap_us:
    case Live::clocks_throttle_reasons_counters_sw_thermal_slowdown_us:
    case Live::clocks_throttle_reasons_counters_hw_thermal_slowdown_us:
    case Live::clocks_throttle_reasons_counters_hw_power_brake_slowdown_us:
    case Live::clocks_throttle_reasons_counters_below_application_clocks_us:
      return limited_us(field, still);
    case Live::utilization_gpu:
    case Live::utilization_memory:
    case Live::utilization_encoder:
    case Live::utilization_decoder:
    case Live::utilization_jpeg:
    case Live::utilization_ofa:
      return utilization(field, still);
    case Live::pcie_current_link_gen:
    case Live::pcie_tx_throughput_kbps:
    case Live::pcie_rx_throughput_kbps:
    case Live::pcie_tx_bytes:
    case Live::pcie_rx_bytes:
      return pcie(field, still);
    case Live::power_power_state:
    case Live::performance_state:
      return is_up() ? phase()->performance_state : still;
  }
  return still;
}

void resolve(const Machine& machine, Gpu& copy) {
  const Gpu before = copy;
  const Reading now(machine, before);
  model::each_live(copy, [&](std::string_view, auto& field) {
    using F = std::remove_cvref_t<decltype(field)>;
    const F& still = *reinterpret_cast<const F*>(
        reinterpret_cast<const std::byte*>(&before) +
        (reinterpret_cast<const std::byte*>(&field) - reinterpret_cast<const std::byte*>(&copy)));
    field.value = now(still).value;
  });
  const auto end = before.motion.until_ns;
  if (end != 0 && end <= now.at_ns()) copy.workload = {};
}

}  // namespace nvmlkit::sim::telemetry
