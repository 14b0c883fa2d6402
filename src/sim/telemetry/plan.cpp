#include "sim/telemetry/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/clock.hpp"
#include "sim/telemetry/noise.hpp"

namespace nvmlkit::sim::telemetry {
namespace {

constexpr double second_ns = 1e9;
constexpr double forever = 1e9;                          // seconds
constexpr double at_limit = 1e-4;                        // C: as near as that is at it
constexpr double settled = 0.02;                         // C
constexpr std::int64_t remembered_ns = 120'000'000'000;  // how far back samples reach

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return to_ns > from_ns ? static_cast<double>(elapsed_ns(from_ns, to_ns)) / second_ns : 0;
}

std::int64_t later(std::int64_t from_ns, double seconds) {
  return elapsed_ns(-std::llround(std::min(seconds, forever) * second_ns), from_ns);
}

// The clock of a domain with a workload, and while it is idle.
double wanted(const ClockLimits& clock, double otherwise) {
  const double low = clock.locked_min.value_or(0), high = clock.locked_max.value_or(clock.highest);
  return std::min(std::max(std::min(otherwise, high), low), clock.highest);
}
double wanted(const ClockLimits& clock) { return wanted(clock, clock.application.value_or(clock.highest)); }

// How hard the GPU runs, and what that draws.
struct Running {
  double mhz, watts;
  std::uint32_t reasons;
  bool stepped;  // not the wanted clock: one of the GPU's own steps
};

class Planner {
 public:
  Planner(State& state, const Inputs& inputs, const Checkpoint& now) : state_(state), in_(inputs), now_(now) {}

  void run() {
    if (in_.busy && (state_.until_ns == 0 || state_.until_ns > now_.at_ns)) work(end_of_work());
    if (!full() && state_.linger_ns > now_.at_ns) linger(seconds_between(now_.at_ns, state_.linger_ns));
    if (!full()) rest();
  }

 private:
  double end_of_work() const { return state_.until_ns == 0 ? forever : seconds_between(now_.at_ns, state_.until_ns); }
  bool full() const { return state_.phase_count >= max_phases || ended_; }

  double watts_at(double mhz) const {
    const auto& p = in_.power;
    const double clock = in_.graphics.highest > 0 ? mhz / in_.graphics.highest : 1;
    double engines = 0;
    for (const auto engine : {Engine::encoder, Engine::decoder, Engine::jpeg, Engine::ofa})
      engines += in_.load[engine] / 100.0;
    const double moved = in_.load[Engine::gpu] / 100.0 * p.load + engines * p.engine_load;
    return p.idle + (p.active - p.idle) * (1 + clock) / 2 +
           moved * (p.linear * clock + (1 - p.linear) * std::pow(clock, p.exponent)) +
           in_.load[Engine::memory] / 100.0 * p.memory_load;
  }

  // As fast as clocks and power limit allow.
  Running free() const {
    Running out{wanted(in_.graphics), 0, in_.forced, false};
    if (in_.graphics.application && out.mhz <= *in_.graphics.application) out.reasons |= Reason::applications_clocks;
    if (in_.forced != 0) out = {std::max(out.mhz / 2, in_.graphics.lowest), 0, out.reasons, true};
    if (in_.pinned_mhz) out.mhz = *in_.pinned_mhz;
    out.watts = in_.pinned_watts.value_or(watts_at(out.mhz));
    if (in_.pinned_watts || in_.pinned_mhz || out.watts <= in_.limit) return out;
    out.reasons |= Reason::sw_power_cap;
    out.stepped = true;
    double low = std::min(in_.graphics.lowest, out.mhz), high = out.mhz;
    if (watts_at(low) >= in_.limit) return {low, watts_at(low), out.reasons, true};
    for (int i = 0; i < 50; ++i) (watts_at((low + high) / 2) > in_.limit ? high : low) = (low + high) / 2;
    return {low, watts_at(low), out.reasons, true};
  }

  Running slowest() const {
    auto out = free();
    if (in_.pinned_watts || in_.pinned_mhz) return out;
    const double mhz = std::min(in_.graphics.lowest, out.mhz);
    return {mhz, watts_at(mhz), out.reasons, false};
  }

  double mhz_at(double watts) const {
    double low = in_.graphics.lowest, high = std::max(in_.graphics.highest, low);
    for (int i = 0; i < 50; ++i) (watts_at((low + high) / 2) > watts ? high : low) = (low + high) / 2;
    return low;
  }

  std::uint32_t heat_reasons(double warmth) const {
    return (warmth >= in_.soft_limit - at_limit ? Reason::sw_thermal : 0U) |
           (warmth >= in_.hard_limit - at_limit ? Reason::hw_thermal : 0U);
  }

