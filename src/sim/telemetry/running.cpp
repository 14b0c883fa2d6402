#include "sim/telemetry/running.hpp"

#include <algorithm>
#include <cmath>

namespace nvmlkit::sim::telemetry {
namespace {

// The highest clock between the two that draws no more.
double fit(const Inputs& in, double watts, double low, double high) {
  for (int i = 0; i < 50; ++i) (watts_at(in, (low + high) / 2) > watts ? high : low) = (low + high) / 2;
  return low;
}

}  // namespace

double watts_at(const Inputs& in, double mhz) {
  const auto& p = in.power;
  const double clock = in.graphics.highest > 0 ? mhz / in.graphics.highest : 1;
  double engines = 0;
  for (const auto engine : {Engine::encoder, Engine::decoder, Engine::jpeg, Engine::ofa})
    engines += in.load[engine] / 100.0;
  const double moved = in.work * p.load + engines * p.engine_load;
  return p.idle + (p.active - p.idle) * (1 + clock) / 2 +
         moved * (p.linear * clock + (1 - p.linear) * std::pow(clock, p.exponent)) +
         in.load[Engine::memory] / 100.0 * p.memory_load;
}

double wanted_mhz(const ClockLimits& clock, double otherwise) {
  const double low = clock.locked_min.value_or(0), high = clock.locked_max.value_or(clock.highest);
  return std::min(std::max(std::min(otherwise, high), low), clock.highest);
}

double wanted_mhz(const ClockLimits& clock) {
  return wanted_mhz(clock, clock.application.value_or(clock.boost.value_or(clock.highest)));
}

double mhz_at(const Inputs& in, double watts) {
  return fit(in, watts, in.graphics.lowest, std::max(in.graphics.highest, in.graphics.lowest));
}

Running fastest(const Inputs& in) {
  Running out{wanted_mhz(in.graphics), 0, in.forced, false};
  if (in.graphics.application && out.mhz <= *in.graphics.application) out.reasons |= Reason::applications_clocks;
  if (in.forced != 0) out = {std::max(out.mhz / 2, in.graphics.lowest), 0, out.reasons, true};
  if (in.pinned_mhz) out.mhz = *in.pinned_mhz;
  out.watts = in.pinned_watts.value_or(watts_at(in, out.mhz));
  if (in.pinned_watts || in.pinned_mhz || out.watts <= in.limit) return out;
  out.reasons |= Reason::sw_power_cap;
  const double low = std::min(in.graphics.lowest, out.mhz);
  const double mhz = watts_at(in, low) >= in.limit ? low : fit(in, in.limit, low, out.mhz);
  return {mhz, watts_at(in, mhz), out.reasons, true};
}

Running slowest(const Inputs& in) {
  const auto out = fastest(in);
  if (in.pinned_watts || in.pinned_mhz) return out;
  const double mhz = std::min(in.graphics.lowest, out.mhz);
  return {mhz, watts_at(in, mhz), out.reasons, false};
}

}  // namespace nvmlkit::sim::telemetry
