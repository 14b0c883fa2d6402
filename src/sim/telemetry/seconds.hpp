// Converts instants to seconds and back, without overflow.
#pragma once

#include <algorithm>
#include <cmath>

#include "sim/native/clock.hpp"

namespace nvmlkit::sim::telemetry {

inline constexpr double kForever = 1e9;  // seconds

inline double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return to_ns > from_ns ? static_cast<double>(elapsed_ns(from_ns, to_ns)) / 1e9 : 0;
}

inline std::int64_t later(std::int64_t from_ns, double seconds) {
  return elapsed_ns(-std::llround(std::min(seconds, kForever) * 1e9), from_ns);
}

}  // namespace nvmlkit::sim::telemetry
