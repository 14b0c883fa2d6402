#include "sim/telemetry/plan.hpp"

#include <algorithm>
#include <cmath>

#include "sim/state/clock.hpp"
#include "sim/telemetry/noise.hpp"
#include "sim/telemetry/planner.hpp"
#include "sim/telemetry/seconds.hpp"

namespace nvmlkit::sim::telemetry {
namespace {

constexpr std::int64_t kRememberedNs = 120'000'000'000;  // how far back samples reach

std::uint32_t count_of(const State& state) { return std::min(state.phase_count, kMaxPhases); }

// Drops what lies ahead, and of the past what is too long ago or leaves too little room.
void keep_past(State& state, std::int64_t at_ns) {
  auto count = count_of(state);
  while (count > 0 && state.phases[count - 1].start_ns >= at_ns) --count;
  std::uint32_t first = 0;
  while (first + 1 < count && (count - first > kMaxPhases - kMaxFuture ||
                               state.phases[first + 1].start_ns < elapsed_ns(kRememberedNs, at_ns)))
    ++first;
  std::copy(state.phases + first, state.phases + count, state.phases);
  std::fill(state.phases + (count - first), state.phases + kMaxPhases, Phase{});
  state.phase_count = count - first;
}

// Of the time between the two, how much lies in every second period.
double burst_seconds(std::int64_t period_ns, std::int64_t from_ns, std::int64_t to_ns) {
  const double period = static_cast<double>(period_ns) * 1e-9;
  const auto until = [&](std::int64_t at_ns) {
    const double at = std::max(static_cast<double>(at_ns) * 1e-9, 0.0);
    const double pairs = std::floor(at / (2 * period));
    return pairs * period + std::max(at - (2 * pairs + 1) * period, 0.0);
  };
  return until(to_ns) - until(from_ns);
}

bool anything_moves(const State& state, const Inputs& in) {
  const auto& only = state.phases[0];
  const bool limited =
      std::any_of(std::begin(only.limited_s), std::end(only.limited_s), [](double s) { return s > 0; });
  const bool locked = in.graphics.locked_max || in.memory.locked_max;
  return state.phase_count != 1 || only.activity != Activity::rest || limited || locked || in.overlaid ||
         in.pinned != 0 || in.forced != 0;
}

}  // namespace

const Phase* phase_at(const State& state, std::int64_t at_ns) {
  auto i = count_of(state);
  if (i == 0) return nullptr;
  while (i > 1 && state.phases[i - 1].start_ns > at_ns) --i;
  return &state.phases[i - 1];
}

Checkpoint reached(const State& state, const Phase& phase, std::int64_t at_ns) {
  const double s = seconds_between(phase.start_ns, at_ns);
  Checkpoint out{};
  out.at_ns = std::max(at_ns, phase.start_ns);
  out.warmth = {phase.fast.at(s), phase.slow.at(s)};
  out.joules = phase.joules + phase.watts.integral(s);
  if (phase.noise_watts > 0)
    out.joules += phase.noise_watts * (noise_integral(state.seed, 0, elapsed_ns(state.started_ns, out.at_ns)) -
                                       noise_integral(state.seed, 0, elapsed_ns(state.started_ns, phase.start_ns)));
  for (std::size_t i = 0; i < std::size(kCountedReasons); ++i)
    out.limited_s[i] = phase.limited_s[i] + ((phase.reasons & kCountedReasons[i]) != 0 ? s : 0);
  out.tx_bytes = phase.tx_bytes + phase.tx_rate * s;
  out.rx_bytes = phase.rx_bytes + phase.rx_rate * s;
  out.done = phase.done;
  out.done.megacycles += phase.graphics_mhz.integral(s);
  if (phase.activity == Activity::busy) {
    out.done.busy_s += s;
    for (std::size_t i = 0; i < Engine::count; ++i) out.done.load_s[i] += phase.load[i] * s;
    for (std::size_t i = 0; i < Pipe::count; ++i) out.done.mix_s[i] += phase.mix[i] * s * phase.load[Engine::gpu] / 100;
  }
  const double bursts = phase.shared.period_ns <= 0
                            ? 0
                            : burst_seconds(phase.shared.period_ns, elapsed_ns(state.started_ns, phase.start_ns),
                                            elapsed_ns(state.started_ns, out.at_ns));
  for (std::size_t i = 0; i < std::size(out.shared_s); ++i)
    out.shared_s[i] = phase.shared_s[i] + phase.shared.calm[i] * s + phase.shared.burst[i] * bursts;
  return out;
}

SharedSeconds shared_seconds(const Machine& machine, const model::Gpu& gpu) {
  const auto now = now_ns(machine);
  const auto* phase = phase_at(gpu.motion, now);
  if (phase == nullptr) return {};
  const auto checkpoint = reached(gpu.motion, *phase, now);
  return {checkpoint.shared_s[0], checkpoint.shared_s[1]};
}

void plan(State& state, const Inputs& inputs, std::int64_t at_ns) {
  Checkpoint now{};
  now.at_ns = at_ns;
  bool was_busy = false;
  if (const auto* phase = phase_at(state, at_ns)) {
    now = reached(state, *phase, at_ns);
    was_busy = phase->activity == Activity::busy;
  }
  const bool busy = inputs.busy && (state.until_ns == 0 || state.until_ns > at_ns);
  const auto linger_from = [&](std::int64_t end_ns) {
    return inputs.linger_s > 0 ? later(end_ns, inputs.linger_s) : 0;
  };
  if (busy)
    state.linger_ns = state.until_ns != 0 ? linger_from(state.until_ns) : 0;
  else if (was_busy)
    state.linger_ns = linger_from(at_ns);
  keep_past(state, now.at_ns);
  append_phases(state, inputs, now);
  state.moving = anything_moves(state, inputs);
}

}  // namespace nvmlkit::sim::telemetry
