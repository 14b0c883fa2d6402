// Following a machine that any process changes: the wait for the next change, and a copy of the whole at one instant.
#pragma once

#include <cstdint>
#include <ctime>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::state {

// A number that every committed change changes: of values, processes, events, faults and rules about calls.
std::uint32_t count_changes(const Machine& machine);

// Sleeps until the number is no longer `seen` or the deadline (CLOCK_MONOTONIC; null: for ever) is over. It may return
// early. The machine must not be read-only. A change whose writer died at once is announced by the next writer.
void wait_for_change(const Machine& machine, std::uint32_t seen, const timespec* deadline);

// Ends every wait without a change.
void wake_followers(const Machine& machine);

// Makes `copy`, which nobody else reads, the machine as it is at one instant: host, GPUs and the words of attention.
// Its events are those of the machine, and may be newer. Rules about calls and processes are left out. False when a
// stopped writer does not go on, or where the sizes differ.
bool copy_now(const Machine& machine, Machine& copy);

}  // namespace nvmlkit::sim::state