  Phase begun(Activity activity) const {
    Phase phase{};
    phase.start_ns = now_.at_ns;
    phase.joules = now_.joules;
    std::copy(std::begin(now_.limited_s), std::end(now_.limited_s), phase.limited_s);
    phase.tx_bytes = now_.tx_bytes;
    phase.rx_bytes = now_.rx_bytes;
    phase.work = now_.work;
    phase.activity = activity;
    phase.fan_room = in_.soft_limit < 200 ? std::max(in_.soft_limit, 10.0) : 50;
    phase.video_idle_mhz = static_cast<std::uint32_t>(in_.video_idle);
    phase.video_max_mhz = static_cast<std::uint32_t>(in_.video_max);
    phase.performance_state = in_.performance_state;
    phase.link_generation = in_.link_generation;
    const bool busy = activity == Activity::busy;
    phase.tx_rate = busy ? in_.tx_busy : in_.tx_rest;
    phase.rx_rate = busy ? in_.rx_busy : in_.rx_rest;
    phase.noise_watts = busy ? in_.noise_watts : in_.dynamic_noise_watts;
    if (busy) std::copy(std::begin(in_.load), std::end(in_.load), phase.load);
    const bool up = busy || activity == Activity::linger;
    phase.memory_mhz = static_cast<std::uint32_t>(up ? wanted(in_.memory) : wanted(in_.memory, in_.memory.idle));
    phase.reasons = in_.forced;
    return phase;
  }

  void push(const Phase& phase, double seconds) {
    state_.phases[state_.phase_count++] = phase;
    if (seconds >= forever) {
      ended_ = true;
      return;
    }
    now_ = reached(state_, phase, later(phase.start_ns, seconds));
  }

  // A phase of constant power.
  Phase steady(Activity activity, const Running& running) const {
    auto phase = begun(activity);
    phase.watts = {running.watts, 0, 0};
    warm(phase, running.watts - in_.power.idle);
    phase.graphics_mhz = {running.mhz, 0, 0};
    phase.stepped = running.stepped;
    phase.reasons |= running.reasons;
    return phase;
  }

  void warm(Phase& phase, double watts) const {
    if (in_.pinned_warmth) {
      phase.fast = {*in_.pinned_warmth / 4, 0, 0};
      phase.slow = {*in_.pinned_warmth * 3 / 4, 0, 0};
    } else {
      phase.fast = in_.cooling.fast_course(now_.warmth, watts);
      phase.slow = in_.cooling.slow_course(now_.warmth, watts);
    }
  }

  static double soonest(std::initializer_list<std::optional<double>> events, double otherwise) {
    for (const auto& event : events)
      if (event) otherwise = std::min(otherwise, *event);
    return otherwise;
  }

  void work(double left) {
    const auto end_ns = later(now_.at_ns, left);
    const bool endless = left >= forever;
    for (std::uint32_t i = 0; !full() && (endless || now_.at_ns < end_ns); ++i) {
      const double rest_of_it = endless ? forever : seconds_between(now_.at_ns, end_ns);
      auto [phase, lasts] = next(rest_of_it);
      if (i + 4 >= max_future) lasts = rest_of_it;
      push(phase, std::max(lasts, 1e-6));
    }
  }

  // What a busy GPU does now, and for how long.
  std::pair<Phase, double> next(double left) const {
    const double warmth = in_.pinned_warmth.value_or(now_.warmth.total());
    const auto fast = free(), slow = slowest();
    const double idle = in_.power.idle;
    if (in_.pinned_warmth) {
      const auto reasons = heat_reasons(warmth);
      auto phase = steady(Activity::busy, reasons != 0 ? slow : fast);
      phase.reasons |= reasons;
      return {phase, left};
    }
    const bool at_it = std::abs(warmth - in_.soft_limit) <= at_limit;
    const bool cools = in_.cooling.slope(now_.warmth, fast.watts - idle) <= 1e-6;
    if (warmth < in_.soft_limit && (!at_it || cools)) return freely(fast, at_it, left);
    if (at_it && cools) return freely(fast, true, left);
    if (at_it && in_.cooling.slope(now_.warmth, slow.watts - idle) < 0) return holding(fast, slow, left);
    return slowly(slow, left);
  }

  std::pair<Phase, double> freely(const Running& fast, bool at_it, double left) const {
    const auto phase = steady(Activity::busy, fast);
    const double level = in_.soft_limit + (at_it ? 2 * at_limit : 0);
    return {phase, soonest({meets(phase.fast, phase.slow, level)}, left)};
  }

