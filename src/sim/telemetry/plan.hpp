// The future phases of a GPU: intervals in which every value has one closed form.
#pragma once

#include "sim/telemetry/inputs.hpp"

namespace nvmlkit::sim {
class Machine;
}

namespace nvmlkit::sim::telemetry {

// What goes on into the next phase, at one instant.
struct Checkpoint {
  std::int64_t at_ns;
  Warmth warmth;
  double joules;
  double limited_s[5];
  double tx_bytes, rx_bytes;
  double shared_s[2];
  Work done;
};

// The phase that holds at a time; the first one if the time lies before all, null if there is none.
const Phase* phase_at(const State& state, std::int64_t at_ns);

// Where a phase has come to.
Checkpoint reached(const State& state, const Phase& phase, std::int64_t at_ns);

// The integral of what the processes of the GPU share of its utilization, since the machine's start, in seconds.
struct SharedSeconds {
  double gpu, memory;
};
SharedSeconds shared_seconds(const Machine& machine, const model::Gpu& gpu);

// Forgets what was planned for the time from `at_ns` on and plans anew; what lies before stays, as far as there is
// room.
void plan(State& state, const Inputs& inputs, std::int64_t at_ns);

}  // namespace nvmlkit::sim::telemetry
