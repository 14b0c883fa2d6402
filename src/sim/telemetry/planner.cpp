#include "sim/telemetry/planner.hpp"

#include <algorithm>
#include <cmath>

#include "sim/telemetry/running.hpp"
#include "sim/telemetry/seconds.hpp"

namespace nvmlkit::sim::telemetry {
namespace {

constexpr double kAtLimit = 1e-4;  // C: as near as that is at it
constexpr double kSettled = 0.02;  // C

class Planner {
 public:
  Planner(State& state, const Inputs& inputs, const Checkpoint& now) : state_(state), in_(inputs), now_(now) {}

  void append() {
    if (in_.busy && (state_.until_ns == 0 || state_.until_ns > now_.at_ns)) work(end_of_work());
    if (!full() && state_.linger_ns > now_.at_ns) linger(seconds_between(now_.at_ns, state_.linger_ns));
    if (!full()) rest();
  }

 private:
  double end_of_work() const { return state_.until_ns == 0 ? kForever : seconds_between(now_.at_ns, state_.until_ns); }
  bool full() const { return state_.phase_count >= kMaxPhases || ended_; }

  std::uint32_t heat_reasons(double warmth) const {
    return (warmth >= in_.soft_limit - kAtLimit ? Reason::sw_thermal : 0U) |
           (warmth >= in_.hard_limit - kAtLimit ? Reason::hw_thermal : 0U);
  }

  Phase begun(Activity activity) const {
    Phase phase{};
    phase.start_ns = now_.at_ns;
    phase.joules = now_.joules;
    std::copy(std::begin(now_.limited_s), std::end(now_.limited_s), phase.limited_s);
    phase.tx_bytes = now_.tx_bytes;
    phase.rx_bytes = now_.rx_bytes;
    phase.done = now_.done;
    std::copy(std::begin(now_.shared_s), std::end(now_.shared_s), phase.shared_s);
    phase.activity = activity;
    phase.fan_room = in_.soft_limit < 200 ? std::max(in_.soft_limit, 10.0) : 50;
    phase.video_idle_mhz = static_cast<std::uint32_t>(in_.video_idle);
    phase.video_max_mhz = static_cast<std::uint32_t>(in_.video_max);
    phase.performance_state = in_.performance_state;
    phase.link_generation = in_.link_generation;
    const bool busy = activity == Activity::busy;
    phase.tx_rate = busy ? in_.tx_busy : in_.tx_rest;
    phase.rx_rate = busy ? in_.rx_busy : in_.rx_rest;
    phase.shared = busy ? in_.shared_busy : activity == Activity::rest ? in_.shared_dynamic : in_.shared_rest;
    phase.hot_spot = busy ? in_.hot_spot : 1;
    phase.noise_watts = busy ? in_.noise_watts : in_.dynamic_noise_watts;
    if (busy) {
      std::copy(std::begin(in_.load), std::end(in_.load), phase.load);
      std::copy(in_.mix.begin(), in_.mix.end(), phase.mix);
    }
    const bool up = busy || activity == Activity::linger;
    phase.memory_mhz =
        static_cast<std::uint32_t>(up ? wanted_mhz(in_.memory) : wanted_mhz(in_.memory, in_.memory.idle));
    phase.reasons = in_.forced;
    return phase;
  }

