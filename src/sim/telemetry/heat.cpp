#include "sim/telemetry/heat.hpp"

#include <cmath>

namespace nvmlkit::sim::telemetry {
namespace {

// Beyond this many time constants nothing moves any more.
constexpr double kSettledAfter = 60;
constexpr int kHalvings = 70;

template <class F>
double bisect(F f, double low, double high) {
  const bool rising = f(low) < 0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    ((f(middle) < 0) == rising ? low : high) = middle;
  }
  return high;
}

}  // namespace

double Decay::at(double s) const { return gain == 0 || !(time > 0) ? end : end + gain * std::exp(-s / time); }

double Decay::integral(double s) const {
  return gain == 0 || !(time > 0) ? end * s : end * s - gain * time * std::expm1(-s / time);
}

Decay Cooling::fast_course(Warmth now, double watts) const {
  return {fast.rise * watts, now.fast - fast.rise * watts, fast.time};
}

Decay Cooling::slow_course(Warmth now, double watts) const {
  return {slow.rise * watts, now.slow - slow.rise * watts, slow.time};
}

double Cooling::slope(Warmth now, double watts) const {
  return (fast.rise * watts - now.fast) / fast.time + (slow.rise * watts - now.slow) / slow.time;
}

double Cooling::holding_watts(Warmth now) const {
  const double conductance = fast.rise / fast.time + slow.rise / slow.time;
  return (now.fast / fast.time + now.slow / slow.time) / conductance;
}

// With fast + slow = level, fast' = (fast.rise * watts - fast) / fast.time is linear in fast.
Hold hold(const Cooling& c, Warmth now) {
  const double level = now.total();
  const double conductance = c.fast.rise / c.fast.time + c.slow.rise / c.slow.time;
  const double difference = 1 / c.fast.time - 1 / c.slow.time;
  const double rate = (1 - c.fast.rise / conductance * difference) / c.fast.time;
  const double push = c.fast.rise * level / (conductance * c.fast.time * c.slow.time);
  const double fast_end = push / rate;
  const double gain = now.fast - fast_end;
  const auto watts_with = [&](double fast) { return c.holding_watts({fast, level - fast}); };
  return {{watts_with(fast_end), watts_with(now.fast) - watts_with(fast_end), 1 / rate},
          {fast_end, gain, 1 / rate},
          {level - fast_end, -gain, 1 / rate}};
}

std::optional<double> meets(const Decay& fast, const Decay& slow, double level) {
  const auto distance = [&](double s) { return fast.at(s) + slow.at(s) - level; };
  const double last = kSettledAfter * std::fmax(fast.time, slow.time);
  double turn = last;
  // The sum has one turning point at most: where the slopes of the two cancel.
  const double ratio = -(fast.gain * slow.time) / (slow.gain * fast.time);
  if (fast.time != slow.time && ratio > 0) {
    const double at = std::log(ratio) / (1 / fast.time - 1 / slow.time);
    if (at > 0 && at < last) turn = at;
  }
  const double start = distance(0), middle = distance(turn), end = distance(last);
  if ((start < 0) != (middle < 0)) return bisect(distance, 0, turn);
  if ((middle < 0) != (end < 0)) return bisect(distance, turn, last);
  return std::nullopt;
}

std::optional<double> meets(const Decay& course, double level) {
  const double left = (level - course.end) / course.gain;
  if (!(left > 0 && left < 1)) return std::nullopt;
  return -course.time * std::log(left);
}

}  // namespace nvmlkit::sim::telemetry
