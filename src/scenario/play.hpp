// Lets the time of a machine pass while a scenario runs on it.
#pragma once

#include <cstdint>
#include <functional>

#include "scenario/run.hpp"
#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::scenario {

// What is done at regular times, the first at the beginning.
struct Watch {
  std::int64_t every_ns = 0;
  std::int64_t until_ns = 0;  // at least so long, also if nothing is left to do before
  std::function<void()> look;
};

// Runs it to its end. Where the machine's time stands still, it is moved from one step to the next; else the function
// sleeps until then, or until another program changes the machine. Problems are those of the machine's lock.
sim::Expected<void> play(Run& run, const sim::Machine& machine, const Watch* watch = nullptr);

// Makes a machine of this process alone begin anew, at a time that is always the same: two runs on such machines are
// equal to the bit. Time stands still, or passes at the pace.
void begin_anew(sim::Machine& machine, double pace);

}  // namespace nvmlkit::scenario