  void push(const Phase& phase, double seconds) {
    state_.phases[state_.phase_count++] = phase;
    if (seconds >= kForever) {
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
    const bool endless = left >= kForever;
    for (std::uint32_t i = 0; !full() && (endless || now_.at_ns < end_ns); ++i) {
      const double rest_of_it = endless ? kForever : seconds_between(now_.at_ns, end_ns);
      auto [phase, lasts] = next(rest_of_it);
      if (i + 4 >= kMaxFuture) lasts = rest_of_it;
      push(phase, std::max(lasts, 1e-6));
    }
  }

  // What a busy GPU does now, and for how long.
  std::pair<Phase, double> next(double left) const {
    const double warmth = in_.pinned_warmth.value_or(now_.warmth.total());
    const auto fast = fastest(in_), slow = slowest(in_);
    const double idle = in_.power.idle;
    if (in_.pinned_warmth) {
      const auto reasons = heat_reasons(warmth);
      auto phase = steady(Activity::busy, reasons != 0 ? slow : fast);
      phase.reasons |= reasons;
      return {phase, left};
    }
    const bool at_it = std::abs(warmth - in_.soft_limit) <= kAtLimit;
    const bool cools = in_.cooling.slope(now_.warmth, fast.watts - idle) <= 1e-6;
    if (warmth < in_.soft_limit && (!at_it || cools)) return freely(fast, at_it, left);
    if (at_it && cools) return freely(fast, true, left);
    if (at_it && in_.cooling.slope(now_.warmth, slow.watts - idle) < 0) return holding(fast, slow, left);
    return slowly(slow, left);
  }

  std::pair<Phase, double> freely(const Running& fast, bool at_it, double left) const {
    const auto phase = steady(Activity::busy, fast);
    const double level = in_.soft_limit + (at_it ? 2 * kAtLimit : 0);
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
    const double from = mhz_at(in_, phase.watts.at(0)), to = mhz_at(in_, phase.watts.end);
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
    const bool hot = warmth > in_.hard_limit + kAtLimit || (warmth >= in_.hard_limit - kAtLimit && rises);
    if (hot) phase.reasons |= Reason::hw_thermal;
    const double cool = hot ? in_.hard_limit - 2 * kAtLimit : in_.soft_limit;
    const auto down = warmth > cool + kAtLimit ? meets(phase.fast, phase.slow, cool) : std::nullopt;
    const auto up = hot ? std::nullopt : meets(phase.fast, phase.slow, in_.hard_limit);
    return {phase, soonest({down, up}, left)};
  }

  void linger(double seconds) {
    push(steady(Activity::linger,
                {wanted_mhz(in_.graphics, in_.graphics.idle), in_.pinned_watts.value_or(in_.power.active), 0, false}),
         seconds);
  }

  Phase still(Activity activity) const {
    const double drawn = in_.pinned_watts.value_or(in_.power.idle);
    auto phase = steady(activity, {wanted_mhz(in_.graphics, in_.graphics.idle), drawn, 0, false});
    if (in_.dynamic_watts && !in_.pinned_watts) phase.watts.end = *in_.dynamic_watts;
    phase.reasons |= heat_reasons(in_.pinned_warmth.value_or(0));
    return phase;
  }

  void rest() {
    if (in_.pinned_warmth || in_.pinned_watts) {
      push(still(Activity::cooling), kForever);
      return;
    }
    if (now_.warmth.total() > in_.soft_limit + kAtLimit) {
      auto hot = still(Activity::cooling);
      hot.reasons |= Reason::sw_thermal;
      push(hot, soonest({meets(hot.fast, hot.slow, in_.soft_limit)}, kForever));
    }
    const auto time_of = [](const Body& body, double warmth) {
      return std::abs(warmth) > kSettled ? body.time * std::log(std::abs(warmth) / kSettled) : 0;
    };
    const double cools_for =
        std::max(time_of(in_.cooling.fast, now_.warmth.fast), time_of(in_.cooling.slow, now_.warmth.slow));
    if (!full() && cools_for > 0) push(still(Activity::cooling), cools_for);
    now_.warmth = {0, 0};
    if (!full()) push(still(Activity::rest), kForever);
  }

  State& state_;
  const Inputs& in_;
  Checkpoint now_;
  bool ended_ = false;
};

}  // namespace

void append_phases(State& state, const Inputs& inputs, const Checkpoint& now) { Planner(state, inputs, now).append(); }

}  // namespace nvmlkit::sim::telemetry
