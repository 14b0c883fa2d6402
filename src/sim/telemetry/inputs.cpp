#include "sim/telemetry/inputs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/telemetry/dynamic_load.hpp"

namespace nvmlkit::sim::telemetry {
namespace {

using model::Field;
using model::Gpu;
using model::Live;

constexpr double kNever = 1e6;  // C above rest

double watts(double milliwatts) { return milliwatts / 1000; }

PowerCurve power_of(const Gpu& gpu) {
  const auto& t = gpu.telemetry;
  const auto drawn = unpinned(gpu, gpu.power.current_draw_mw), average = unpinned(gpu, gpu.power.average_draw_mw),
             instant = unpinned(gpu, gpu.power.instant_draw_mw);
  const double limit =
      watts(gpu.power.default_limit_mw.value_or(gpu.power.limit_mw.value_or(gpu.power.max_limit_mw.value_or(250'000))));
  PowerCurve p{};
  p.idle = drawn ? watts(*drawn) : average ? watts(*average) : instant ? watts(*instant) : limit / 10;
  const auto or_else = [](const Field<std::uint32_t>& field, double otherwise) {
    return field ? watts(*field) : otherwise;
  };
  p.active = std::max(or_else(t.active_power_mw, p.idle + 0.08 * std::max(limit - p.idle, 0.0)), p.idle);
  p.load = std::max(or_else(t.load_power_mw, 0.9 * limit) - p.active, 0.0);
  p.memory_load = or_else(t.memory_load_power_mw, p.load / 5);
  p.engine_load = or_else(t.engine_power_mw, limit / 10);
  p.linear = t.linear_percent.value_or(65) / 100.0;
  p.exponent = std::clamp<double>(t.exponent.value_or(13), 1, 40);
  return p;
}

// Margins count down to the limits; GPUs that tell degrees have the limits themselves.
void set_heat_limits(const Gpu& gpu, Inputs& in) {
  const auto& t = gpu.thermal;
  const double rest = unpinned(gpu, t.temperature_gpu_c).value_or(30);
  const auto margin = unpinned(gpu, t.tlimit_c);
  in.soft_limit = in.hard_limit = kNever;
  if (margin) {
    in.soft_limit = *margin - t.max_operating_tlimit_c.value_or(0);
    in.hard_limit = t.slowdown_tlimit_c ? *margin - *t.slowdown_tlimit_c : kNever;
  } else {
    if (t.slowdown_threshold_c) in.hard_limit = *t.slowdown_threshold_c - rest;
    if (t.max_operating_c) in.soft_limit = *t.max_operating_c - rest;
    if (t.target_temperature_c) in.soft_limit = std::min(in.soft_limit, *t.target_temperature_c - rest);
  }
  in.soft_limit = std::min(in.soft_limit, in.hard_limit) / in.hot_spot;
  in.hard_limit /= in.hot_spot;
}

void set_cooling(const Gpu& gpu, Inputs& in) {
  const auto& t = gpu.telemetry;
  const auto seconds = [](const Field<std::uint32_t>& ms, double otherwise) {
    return ms ? std::max<double>(*ms, 1) / 1000 : otherwise;
  };
  const double headroom = in.hard_limit < kNever ? std::max(in.hard_limit, 10.0) : 50;
  const double above_idle = std::max(in.power.active + in.power.load - in.power.idle, 1.0);
  const double whole = 0.8 * headroom / above_idle;
  const double slow = t.slow_rise_mc_per_w ? *t.slow_rise_mc_per_w / 1000.0 : 0.8 * whole;
  const double fast = t.fast_rise_mc_per_w ? *t.fast_rise_mc_per_w / 1000.0 : slow / 4;
  in.cooling = {{std::max(fast, 1e-6), seconds(t.fast_time_ms, 0.8)},
                {std::max(slow, 1e-6), seconds(t.slow_time_ms, 25)}};
  // A fan with a fixed speed moves less or more air than the one that follows the heat; half way up it is equal.
  const bool by_hand = gpu.fan.policy && *gpu.fan.policy == model::FanControlPolicy::manual && gpu.fan.manual_percent;
  const auto fans = std::min(gpu.fan.count.value_or(0), 16U);
  const auto failed = std::popcount(gpu.faults.fans_failed & ((1U << fans) - 1));
  if (failed > 0) in.cooling.slow.rise *= 1 + 2.0 * failed / fans;
  if (by_hand) in.cooling.slow.rise *= std::clamp(60.0 / std::max<double>(*gpu.fan.manual_percent, 1), 0.6, 3.0);
}

void set_clocks(const Gpu& gpu, Inputs& in) {
  const auto& c = gpu.clocks;
  const auto listed = gpu.supported_clocks.memory_clocks.span();
  const auto maybe = [](const Field<std::uint32_t>& field) {
    return field ? std::optional<double>(*field) : std::nullopt;
  };
  const double idle = unpinned(gpu, c.graphics_current).value_or(0);
  in.graphics.idle = idle;
  in.graphics.highest = std::max<double>(c.graphics_max.value_or(0), idle);
  in.graphics.lowest = std::min(idle, in.graphics.highest);
  for (const auto& clock : listed)
    for (const auto mhz : clock.graphics_clocks.span()) in.graphics.lowest = std::min<double>(in.graphics.lowest, mhz);
  in.graphics.locked_min = maybe(c.graphics_locked_min);
  in.graphics.locked_max = maybe(c.graphics_locked_max);
  if (c.graphics_app && c.graphics_app_default && *c.graphics_app != *c.graphics_app_default)
    in.graphics.application = *c.graphics_app;
  in.memory.idle = unpinned(gpu, c.memory_current).value_or(0);
  in.memory.highest = std::max<double>(c.memory_max.value_or(0), in.memory.idle);
  in.memory.lowest = in.memory.idle;
  in.memory.locked_min = maybe(c.memory_locked_min);
  in.memory.locked_max = maybe(c.memory_locked_max);
  if (c.memory_app && c.memory_app_default && *c.memory_app != *c.memory_app_default)
    in.memory.application = *c.memory_app;
  const auto& t = gpu.telemetry;
  in.graphics.boost =
      in.load[Engine::gpu] == 0 && t.held_graphics_mhz ? maybe(t.held_graphics_mhz) : maybe(t.graphics_mhz);
  in.memory.boost = maybe(t.memory_mhz);
  in.video_idle = unpinned(gpu, c.video_current).value_or(0);
  in.video_max = std::max<double>(c.video_max.value_or(0), in.video_idle);
}

std::uint8_t percent(std::uint32_t value) { return static_cast<std::uint8_t>(std::min(value, 100U)); }

// Without MIG the per cents are time. With it they are SMs that work all the time: a few of them draw more than their
// share, because caches and memory are up for all, and are hotter than the chip. Fitted to an H100 with 60 of 132 SMs
// busy, and an H200 with 32.
constexpr double kBend = 1.3, kSpot = 1.6;

bool is_split(const Gpu& gpu) { return gpu.mig.mode_current && *gpu.mig.mode_current == model::EnableState::enabled; }

// A pinned utilization is work too.
void set_load(const Gpu& gpu, Inputs& in) {
  const auto& w = gpu.workload;
  const auto& u = gpu.utilization;
  const bool steered = is_pinned(gpu.motion, Live::utilization_gpu);
  in.busy = w.gpu.present || steered;
  const auto load_of = [&](const auto& wanted, const auto& shown) {
    const bool pinned = is_pinned(gpu.motion, std::remove_cvref_t<decltype(shown)>::kId);
    return percent(pinned ? shown.value_or(0) : wanted.value_or(0));
  };
  in.load[Engine::gpu] = load_of(w.gpu, u.gpu);
  in.load[Engine::memory] = load_of(w.memory, u.memory);
  in.load[Engine::encoder] = load_of(w.encoder, u.encoder);
  in.load[Engine::decoder] = load_of(w.decoder, u.decoder);
  in.load[Engine::jpeg] = load_of(w.jpeg, u.jpeg);
  in.load[Engine::ofa] = load_of(w.ofa, u.ofa);
  in.work = work_of(gpu, in.load[Engine::gpu] / 100.0);
  in.hot_spot = is_split(gpu) && in.busy ? kSpot : 1;
}

// Processes of the machine file have the utilization that is written there; those that run share the rest.
void set_shared(const Gpu& gpu, Inputs& in) {
  double claimed[2] = {};
  for (const auto& process : gpu.processes) {
    claimed[0] += process.sm_util.value_or(0) / 100.0;
    claimed[1] += process.mem_util.value_or(0) / 100.0;
  }
  const double rest[2] = {gpu.utilization.gpu.value_or(0) / 100.0, gpu.utilization.memory.value_or(0) / 100.0};
  const auto left = [&](double whole, std::size_t of) { return std::clamp(whole - claimed[of], 0.0, 1.0); };
  for (std::size_t i = 0; i < 2; ++i) {
    in.shared_busy.calm[i] = left(in.load[i] / 100.0, i);
    in.shared_rest.calm[i] = in.shared_dynamic.calm[i] = left(rest[i], i);
    const auto moving = dynamic_load(gpu, static_cast<std::uint32_t>(i));
    if (!moving) continue;
    const auto mean = [&](const Range& range) { return left((range.low + range.high) / 200, i); };
    in.shared_dynamic.calm[i] = mean(moving->calm);
    in.shared_dynamic.burst[i] = mean(moving->burst) - in.shared_dynamic.calm[i];
    in.shared_dynamic.period_ns = moving->period_ns;
  }
}

void set_pins(const Gpu& gpu, Inputs& in) {
  const auto& state = gpu.motion;
  in.pinned = state.pinned;
  const auto& temperature = gpu.thermal.temperature_gpu_c;
  if (is_pinned(state, temperature.kId) && temperature)
    in.pinned_warmth = *temperature - unpinned(gpu, temperature).value_or(*temperature);
  const auto& instant = gpu.power.instant_draw_mw;
  if (is_pinned(state, instant.kId) && instant) in.pinned_watts = watts(*instant);
  const auto& drawn = gpu.power.current_draw_mw;
  if (is_pinned(state, drawn.kId) && drawn) in.pinned_watts = watts(*drawn);
  const auto& clock = gpu.clocks.graphics_current;
  if (is_pinned(state, clock.kId) && clock) in.pinned_mhz = *clock;
}

void set_dynamic(const Gpu& gpu, Inputs& in) {
  const auto& d = gpu.dynamic_metrics;
  in.overlaid = d.temperature.base_c.present || d.power.base_mw.present || d.utilization.pattern.present ||
                d.utilization.gpu_min.present || d.utilization.gpu_max.present || d.utilization.memory_min.present ||
                d.utilization.memory_max.present;
  if (!d.power.base_mw) return;
  const double base = *d.power.base_mw, variance = d.power.variance_mw.value_or(0);
  const double least = gpu.power.min_limit_mw.value_or(0), most = gpu.power.max_limit_mw.value_or(0xFFFFFFFF);
  const double low = std::clamp(base - variance, least, std::max(least, most));
  const double high = std::clamp(base + variance, least, std::max(least, most));
  in.dynamic_watts = watts((low + high) / 2);
  in.dynamic_noise_watts = watts((high - low) / 2);
}

// Why a fault keeps the clocks down.
std::uint32_t forced_by(const faults::State& faults) {
  return (faults.sw_thermal_slowdown != 0 ? Reason::sw_thermal : 0U) |
         (faults.hw_thermal_slowdown != 0 ? Reason::hw_thermal : 0U) |
         (faults.hw_power_brake != 0 ? Reason::power_brake : 0U);
}

}  // namespace

bool is_pinned(const State& state, model::Live field) {
  static_assert(model::live_fields <= 64);
  return (state.pinned >> static_cast<unsigned>(field) & 1) != 0;
}

double work_of(const Gpu& gpu, double share) {
  return is_split(gpu) ? std::expm1(-kBend * share) / std::expm1(-kBend) : share;
}

Inputs inputs_of(const Gpu& gpu) {
  Inputs in{};
  set_load(gpu, in);
  in.mix = mix_of(gpu);
  set_shared(gpu, in);
  in.power = power_of(gpu);
  in.limit = watts(gpu.power.enforced_limit_mw.value_or(gpu.power.limit_mw.value_or(0xFFFFFFFF)));
  set_heat_limits(gpu, in);
  set_cooling(gpu, in);
  set_clocks(gpu, in);
  const auto& t = gpu.telemetry;
  in.linger_s = t.linger_ms ? *t.linger_ms / 1000.0 : in.memory.idle < in.memory.highest / 2 ? 3 : 0;
  in.performance_state = t.performance_state.value_or(model::PState::P0);
  in.link_generation = gpu.pcie.max_link_gen.value_or(0);
  in.tx_rest = static_cast<double>(unpinned(gpu, gpu.pcie.tx_throughput_kbps).value_or(0)) * 1000;
  in.rx_rest = static_cast<double>(unpinned(gpu, gpu.pcie.rx_throughput_kbps).value_or(0)) * 1000;
  const double share = in.load[Engine::gpu] / 100.0;
  const auto busy_rate = [&](const Field<std::uint32_t>& full, double rest, double more) {
    return rest + share * ((full ? *full * 1000.0 : rest + more) - rest);
  };
  in.tx_busy = busy_rate(t.pcie_tx_kbps, in.tx_rest, 4e6);
  in.rx_busy = busy_rate(t.pcie_rx_kbps, in.rx_rest, 8e6);
  in.noise_watts = watts(t.noise.power_mw.value_or(0));
  in.forced = forced_by(gpu.faults);
  set_pins(gpu, in);
  set_dynamic(gpu, in);
  return in;
}

}  // namespace nvmlkit::sim::telemetry
