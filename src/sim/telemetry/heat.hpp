// The temperature of a GPU from its power: the chip follows within a second, the cooler within half a minute. Both are
// first-order systems (RC); their sum is the rise above the temperature at rest.
#pragma once

#include <optional>

#include "sim/native/telemetry.hpp"

namespace nvmlkit::sim::telemetry {

struct Body {
  double rise;  // C per W above idle, when it has settled
  double time;  // seconds

  friend bool operator==(const Body&, const Body&) = default;
};

struct Warmth {
  double fast, slow;  // C above rest

  double total() const { return fast + slow; }
};

struct Cooling {
  Body fast, slow;

  friend bool operator==(const Cooling&, const Cooling&) = default;

  // With constant power: where the two go.
  Decay fast_course(Warmth now, double watts) const;
  Decay slow_course(Warmth now, double watts) const;
  // C per second with this power.
  double slope(Warmth now, double watts) const;
  // The power that keeps the sum where it is, now.
  double holding_watts(Warmth now) const;
};

// The sum is kept constant by the right power; fast and slow warmth still change places.
struct Hold {
  Decay watts, fast, slow;
};
Hold hold(const Cooling& cooling, Warmth now);

// When the sum of two courses first meets `level`, after the start; none if it never does.
std::optional<double> meets(const Decay& fast, const Decay& slow, double level);

// When a course first meets `level`.
std::optional<double> meets(const Decay& course, double level);

}  // namespace nvmlkit::sim::telemetry