  // Power is held so that the GPU gets no warmer.
  std::pair<Phase, double> holding(const Running& fast, const Running& slow, double left) const {
    auto phase = steady(Activity::busy, fast);
    const auto held = hold(in_.cooling, now_.warmth);
    phase.watts = held.watts;
    phase.watts.end += in_.power.idle;
    phase.fast = held.fast;
    phase.slow = held.slow;
    const double from = mhz_at(phase.watts.at(0)), to = mhz_at(phase.watts.end);
    phase.graphics_mhz = {to, from - to, phase.watts.time};
    phase.stepped = true;
    phase.reasons = (fast.reasons & ~std::uint32_t{Reason::sw_power_cap}) | Reason::sw_thermal;
    return {phase, soonest({meets(phase.watts, fast.watts), meets(phase.watts, slow.watts)}, left)};
  }

  // Too warm even so: the lowest clock, until it is cool enough.
  std::pair<Phase, double> slowly(const Running& slow, double left) const {
    auto phase = steady(Activity::busy, slow);
    phase.reasons |= Reason::sw_thermal;
    const double warmth = now_.warmth.total();
    const bool rises = in_.cooling.slope(now_.warmth, slow.watts - in_.power.idle) > 0;
    const bool hot = warmth > in_.hard_limit + at_limit || (warmth >= in_.hard_limit - at_limit && rises);
    if (hot) phase.reasons |= Reason::hw_thermal;
    const double cool = hot ? in_.hard_limit - 2 * at_limit : in_.soft_limit;
    const auto down = warmth > cool + at_limit ? meets(phase.fast, phase.slow, cool) : std::nullopt;
    const auto up = hot ? std::nullopt : meets(phase.fast, phase.slow, in_.hard_limit);
    return {phase, soonest({down, up}, left)};
  }

  void linger(double seconds) {
    push(steady(Activity::linger,
                {wanted(in_.graphics, in_.graphics.idle), in_.pinned_watts.value_or(in_.power.active), 0, false}),
         seconds);
  }

  Phase still(Activity activity) const {
    const double drawn = in_.pinned_watts.value_or(in_.power.idle);
    auto phase = steady(activity, {wanted(in_.graphics, in_.graphics.idle), drawn, 0, false});
    if (in_.dynamic_watts && !in_.pinned_watts) phase.watts.end = *in_.dynamic_watts;
    phase.reasons |= heat_reasons(in_.pinned_warmth.value_or(0));
    return phase;
  }

  void rest() {
    if (in_.pinned_warmth || in_.pinned_watts) {
      push(still(Activity::cooling), forever);
      return;
    }
    if (now_.warmth.total() > in_.soft_limit + at_limit) {
      auto hot = still(Activity::cooling);
      hot.reasons |= Reason::sw_thermal;
      push(hot, soonest({meets(hot.fast, hot.slow, in_.soft_limit)}, forever));
    }
    const auto time_of = [](const Body& body, double warmth) {
      return std::abs(warmth) > settled ? body.time * std::log(std::abs(warmth) / settled) : 0;
    };
    const double cools_for =
        std::max(time_of(in_.cooling.fast, now_.warmth.fast), time_of(in_.cooling.slow, now_.warmth.slow));
    if (!full() && cools_for > 0) push(still(Activity::cooling), cools_for);
    now_.warmth = {0, 0};
    if (!full()) push(still(Activity::rest), forever);
  }

  State& state_;
  const Inputs& in_;
  Checkpoint now_;
  bool ended_ = false;
};

std::uint32_t count_of(const State& state) { return std::min(state.phase_count, max_phases); }

// Drops what lies ahead, and of the past what is too long ago or leaves too little room.
void keep_past(State& state, std::int64_t at_ns) {
  auto count = count_of(state);
  while (count > 0 && state.phases[count - 1].start_ns >= at_ns) --count;
  std::uint32_t first = 0;
  while (first + 1 < count && (count - first > max_phases - max_future ||
                               state.phases[first + 1].start_ns < elapsed_ns(remembered_ns, at_ns)))
    ++first;
  std::copy(state.phases + first, state.phases + count, state.phases);
  std::fill(state.phases + (count - first), state.phases + max_phases, Phase{});
  state.phase_count = count - first;
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
  for (std::size_t i = 0; i < std::size(counted_reasons); ++i)
    out.limited_s[i] = phase.limited_s[i] + ((phase.reasons & counted_reasons[i]) != 0 ? s : 0);
  out.tx_bytes = phase.tx_bytes + phase.tx_rate * s;
  out.rx_bytes = phase.rx_bytes + phase.rx_rate * s;
  out.work = phase.work + phase.load[Engine::gpu] / 100.0 * s;
  return out;
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
  Planner(state, inputs, now).run();
  state.moving = anything_moves(state, inputs);
}

}  // namespace nvmlkit::sim::telemetry
