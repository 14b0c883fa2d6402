// The speed and power of a busy GPU, and the reason for its limit.
#pragma once

#include "sim/telemetry/inputs.hpp"

namespace nvmlkit::sim::telemetry {

struct Running {
  double mhz, watts;
  std::uint32_t reasons;
  bool stepped;  // not the wanted clock: one of the GPU's own steps
};

// The clock of a domain with a workload, and where it would otherwise be at `otherwise`.
double wanted_mhz(const ClockLimits& clock);
double wanted_mhz(const ClockLimits& clock, double otherwise);

// What a GPU draws that is as busy as `in` says, at another graphics clock.
double watts_at(const Inputs& in, double mhz);

// The highest graphics clock that draws no more.
double mhz_at(const Inputs& in, double watts);

// As fast as clocks and power limit allow, and as slow as it goes.
Running fastest(const Inputs& in);
Running slowest(const Inputs& in);

}  // namespace nvmlkit::sim::telemetry
